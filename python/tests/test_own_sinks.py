# SPDX-License-Identifier: Apache-2.0
"""The guide of sinks in Python shows the examples, and the refusals of what cannot be sent."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import threading
import zlib
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyspark
import pytest

import stoplog
from stoplog._python import carrier, guarding
from stoplog._python.committing import CommitterSide
from stoplog._python.model import WrongUse
from stoplog._python.task import WriterSide

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "own-sinks"
TASK = stoplog.WriterTask("7-3-a", "run", 7, 3, 0)


@pytest.mark.parametrize(
    ("page", "example", "least"),
    [("own-sink.md", "transactional_files.py", 40), ("wal.md", "write_ahead_targets.py", 5)],
)
def test_the_guide_shows_the_example(page: str, example: str, least: int) -> None:
    text = (ROOT / "docs" / "beyond-files" / page).read_text(encoding="utf-8")
    shown = [block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "class " in block]
    lines = [line for line in shown[0].split("\n\n\nsink =")[0].splitlines() if line.strip()]
    code = [line for line in (EXAMPLES / example).read_text(encoding="utf-8").splitlines() if line.strip()]
    first = code.index(lines[0])
    assert len(lines) >= least
    assert [line for line in code[first:] if '"""' not in line][: len(lines)] == [
        line for line in lines if '"""' not in line
    ]


def test_the_shortest_sink_of_the_guide_has_at_most_fifty_lines() -> None:
    code = (EXAMPLES / "transactional_files.py").read_text(encoding="utf-8")
    lines = [line for line in code[code.index("import os") :].splitlines() if line.strip()]
    assert len(lines) <= 50


