# SPDX-License-Identifier: Apache-2.0
"""The laws of write-ahead targets and checkpoint committers in Python."""

from __future__ import annotations

import base64
import pickle
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from stoplog._python import carrier
from stoplog._python.sending import NotesSide, PackingSide, TargetSide
from stoplog.testing._elsewhere import elsewhere, kill_points, killed_at
from stoplog.testing._two_phase_laws import _hashable, _lawful, _one
from stoplog.testing.laws import LawBroken

if TYPE_CHECKING:
    from stoplog.write_ahead_target import CheckpointCommitter, WriteAheadTarget

_MILLIS = 1_767_225_600_000


@dataclass
class WriteAheadLaws:
    """Checks a target that is empty; the attributes are those of `TwoPhaseLaws`."""

    target: WriteAheadTarget
    rows: list[Any]
    read: Callable[[], Iterable[Any]] | None

    def check(self) -> None:
        """Checks all laws; raises `LawBroken`."""
        _lawful("the target can be sent", lambda: carrier.function_text(TargetSide(self.target), self.target))
        self.target = pickle.loads(carrier.pickled(self.target, self.target))
        self._sent("after True, each row has arrived")
        once = self._seen()
        if self.read is not None and not once:
            raise LawBroken("after True, each row has arrived", "read returned no row.")
        self._sent("rows that are sent again arrive")
        self._missing("rows that are sent again arrive", once)
        for point in kill_points(self._send, self.target):
            ended = killed_at(point, self._send, self.target)
            law = f"rows whose sending was killed are sent again (killed at {ended.line})"
            self._sent(law)
            self._missing(law, once)

    def _sent(self, law: str) -> None:
        if not elsewhere(self._send):
            raise LawBroken(law, "send_values returned False.")

    def _send(self) -> bool:
        side = TargetSide(self.target)
        packed = [data for batch in PackingSide().run(self.rows) for data in batch.column(0).to_pylist()]
        sent = all(side.send_values(base64.b64encode(data).decode("ascii"), 7, _MILLIS) for data in packed)
        side.close()
        return sent

    def _missing(self, law: str, once: Counter[Any]) -> None:
        missing = once - self._seen()
        if missing:
            raise LawBroken(law, f"{_one(missing)} is gone.")

    def _seen(self) -> Counter[Any]:
        return Counter() if self.read is None else Counter(_hashable(row) for row in self.read())


@dataclass
class NotesLaws:
    """Checks a checkpoint committer without notes."""

    committer: CheckpointCommitter

    def check(self) -> None:
        """Checks all laws; raises `LawBroken`."""
        user = self.committer
        _lawful("the committer can be sent", lambda: carrier.function_text(NotesSide(user), user))
        self.committer = pickle.loads(carrier.pickled(user, user))
        last = 1_000_000  # no other chunk has this number
        points = kill_points(partial(self._note, last), self.committer)
        for number, point in enumerate(points, start=1):
            if self._is_noted(number):
                raise LawBroken("a chunk has a note only after commit", "is_committed returned True before.")
            ended = killed_at(point, partial(self._note, number), self.committer)
            for _ in range(2):
                elsewhere(partial(self._note, number))
            if not self._is_noted(number):
                raise LawBroken(
                    f"a note is durable (killed at {ended.line}, then written again)",
                    "is_committed returned False in another process.",
                )
        kept = {"of epoch 8": ("laws", 8), "of another query": ("other", 7)}
        for query, epoch in kept.values():
            elsewhere(partial(self._note, last, query, epoch))
        elsewhere(lambda: NotesSide(self.committer).forget_before("laws", 8))
        for which, (query, epoch) in kept.items():
            if not self._is_noted(last, query, epoch):
                raise LawBroken(
                    "forget_before deletes only the notes of earlier epochs of the query",
                    f"After forget_before(query, 8), is_committed returned False for a chunk {which}.",
                )
        if self._is_noted(0):
            raise LawBroken("a chunk has a note only after commit", "is_committed returned True before.")

    def _note(self, number: int, query: str = "laws", epoch: int = 7) -> None:
        side = NotesSide(self.committer)
        side.commit(query, f"chunk-{query}-{epoch}-{number}", epoch, number, 3)
        side.close()

    def _is_noted(self, number: int, query: str = "laws", epoch: int = 7) -> bool:
        side = NotesSide(self.committer)
        name = f"chunk-{query}-{epoch}-{number}"
        return bool(elsewhere(lambda: side.is_committed(query, name, epoch, number, 3)))
