# SPDX-License-Identifier: Apache-2.0
"""Laws for user code in Python, in ten lines of pytest.

def test_the_sink_keeps_its_promises(tmp_path):
    sink = TransactionalFiles(tmp_path)
    check_two_phase(sink, read=lambda: [line for file in tmp_path.glob("*.txt") for line in file.open()])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from stoplog.testing._announcement_laws import AnnouncementLaws
from stoplog.testing._two_phase_laws import TwoPhaseLaws
from stoplog.testing._write_ahead_laws import NotesLaws, WriteAheadLaws

if TYPE_CHECKING:
    from stoplog.announcement_target import AnnouncementTarget
    from stoplog.two_phase import TwoPhaseSink
    from stoplog.write_ahead_target import CheckpointCommitter, WriteAheadTarget

__all__ = ["check_announcement_target", "check_checkpoint_committer", "check_two_phase", "check_write_ahead"]


def check_two_phase(
    sink: TwoPhaseSink,
    rows: Sequence[Any] | None = None,
    read: Callable[[], Iterable[Any]] | None = None,
) -> None:
    """Checks the laws of a two-phase sink, in processes that are killed and halted at each line of the sink.

    The laws: readers see no row before its commit; a commit is idempotent, also if killed, or repeated by
    the same process, or by another process at the same time; a commit leaves other rows visible; killed and
    aborted attempts leave nothing visible, and do not disturb other attempts of the task; `staged` finds
    prepared rows and their time; aborted rows are lost; tokens are valid on every machine; the sink can be
    sent to Spark.

    A line that is repeated is tested before its first and its last execution. A warning has the number of
    tests that are left out, if a method has more than 200.

    Args:
        sink: a sink with an empty target.
        rows: what `write` receives, call by call: Arrow record batches, or `Row` objects. By default a batch
            of the column `value` with three texts.
        read: returns the rows that a reader of the target sees. Without `read`, no law about rows is checked.

    Raises:
        LawBroken: the sink breaks a law; the text names the law.
    """
    TwoPhaseLaws(sink, list(rows) if rows is not None else [_three()], read).check()


def check_write_ahead(
    target: WriteAheadTarget,
    rows: Sequence[Any] | None = None,
    read: Callable[[], Iterable[Any]] | None = None,
) -> None:
    """Checks the laws of a write-ahead target, in processes that are killed at each line of the target.

    The laws: after True, each row has arrived; a repeated call loses nothing; rows that another process sends
    again arrive; the target can be sent to Spark.

    Args:
        target: a target that is empty.
        rows: Arrow record batches; by default a batch of the column `value` with three texts.
        read: returns the rows that have arrived. Without `read`, no law about rows is checked.

    Raises:
        LawBroken: the target breaks a law; the text names the law.
    """
    WriteAheadLaws(target, list(rows) if rows is not None else [_three()], read).check()


def check_announcement_target(target: AnnouncementTarget, received: Callable[[], Iterable[str]]) -> None:
    """Checks the laws of a target of announcements, in processes that are killed at each line of the target.

    The laws: announcements arrive in order; a check delivers nothing; a repeated delivery succeeds and loses
    nothing, also after a kill; each kind of change is accepted; the target can be sent to Spark. A target
    with `position` also receives each announcement once, and returns the newest position.

    Args:
        target: a target of an empty receiver.
        received: returns the ids of the received announcements, in the order of their arrival.

    Raises:
        LawBroken: the target breaks a law; the text names the law.
    """
    AnnouncementLaws(target, received).check()


def check_checkpoint_committer(committer: CheckpointCommitter) -> None:
    """Checks the laws of a checkpoint committer without notes, in processes that are killed at each line.

    The laws: a note is durable, other processes see it, writing it again is no error, a chunk has a note only
    after `commit`, and `forget_before` deletes no other notes.

    Raises:
        LawBroken: the committer breaks a law; the text names the law.
    """
    NotesLaws(committer).check()


def _three() -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_pydict({"value": ["a", "b", "c"]})