@pytest.mark.parametrize(
    ("file", "name", "arguments"),
    [
        (EXAMPLES / "transactional_files.py", "TransactionalFiles", []),
        (EXAMPLES / "sqlite_sink.py", "SqliteSink", ["orders"]),
        (ROOT / "python/stoplog/templates/sink/order_files.py", "OrderFiles", []),
    ],
)
def test_an_example_forces_prepared_rows_to_the_disk(
    file: Path, name: str, arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced: dict[int, int] = {}
    monkeypatch.setattr(os, "fsync", lambda fd: forced.update({os.fstat(fd).st_ino: os.fstat(fd).st_size}))
    writer = runpy.run_path(str(file))[name](str(tmp_path / "out"), *arguments).writer(TASK)
    writer.write(pa.RecordBatch.from_pydict({"id": ["1", "2"]}))
    writer.prepare()
    (staged,) = [each for each in tmp_path.rglob("*") if each.is_file()]
    assert forced == {staged.stat().st_ino: staged.stat().st_size}


class Sink(stoplog.TwoPhaseSink):
    def __init__(self, **attributes: Any) -> None:
        self.__dict__ |= attributes

    def writer(self, task: stoplog.WriterTask) -> Any:
        return Writer()

    def committer(self) -> Any:
        return None


class Writer(stoplog.TwoPhaseWriter):
    def write(self, batch: Any) -> None: ...

    def prepare(self) -> list[stoplog.Prepared]:
        return []


def test_an_attribute_that_cannot_be_pickled_is_refused_by_name() -> None:
    sink = Sink(lock=threading.Lock())
    reason = r"Sink cannot be sent to another process: its attribute lock is a _thread\.lock"
    with pytest.raises(TypeError, match=reason):
        carrier.function_text(CommitterSide(sink), sink)


def test_an_attribute_with_the_name_of_a_secret_is_refused_without_its_value() -> None:
    sink = Sink(password="hunter2")
    with pytest.raises(ValueError, match=r"Sink\.password would be sent with the query") as refused:
        carrier.function_text(CommitterSide(sink), sink)
    assert "hunter2" not in str(refused.value)


def test_the_source_of_a_module_is_read_if_its_loader_does_not_return_it() -> None:
    spec = find_spec("stoplog._python.model")
    assert spec is not None
    spec.loader = None  # the loader by which pytest rewrites assertions returns no source
    assert "class WriterTask" in carrier._source(spec)


def test_what_is_sent_opens_where_the_package_is_not_installed(tmp_path: Path) -> None:
    sink = Sink(name="shop")
    code = "\n".join(
        [
            "import base64, importlib, pickle, sys",
            "sys.meta_path[:] = [each for each in sys.meta_path if 'editable' not in repr(each).lower()]",
            "sys.path[:] = [entry for entry in sys.path if not entry.endswith('/python')]",
            "made = pickle.loads(base64.b64decode(sys.stdin.read()))()",
            "import stoplog",
            "for name in sys.argv[1:]:",
            "    importlib.import_module(name)",
            "print(made._sink.name, stoplog.Prepared(b'', 1), vars(stoplog).get('__file__'))",
        ]
    )
    # The module of the class travels with the class.
    text = carrier.function_text(CommitterSide(sink), sink)
    done = subprocess.run(
        [sys.executable, "-c", code, *carrier._SENT],
        input=text,
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("shop Prepared(")
    assert done.stdout.endswith(") None\n"), "the package of the test was found"


def test_a_worker_opens_what_several_releases_have_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink, model = Sink(name="shop"), "stoplog._python.model"
    own, texts = carrier._sources(), list[str]()
    for release in (1, 2, 1):
        _, code = own[model]
        changed = zlib.compress(zlib.decompress(code) + f"\nRELEASE = {release}\n".encode())
        monkeypatch.setattr(carrier, "_sources", lambda changed=changed: own | {model: (False, changed)})
        texts.append(carrier.function_text(CommitterSide(sink), sink))
    program = "\n".join(
        [
            "import base64, pickle, sys",
            "sys.meta_path[:] = [each for each in sys.meta_path if 'editable' not in repr(each).lower()]",
            "sys.path[:] = [entry for entry in sys.path if not entry.endswith('/python')]",
            "for text in sys.stdin.read().split():",
            "    pickle.loads(base64.b64decode(text))()",
            f"    print(sys.modules['{model}'].RELEASE)",
        ]
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input="\n".join(texts),
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["1", "2", "1"]


@pytest.mark.parametrize(
    ("returned", "said"),
    [
        (
            None,
            "prepare returned None. Return a list of Prepared, which is empty if there is nothing to commit.",
        ),
        ([b"x"], "prepare returned a list. Return a list of Prepared"),
        (
            [stoplog.Prepared(b"x" * 65_537, 1)],
            "has 65,537 bytes, and the log stores up to 65,536. Store the data",
        ),
        ([stoplog.Prepared("x", 1)], "The token of Prepared is a str. Use bytes, such as name.encode()."),  # type: ignore[arg-type]
        (
            [stoplog.Prepared(b"x", 1, metrics={"seconds": 1.7})],  # type: ignore[dict-item]
            "'seconds' of Prepared is 1.7. Use names, and whole numbers from 0.",
        ),
        ([stoplog.Prepared(b"x", 1, size_bytes=2**63)], "'size_bytes' of Prepared is 9223372036854775808."),
        ([stoplog.Prepared(b"x", -1)], "The rows of Prepared are -1. Use the number of rows."),
    ],
)
def test_a_wrong_result_of_prepare_is_one_sentence_with_the_repair(returned: object, said: str) -> None:
    with pytest.raises(WrongUse, match=re.escape(said)):
        guarding.prepared(returned, TASK, 1)


def test_prepared_output_gets_a_name_and_the_version_of_the_sink() -> None:
    found = guarding.prepared([stoplog.Prepared(b"x", 1), stoplog.Prepared(b"y", 1, name="own")], TASK, 7)
    assert [(each.name, each.version) for each in found] == [("7-3-a", 7), ("own", 7)]


def test_a_writer_is_prepared_once_and_writes_before() -> None:
    writing = guarding.Writing(Sink(), TASK)
    writing.write(None)
    writing.prepare()
    with pytest.raises(WrongUse, match="prepare was called after prepare"):
        writing.prepare()
    with pytest.raises(WrongUse, match="write was called after prepare"):
        writing.write(None)


def test_outcomes_are_one_for_each_output() -> None:
    requested = [stoplog.Prepared(b"x", 1)] * 2
    with pytest.raises(WrongUse, match="commit_all returned 1 outcomes for 2 outputs"):
        guarding.outcomes([stoplog.CommitOutcome.LOST], requested, "commit_all")
    with pytest.raises(WrongUse, match="committer returned an object without a method commit"):
        CommitterSide(Sink()).commit([["n", 1, "", 1, 1]])


class Recording(stoplog.TwoPhaseSink):
    """Notes the calls of its writers."""

    def __init__(self, failing: str = "") -> None:
        self.failing, self.calls = failing, list[Any]()

    def writer(self, task: stoplog.WriterTask) -> Any:
        self.calls.append(task)
        return RecordingWriter(self)

    def committer(self) -> Any:
        raise NotImplementedError

    def note(self, call: str) -> None:
        self.calls.append(call)
        if call == self.failing:
            raise OSError("no room")


class RecordingWriter(stoplog.TwoPhaseWriter):
    def __init__(self, sink: Recording) -> None:
        self.sink = sink

    def write(self, batch: Any) -> None:
        self.sink.note("write")

    def prepare(self) -> list[stoplog.Prepared]:
        self.sink.note("prepare")
        return [stoplog.Prepared(b"token", 3, metrics={"letters": 7})]

    def abort(self) -> None:
        self.sink.note("abort")


QUERY = "d3b07384-d9a0-4c9b-8f6e-2f4a1c7e5b60"


def ran(
    sink: Recording,
    plan: str | None,
    monkeypatch: pytest.MonkeyPatch,
    batches: int = 2,
) -> list[Any]:
    properties = {"stoplog.plan": plan, "spark.jobGroup.id": "run-1", "sql.streaming.queryId": QUERY}
    context = SimpleNamespace(
        getLocalProperty=properties.get,
        partitionId=lambda: 3,
        attemptNumber=lambda: 1,
    )
    monkeypatch.setattr(pyspark.TaskContext, "get", lambda: context)
    side = WriterSide(sink, "start-1", None)
    batch = pa.RecordBatch.from_pydict({"value": ["a"]})
    return [row for found in side.run([batch] * batches) for row in found.to_pylist()]


def test_a_task_passes_on_what_its_writer_has_prepared(monkeypatch: pytest.MonkeyPatch) -> None:
    sink = Recording()
    (row,) = ran(sink, "7:false", monkeypatch)
    task = sink.calls[0]
    assert (task.run, task.epoch, task.partition, task.attempt) == ("run-1", 7, 3, 1)
    assert re.fullmatch("qd3b07384d9a0-7-3-[0-9a-f]{32}", task.id)
    assert sink.calls[1:] == ["write", "write", "prepare"]
    assert row == {
        "name": task.id,
        "version": 1,
        "token": "dG9rZW4=",
        "rows": 3,
        "bytes": 0,
        "metrics": '{"letters": 7}',
    }


def test_a_committed_epoch_and_a_task_without_rows_have_no_writer(monkeypatch: pytest.MonkeyPatch) -> None:
    sink = Recording()
    assert ran(sink, "7:true", monkeypatch) == []
    assert ran(sink, "7:false", monkeypatch, batches=0) == []
    assert sink.calls == []


def test_a_batch_has_no_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    sink = Recording()
    ran(sink, None, monkeypatch)
    assert (sink.calls[0].run, sink.calls[0].epoch) == ("start-1", None)
    assert re.fullmatch("batch-3-[0-9a-f]{32}", sink.calls[0].id)


def test_a_writer_that_exits_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    class Leaving(Recording):
        def writer(self, task: Any) -> Any:
            sys.exit(3)

    with pytest.raises(
        RuntimeError, match="The Python method writer of Leaving failed in epoch 7, partition 3"
    ):
        ran(Leaving(), "7:false", monkeypatch)


@pytest.mark.parametrize(
    ("failing", "calls"), [("write", ["write", "abort"]), ("prepare", ["write", "write", "prepare", "abort"])]
)
def test_a_writer_that_fails_is_aborted_and_named(
    failing: str, calls: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sink = Recording(failing)
    said = (
        rf"\[STOPLOG_PYTHON_FAILED\] The Python method {failing} of Recording failed in epoch 7, partition 3"
    )
    with pytest.raises(RuntimeError, match=said) as failed:
        ran(sink, "7:false", monkeypatch)
    assert isinstance(failed.value.__cause__, OSError), "the user's own exception, with its traceback"
    assert sink.calls[1:] == calls
