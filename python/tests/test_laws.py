# SPDX-License-Identifier: Apache-2.0
# mypy: disable-error-code="no-untyped-call"
"""The laws of user code: the examples of the guide keep them, and wrong code is caught by name."""

from __future__ import annotations

import importlib
import inspect
import os
import shutil
import sqlite3
import sys
import time
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pyarrow as pa
import pytest

from stoplog import CheckpointCommitter, CommitOutcome, Prepared, Staged, WriteAheadTarget
from stoplog.testing import (
    LawBroken,
    _elsewhere,
    check_checkpoint_committer,
    check_two_phase,
    check_write_ahead,
)
from stoplog.testing._two_phase_laws import TwoPhaseLaws

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "own-sinks"))

from sqlite_sink import SqliteSink
from transactional_files import LinesCommitter, LinesWriter, TransactionalFiles
from write_ahead_targets import Printed, RestApi, SqliteNotes


def check(sink: TransactionalFiles) -> None:
    directory = sink.directory
    check_two_phase(sink, read=lambda: [line for file in directory.glob("*.txt") for line in file.open()])


def test_the_transactional_files_keep_the_laws(tmp_path: Path) -> None:
    check(TransactionalFiles(tmp_path))


def test_the_sink_of_sqlite_keeps_the_laws(tmp_path: Path) -> None:
    database = str(tmp_path / "shop.db")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER, name TEXT)")

    def read() -> list[Any]:
        with closing(sqlite3.connect(database)) as connection:
            return connection.execute("SELECT id, name FROM orders").fetchall()

    rows = [pa.RecordBatch.from_pydict({"id": [1, 2], "name": ["a", None]})]
    check_two_phase(SqliteSink(database, "orders"), rows, read)


class Again(TransactionalFiles):
    def committer(self) -> Any:
        return AgainCommitter(self.directory)


class AgainCommitter(LinesCommitter):
    def commit(self, prepared: Prepared) -> CommitOutcome:
        shutil.copy(self.staging / prepared.token.decode(), self.directory / f"{time.time_ns()}.txt")
        return CommitOutcome.COMMITTED


class Copying(TransactionalFiles):
    def committer(self) -> Any:
        return CopyingCommitter(self.directory)


class CopyingCommitter(LinesCommitter):
    """Is idempotent only if nobody dies in the middle."""

    def commit(self, prepared: Prepared) -> CommitOutcome:
        staged, final = (at / prepared.token.decode() for at in (self.staging, self.directory))
        if final.exists():
            return CommitOutcome.ALREADY_COMMITTED
        if not staged.exists():
            return CommitOutcome.LOST
        with final.open("w") as out:
            for line in staged.open():
                out.write(line)
        staged.unlink()
        return CommitOutcome.COMMITTED


class Racing(TransactionalFiles):
    def committer(self) -> Any:
        return RacingCommitter(self.directory)


class RacingCommitter(LinesCommitter):
    """Is idempotent only in a single process at a time."""

    def commit(self, prepared: Prepared) -> CommitOutcome:
        staged, final = (at / prepared.token.decode() for at in (self.staging, self.directory))
        if not staged.exists():
            return CommitOutcome.ALREADY_COMMITTED if final.exists() else CommitOutcome.LOST
        staged.rename(final)
        return CommitOutcome.COMMITTED


class OfThisHost(TransactionalFiles):
    def writer(self, task: Any) -> Any:
        return PathWriter(self.directory / "_staging" / f"{task.id}.txt")


class PathWriter(LinesWriter):
    def prepare(self) -> list[Prepared]:
        super().prepare()
        return [Prepared(str(self.file).encode(), self.rows)]


class Visible(TransactionalFiles):
    def writer(self, task: Any) -> Any:
        return LinesWriter(self.directory / f"{task.id}.txt")


class OtherTokens(TransactionalFiles):
    def committer(self) -> Any:
        return OtherTokensCommitter(self.directory)


class OtherTokensCommitter(LinesCommitter):
    def staged(self) -> list[Staged]:
        return [Staged(b"staged " + each.token, each.modified_at) for each in super().staged()]


class Silent(TransactionalFiles):
    def committer(self) -> Any:
        return SilentCommitter(self.directory)


class SilentCommitter(LinesCommitter):
    def commit(self, prepared: Prepared) -> Any:
        super().commit(prepared)


class OnePerPartition(TransactionalFiles):
    """Has the same file for all attempts of a task."""

    def writer(self, task: Any) -> Any:
        file = self.directory / "_staging" / f"{task.epoch}-{task.partition}.txt"
        file.unlink(missing_ok=True)
        return LinesWriter(file)


