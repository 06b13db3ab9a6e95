# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for Spark, which record what was asked of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoplog import NotAStoplogQuery

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery


class FakeBridge:
    """A jar that refuses the option `bogus`."""

    def __init__(self, reject: Callable[[Mapping[str, str]], None] = lambda _: None) -> None:
        self.validated: list[dict[str, str]] = []
        self.awaited: list[tuple[str, int]] = []
        self.stopped: list[tuple[object, ...]] = []
        self.undone: list[str] = []
        self.final: dict[str, str] = {}
        self.finished = JavaObject(inTime=True, openParts=0, rows=0, bytes=0)
        self.others: list[object] = []
        self._refuse = reject

    def validate(self, facade: str, artifact: str, options: Mapping[str, str]) -> None:
        self.validated.append(dict(options))
        self._refuse(options)

    def await_finished(self, query: StreamingQuery, timeout_millis: int) -> Any:
        self.awaited.append((str(getattr(query, "runId", "")), timeout_millis))
        return self.finished

    def refuse_other(self, query: StreamingQuery) -> None:
        if query in self.others:
            raise NotAStoplogQuery("other")

    def final_metrics(self, run_id: str) -> Mapping[str, str]:
        return self.final

    def stop_after_batch(self, query: StreamingQuery, timeout_millis: int, at_stop: str) -> str:
        self.stopped.append((query, timeout_millis, at_stop))
        return "BetweenBatches" if timeout_millis else "InBatch"

    def stop_on_shutdown(
        self, query: StreamingQuery, timeout_millis: int, at_stop: str
    ) -> Callable[[], None]:
        self.stopped.append(("shutdown", query, timeout_millis, at_stop))
        return lambda: self.undone.append("shutdown")

    def stop_on_marker(
        self, query: StreamingQuery, marker: str, every_millis: int, timeout_millis: int, at_stop: str
    ) -> Callable[[], None]:
        self.stopped.append((marker, query, every_millis, timeout_millis, at_stop))
        return lambda: self.undone.append(marker)

    def preflight(self, df: DataFrame, options: Mapping[str, str]) -> Any:
        found = JavaObject(level="ok", name="options", what=f"{len(options)} are set.", now="")
        return JavaObject(path=options["path"], findingsAsList=[found], namesAsList=[])

    def planned_merges(self, spark: SparkSession, path: str, options: Mapping[str, str]) -> Any:
        names = [f"{key}={value}" for key, value in options.items()]
        return [JavaObject(directory=path, namesAsList=names, sizeBytes=0, problem="")]

    def run_merges(self, spark: SparkSession, path: str, options: Mapping[str, str]) -> Any:
        return []

    def option_keys(self, facade: str, artifact: str) -> frozenset[str]:
        return frozenset()


class JavaObject:
    """An object of the JVM, whose methods answer these values."""

    def __init__(self, **answers: Any) -> None:
        self._answers = answers

    def __getattr__(self, name: str) -> Callable[[], Any]:
        return lambda: self._answers[name]

    def toString(self) -> str:
        return ""


class Recorder:
    """Answers every method with itself, and keeps the calls in order."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []

    def __getattr__(self, name: str) -> Callable[..., Recorder]:
        def record(*args: Any, **kwargs: Any) -> Recorder:
            self.calls.append((name, *args, kwargs) if kwargs else (name, *args))
            return self

        return record


class FakeFrame:
    """A DataFrame with the two writers."""

    def __init__(self) -> None:
        self.write = Recorder()
        self.writeStream = Recorder()

    def mapInArrow(self, function: object, schema: object) -> FakeFrame:
        return self


class FakeSession:
    """A session with the two readers."""

    def __init__(self) -> None:
        self.read = Recorder()
        self.readStream = Recorder()


class FakeBuilder:
    """A `SparkSession.Builder` that only holds its options, as PySpark's does."""

    def __init__(self, **options: str) -> None:
        self._options: dict[str, Any] = {key.replace("__", "."): value for key, value in options.items()}

    def config(self, key: str, value: str) -> FakeBuilder:
        self._options[key] = value
        return self


class FakeQuery:
    """A query whose progresses are looked at one after the other, and which ends with the last."""

    def __init__(self, *progresses: dict[str, Any] | None, runId: str = "run-1") -> None:
        self.runId = runId
        self.name: str | None = None
        self._left = list(progresses)

    @property
    def isActive(self) -> bool:
        return len(self._left) > 1

    @property
    def lastProgress(self) -> dict[str, Any] | None:
        return self._left.pop(0) if len(self._left) > 1 else self._left[0]


def progress_of(batch_id: int, **metrics: int) -> dict[str, Any]:
    """A progress as Spark reports it."""
    return {
        "batchId": batch_id,
        "timestamp": f"2026-01-01T00:00:{batch_id:02d}.000Z",
        "numInputRows": 10,
        "sink": {"metrics": {key: str(value) for key, value in {"openParts": 0, **metrics}.items()}},
    }
