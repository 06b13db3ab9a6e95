# SPDX-License-Identifier: Apache-2.0
"""Two queries with one target of a two-phase sink: recovery of one leaves the output of the other."""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import stoplog
from stoplog._python.committing import CommitterSide
from stoplog._python.model import StagedLost
from stoplog._python.owner import task_id

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "own-sinks"
sys.path.insert(0, str(EXAMPLES))

from transactional_files import TransactionalFiles  # noqa: E402

ONE, TWO = "d3b07384-d9a0-4c9b-8f6e-2f4a1c7e5b60", "e3b07384-d9a0-4c9b-8f6e-2f4a1c7e5b60"


def prepared(sink: TransactionalFiles, query: str | None, epoch: int | None) -> str:
    """The token of a row that a task has prepared."""
    task = stoplog.WriterTask(task_id(query, epoch, 0), "run", epoch, 0, 0)
    writer = sink.writer(task)
    writer.write(pa.RecordBatch.from_pydict({"value": [f"row of {query}"]}))
    (found,) = writer.prepare()
    return base64.b64encode(found.token).decode()


def recovered(sink: stoplog.TwoPhaseSink, query: str) -> list[str]:
    """Recovers a query whose log names no output, and returns the tokens of the undone output."""
    side = CommitterSide(sink)
    found = [token for token, _ in side.staged(query)]
    for token in found:
        side.abort(token, 0)
    return found


def test_recovery_undoes_the_output_of_its_query_only(tmp_path: Path) -> None:
    sink = TransactionalFiles(tmp_path)
    own, other, batch = prepared(sink, ONE, 7), prepared(sink, TWO, 7), prepared(sink, None, None)
    assert recovered(sink, ONE) == [own]
    CommitterSide(sink).refuse_lost([other, batch])
    (outcome,) = CommitterSide(sink).commit([["", 1, other, 1, 0]])
    assert outcome == "committed"
    assert [file.read_text() for file in tmp_path.glob("*.txt")] == [f"row of {TWO}\n"]


def test_recovery_undoes_output_without_the_id_of_a_task(tmp_path: Path) -> None:
    sink = TransactionalFiles(tmp_path)
    prepared(sink, ONE, 7)
    (tmp_path / "_staging" / "half.txt").touch()
    assert recovered(sink, TWO) == [base64.b64encode(b"half.txt").decode()]


def test_output_that_is_gone_is_refused_before_its_record(tmp_path: Path) -> None:
    sink = TransactionalFiles(tmp_path)
    own, gone = prepared(sink, ONE, 7), prepared(sink, ONE, 7)
    CommitterSide(sink).refuse_lost([own, gone])
    CommitterSide(sink).abort(gone, 0)
    with pytest.raises(StagedLost, match=r"no longer returns 1 of the outputs .*\. Restart the query"):
        CommitterSide(sink).refuse_lost([own, gone])


class Unlisted(stoplog.TwoPhaseCommitter):
    def commit(self, prepared: stoplog.Prepared) -> Any:
        raise AssertionError


class Unlisting(stoplog.TwoPhaseSink):
    def writer(self, task: object) -> Any: ...

    def committer(self) -> stoplog.TwoPhaseCommitter:
        return Unlisted()


def test_a_committer_without_a_list_of_its_output_is_not_queried() -> None:
    CommitterSide(Unlisting()).refuse_lost(["AAAA"])