class Newest(TransactionalFiles):
    def committer(self) -> Any:
        return NewestCommitter(self.directory)


class NewestCommitter(LinesCommitter):
    """Replaces the rows of other tasks."""

    def commit(self, prepared: Prepared) -> CommitOutcome:
        staged, done = (at / prepared.token.decode() for at in (self.staging, self.directory / "_done"))
        done.parent.mkdir(exist_ok=True)
        if done.exists():
            return CommitOutcome.ALREADY_COMMITTED
        shutil.copy(staged, self.directory / "epoch.txt")
        staged.rename(done)
        return CommitOutcome.COMMITTED


class OnlyFirst(TransactionalFiles):
    def committer(self) -> Any:
        return OnlyFirstCommitter(self.directory)


class OnlyFirstCommitter(LinesCommitter):
    def commit_all(self, prepared: list[Prepared]) -> list[CommitOutcome]:
        return [self.commit(prepared[0])] * len(prepared)


class Remembering(TransactionalFiles):
    def committer(self) -> Any:
        return RememberingCommitter(self.directory)


class RememberingCommitter(LinesCommitter):
    """Looks for committed rows only at the start of a process."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.before = {file.name.split("+")[0] for file in directory.glob("*.txt")}

    def commit(self, prepared: Prepared) -> CommitOutcome:
        name = prepared.token.decode()
        if name in self.before:
            return CommitOutcome.ALREADY_COMMITTED
        shutil.copy(self.staging / name, self.directory / f"{name}+{time.time_ns()}.txt")
        return CommitOutcome.COMMITTED

    def staged(self) -> list[Staged]:
        return []


class InMillis(TransactionalFiles):
    def committer(self) -> Any:
        return InMillisCommitter(self.directory)


class InMillisCommitter(LinesCommitter):
    def staged(self) -> list[Staged]:
        return [Staged(each.token, each.modified_at * 1000) for each in super().staged()]


@pytest.mark.parametrize(
    ("wrong", "law"),
    [
        (OnePerPartition, "an attempt of a task does not disturb another attempt of the task: commit"),
        (Newest, "each commit makes its rows visible, and leaves other rows visible: readers do not see"),
        (OnlyFirst, "commits of one process have an outcome each, also if they are repeated: commit"),
        (Remembering, "commits of one process have an outcome each, also if they are repeated: commit"),
        (InMillis, "staged rows have the time of their last change: modified_at is"),
        (Again, "a commit is idempotent, from any process: commit returned COMMITTED instead"),
        (
            Copying,
            r"a commit that was killed is repeated \(killed at line \d+ of commit\): readers do not see",
        ),
        (Racing, "user code does not fail: FileNotFoundError"),
        (OfThisHost, "a token is valid on every machine: the token"),
        (Visible, "readers see no row before its commit: readers see the row 'a\\\\n'"),
        (OtherTokens, "prepared rows are staged until their commit or abort"),
        (Silent, "user code returns valid results: commit returned None. Return CommitOutcome"),
    ],
)
def test_a_wrong_sink_is_caught_by_name(tmp_path: Path, wrong: type[TransactionalFiles], law: str) -> None:
    with pytest.raises(LawBroken, match=law):
        check(wrong(tmp_path))


class Fleeting(TransactionalFiles):
    """Shows the rows of `prepare` before a single line of code."""

    def writer(self, task: Any) -> Any:
        return FleetingWriter(self.directory / "_staging" / f"{task.id}.txt")


class FleetingWriter(LinesWriter):
    def prepare(self) -> list[Prepared]:
        found: list[Prepared] = super().prepare()
        seen = self.file.parents[1] / self.file.name
        os.link(self.file, seen)
        seen.unlink()
        return found


class LaterFleeting(Fleeting):
    """Executes one more line before."""

    def writer(self, task: Any) -> Any:
        return super().writer(task)


@pytest.mark.parametrize(("sink", "calls"), [(Fleeting, 1), (LaterFleeting, 1), (Fleeting, 40)])
def test_rows_that_are_visible_before_a_single_line_are_caught(
    tmp_path: Path, sink: type[Fleeting], calls: int
) -> None:
    rows = [pa.RecordBatch.from_pydict({"value": [f"{n}"]}) for n in range(calls)]
    law = r"an attempt that was killed leaves nothing visible, .* \(killed at line \d+ of prepare\): readers"
    with pytest.raises(LawBroken, match=law):
        TwoPhaseLaws(sink(tmp_path), rows, lambda: tmp_path.glob("*.txt"))._kill_writers()


def repeated() -> int:
    total = 0
    for number in range(1000):
        total += number
    return total


def test_a_loop_does_not_hide_the_lines_after_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    points = _elsewhere.kill_points(repeated, of=None)
    start = repeated.__code__.co_firstlineno
    assert [(each.line - start, each.nth) for each in points] == [
        *[(1, 1), (2, 1), (3, 1)],
        *[(3, 1000), (2, 1001), (4, 1)],
    ]
    monkeypatch.setattr(_elsewhere, "_MOST_POINTS", 4)
    with pytest.warns(UserWarning, match="killed at 4 of 6 points of user code, which include the last 2"):
        assert _elsewhere.kill_points(repeated, of=None) == [points[0], points[2], *points[4:]]
    ended = [_elsewhere.killed_at(each, repeated, None) for each in points]
    assert [each.line for each in ended] == [str(point) for point in points]


def test_code_in_a_directory_lib_and_in_an_installed_package_is_killed_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "lib" / "copying_in_lib.py"
    module.parent.mkdir()
    code = (inspect.getsource(each) for each in (Copying, CopyingCommitter))
    module.write_text(
        "from typing import Any\nfrom stoplog import CommitOutcome\nfrom transactional_files import *\n"
        + "\n\n".join(code)
    )
    monkeypatch.syspath_prepend(module.parent)
    sink = importlib.import_module("copying_in_lib").Copying
    (tmp_path / "one").mkdir()
    with pytest.raises(LawBroken, match=r"killed at line \d+ of commit"):
        check(sink(tmp_path / "one"))
    monkeypatch.setattr(_elsewhere, "_is_installed", lambda _: True)
    (tmp_path / "two").mkdir()
    with pytest.raises(LawBroken, match=r"killed at line \d+ of commit"):
        check(Copying(tmp_path / "two"))


def test_the_target_of_the_standard_output_keeps_the_laws() -> None:
    check_write_ahead(Printed())


def test_the_target_of_a_web_server_keeps_the_laws() -> None:
    bodies: dict[str, bytes] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            bodies[self.headers["Idempotency-Key"]] = body
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        check_write_ahead(RestApi(f"http://127.0.0.1:{server.server_port}"), read=lambda: bodies.values())
        server.shutdown()
    assert list(bodies.values()) == [b'[{"value": "a"}, {"value": "b"}, {"value": "c"}]']


class Forgetful(WriteAheadTarget):
    """Keeps rows of an epoch in a file that the next epoch replaces."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def send_values(self, batch: Any, epoch: object, time: object) -> bool:
        rows = [row["value"] for row in batch.to_pylist()]
        kept = rows[: 3 if not self.file.exists() else 1]
        self.file.write_text("\n".join(kept))
        return True


