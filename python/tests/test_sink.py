# SPDX-License-Identifier: Apache-2.0
"""What sinks and sources ask of Spark."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fakes import FakeBridge, FakeFrame, FakeSession, JavaObject, progress_of

import stoplog
from stoplog import FileSink, InvalidOptions, NotFinished, SinkMetrics, SinkProgress
from stoplog._jvm import bridge as jvm_bridge
from stoplog.cassandra import CassandraSink, CassandraSource
from stoplog.jdbc import JdbcSink

SINK = stoplog.FileSink.for_row_format("/data/out", "json").with_sink_id("a").build()
KAFKA = stoplog.KafkaSource.builder("b:9092").with_topics("orders").build()
OPTIONS = {"path": "/data/out", "format": "json", "sinkId": "a"}


SINKS = [
    ("stoplog", SINK),
    ("stoplog-jdbc", JdbcSink.for_table("jdbc:derby:d", "t").build()),
    ("stoplog-kafka", stoplog.KafkaSink.to("b:9092").build()),
    ("stoplog-cassandra", CassandraSink.for_table("a", "shop", "orders").build()),
    ("stoplog-wal", stoplog.WriteAheadSink.to_http("https://example.com").build()),
]
SOURCES: list[tuple[str, Any, tuple[Any, ...]]] = [
    ("stoplog", stoplog.FileSource.for_record_stream_format("text", "/in").build(), ()),
    ("kafka", KAFKA, (("selectExpr", *KAFKA.columns),)),
]
sinks = pytest.mark.parametrize(("name", "sink"), SINKS, ids=[name for name, _ in SINKS])
sources = pytest.mark.parametrize(("name", "source", "more"), SOURCES, ids=[name for name, *_ in SOURCES])


@sinks
def test_write_stream_presets_sparks_writer_and_starts_nothing(name: str, sink: Any) -> None:
    frame: Any = FakeFrame()
    assert sink.write_stream(frame) is frame.writeStream
    preset = [("format", name), ("options", sink.options()), ("outputMode", "append")]
    assert frame.writeStream.calls == preset
    sink.write_stream(frame, checkpoint_location=Path("/data/checkpoint"))
    assert frame.writeStream.calls[3:] == [*preset, ("option", "checkpointLocation", "/data/checkpoint")]


@sinks
def test_write_appends_a_batch(name: str, sink: Any) -> None:
    frame: Any = FakeFrame()
    sink.write(frame)
    assert frame.write.calls == [
        ("format", name),
        ("options", sink.options()),
        ("mode", "append"),
        ("save",),
    ]


@pytest.mark.parametrize("sink", [sink for _, sink in SINKS[:2]], ids=[name for name, _ in SINKS[:2]])
def test_a_batch_may_overwrite_the_directory(sink: Any) -> None:
    frame: Any = FakeFrame()
    sink.write(frame, mode="overwrite")
    assert frame.write.calls[2] == ("mode", "overwrite")


@sources
def test_a_source_sets_sparks_readers(name: str, source: Any, more: tuple[Any, ...]) -> None:
    session: Any = FakeSession()
    source.read(session)
    source.read_stream(session)
    calls = [("format", name), ("options", source.options()), ("load",), *more]
    assert session.read.calls == calls
    assert session.readStream.calls == calls


def test_a_source_accepts_a_schema() -> None:
    session: Any = FakeSession()
    SOURCES[0][1].read(session, "id INT")
    SOURCES[0][1].read_stream(session, "at DATE")
    assert session.read.calls[2] == ("schema", "id INT")
    assert session.readStream.calls[2] == ("schema", "at DATE")


def test_a_table_of_cassandra_is_read_as_a_batch() -> None:
    session: Any = FakeSession()
    source = CassandraSource.for_table("a", "shop", "orders").build()
    source.read(session)
    assert session.read.calls == [("format", "stoplog-cassandra"), ("options", source.options()), ("load",)]


def test_changing_the_returned_options_does_not_change_the_sink() -> None:
    SINK.options()["sinkId"] = "b"
    assert SINK.options() == OPTIONS


@pytest.mark.parametrize(
    ("view", "name"),
    [
        (stoplog.parts, "parts"),
        (stoplog.epochs, "epochs"),
        (stoplog.open_parts, "open"),
        (stoplog.incomplete_buckets, "buckets"),
    ],
)
def test_views_read_the_directory_by_the_connector(view: Any, name: str) -> None:
    session = FakeSession()
    view(session, Path("/data/out"), sink_id="a")
    assert session.read.calls == [
        ("format", "stoplog"),
        ("options", {"view": name, "sinkId": "a"}),
        ("load", "/data/out"),
    ]


@sinks
@pytest.mark.parametrize("method", ["partitionBy", "clusterBy"])
def test_the_writer_refuses_columns_that_spark_does_not_pass_on(name: str, sink: Any, method: str) -> None:
    frame: Any = FakeFrame()
    writer: Any = sink.write_stream(frame)
    with pytest.raises(InvalidOptions, match=rf"{method}\('day'\) has no effect") as refused:
        getattr(writer, method)("day")
    assert ("with_partition_by" in str(refused.value)) == (name == "stoplog")


class Run:
    """A query that has ended, and its writer."""

    runId = "run-1"
    name = None
    toTable = None

    def __init__(self, progress: dict[str, Any] | None) -> None:
        self.lastProgress = progress
        self.calls: list[object] = []

    def start(self) -> Run:
        return self

    def awaitTermination(self) -> None:
        self.calls.append("awaitTermination")

    def trigger(self, **trigger: object) -> Run:
        self.calls.append(trigger)
        return self

    def option(self, key: str, value: str) -> Run:
        self.calls.append((key, value))
        return self

    def format(self, name: str) -> Run:
        return self

    options = outputMode = lambda self, *given, **options: self


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake = FakeBridge()
    monkeypatch.setattr(jvm_bridge, "is_connect", lambda: False)
    monkeypatch.setattr(jvm_bridge, "require_bridge", lambda *_: fake)
    monkeypatch.setattr("stoplog.stopping.is_connect", lambda: False)
    monkeypatch.setattr("stoplog.metrics.find_bridge", lambda: fake)
    return fake


def run(query: Run) -> SinkProgress:
    frame: Any = SimpleNamespace(writeStream=query)
    return (
        FileSink.for_row_format("/data/out", "json")
        .build()
        .run_available_now(frame, Path("/data/checkpoint"))
    )


def test_a_run_waits_for_the_sink_and_returns_its_last_metrics(bridge: FakeBridge) -> None:
    bridge.final = {"publishedRows": "10"}
    query = Run(progress_of(3, publishedRows=4))
    done = run(query)
    assert (done.batch_id, done.metrics.published_rows) == (3, 10)
    assert query.calls == [
        ("checkpointLocation", "/data/checkpoint"),
        {"availableNow": True},
        "awaitTermination",
    ]
    assert bridge.awaited[0] == ("run-1", 600_000)


def test_a_run_without_a_micro_batch_has_zeros(bridge: FakeBridge) -> None:
    assert run(Run(None)) == SinkProgress(-1, "", 0, SinkMetrics())


def test_a_run_whose_rows_stay_invisible_is_an_error(bridge: FakeBridge) -> None:
    bridge.finished = JavaObject(inTime=True, openParts=2, rows=10, bytes=4096)
    with pytest.raises(NotFinished, match="10 of its rows in 2 open parts"):
        run(Run(progress_of(3)))


class Refusing(FakeFrame):
    """A DataFrame whose writer refuses to start, with an error of Spark."""

    def __init__(self, error: Exception) -> None:
        super().__init__()

        def start(*_: object, **__: object) -> None:
            raise error

        self.writeStream.start = start  # type: ignore[attr-defined]


REFUSALS = {
    "classic": "An error occurred while calling o9.start.\n: stoplog.error.X: {}\n\tat stoplog.A",
    "argument": "{}\n\nJVM stacktrace:\nstoplog.error.StoplogArgumentException\n\tat stoplog.A",
    "connect": "(java.lang.IllegalArgumentException) {}",
}


@pytest.mark.parametrize("text", REFUSALS.values(), ids=REFUSALS.keys())
def test_a_refusal_of_the_start_is_one_class_with_a_condition(text: str) -> None:
    said = "[STOPLOG_SCHEMA_CHANGED] The type has changed. SQLSTATE: 42K09"
    cause = RuntimeError(text.format(said))
    frame: Any = Refusing(cause)
    with pytest.raises(stoplog.StartRefused) as refused:
        SINK.write_stream(frame, "/cp").start()
    assert (refused.value.condition, str(refused.value)) == ("STOPLOG_SCHEMA_CHANGED", said)
    assert refused.value.__cause__ is cause


def test_an_error_of_spark_at_the_start_stays_as_it_is() -> None:
    cause = RuntimeError("[TABLE_OR_VIEW_NOT_FOUND] no table")
    frame: Any = Refusing(cause)
    with pytest.raises(RuntimeError) as raised:
        SINK.write_stream(frame).start()
    assert raised.value is cause