class Unsaid(WriteAheadTarget):
    def send_values(self, batch: Any, epoch: object, time: object) -> Any:
        return None


def test_a_wrong_target_is_caught_by_name(tmp_path: Path) -> None:
    file = tmp_path / "rows"
    with pytest.raises(LawBroken, match=r"rows that are sent again arrive: the row 'b' and 1 others is gone"):
        check_write_ahead(Forgetful(file), read=lambda: file.read_text().splitlines())
    with pytest.raises(LawBroken, match=r"send_values returned None\. Return True after the target"):
        check_write_ahead(Unsaid())


class InMemory(CheckpointCommitter):
    """Notes that die with the process."""

    def open(self) -> None:
        self.notes: set[str] = set()

    def is_committed(self, chunk: Any) -> bool:
        return chunk.name in self.notes

    def commit(self, chunk: Any) -> None:
        self.notes.add(chunk.name)


class ForgetsTheEpoch(SqliteNotes):
    def forget_before(self, query: str, epoch: int) -> None:
        super().forget_before(query, epoch + 1)


class ForgetsOthers(SqliteNotes):
    def forget_before(self, query: str, epoch: int) -> None:
        self.connection.execute("DELETE FROM sent WHERE epoch < ?", [epoch])


def test_notes_in_sqlite_keep_the_laws_and_notes_in_memory_do_not(tmp_path: Path) -> None:
    check_checkpoint_committer(SqliteNotes(str(tmp_path / "notes.db")))
    with pytest.raises(LawBroken, match="a note is durable"):
        check_checkpoint_committer(InMemory())
    for wrong, which in ((ForgetsTheEpoch, "of epoch 8"), (ForgetsOthers, "of another query")):
        with pytest.raises(LawBroken, match=f"^forget_before deletes only .* for a chunk {which}"):
            check_checkpoint_committer(wrong(str(tmp_path / f"{which}.db")))
