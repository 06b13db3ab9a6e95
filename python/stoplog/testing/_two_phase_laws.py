# SPDX-License-Identifier: Apache-2.0
"""The laws of a two-phase sink in Python."""

from __future__ import annotations

import base64
import itertools
import pickle
import re
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoplog._python import carrier
from stoplog._python.committing import CommitterSide
from stoplog._python.guarding import Writing
from stoplog._python.model import CommitOutcome, Prepared, WriterTask, WrongUse
from stoplog.testing._elsewhere import Point, elsewhere, halted_at, kill_points, killed_at
from stoplog.testing.laws import LawBroken

if TYPE_CHECKING:
    from stoplog.two_phase import TwoPhaseSink

_MOST_SECONDS_APART = 300
"""The largest difference between the clocks of a target and of this machine."""

Read = Callable[[], Iterable[Any]]


@dataclass
class TwoPhaseLaws:
    """Checks a sink with an empty target.

    Attributes:
        sink: the user's sink.
        rows: what `write` of a writer receives, call by call.
        read: returns the committed rows as a reader sees them; `None` leaves out the laws about rows.
    """

    sink: TwoPhaseSink
    rows: list[Any]
    read: Read | None
    _numbers: itertools.count[int] = field(default_factory=itertools.count)
    _once: Counter[Any] | None = None
    _committed: int = 0
    _by_key: bool = False

    def check(self) -> None:
        """Checks all laws; raises `LawBroken`."""
        _lawful("the sink can be sent", lambda: carrier.function_text(CommitterSide(self.sink), self.sink))
        pickled = carrier.pickled(self.sink, self.sink)
        self.sink = pickle.loads(pickled)  # as the tasks and the driver get it
        self._writers()
        first = self._prepared_rows()
        self._tokens(first)
        self._see("readers see no row before its commit")
        self._commit_once(first)
        self._commit_several(first)
        self._attempts()
        self._kill_commits()
        self._halt_commits()
        self._kill_writers()
        self._abort()

    def _writers(self) -> None:
        tasks = [self._task() for _ in range(2)]

        def same() -> bool:
            one, other = map(self.sink.writer, tasks)
            return one is other

        if elsewhere(same):
            raise LawBroken(
                "each attempt has a writer of its own",
                "writer returned the same object twice. Create a new object in each call.",
            )

    def _tokens(self, prepared: list[Prepared]) -> None:
        for each in prepared:
            text = each.token.decode("utf-8", errors="ignore")
            here = [path for path in re.findall(r"/[\w.+@-]+(?:/[\w.+@-]+)*", text) if _exists_here(path)]
            here += [name for name in {socket.gethostname()} if name and name in text]
            if here:
                raise LawBroken(
                    "a token is valid on every machine",
                    f"the token {each.token[:100]!r} holds {here[0]}, "
                    "which is of this machine. Keep a name in the token, and the directory in the sink.",
                )

    def _commit_once(self, prepared: list[Prepared]) -> None:
        law = "a commit is idempotent, from any process"
        self._expect(law, self._commit(prepared), CommitOutcome.COMMITTED)
        self._once = None if self.read is None else self._rows_of_one()
        self._committed = 1
        for _ in range(2):
            self._expect(law, self._commit(prepared), CommitOutcome.ALREADY_COMMITTED)
            self._see(law)
        self._expect_staged(prepared, staged=False)
        self._commit(self._prepared_rows())
        self._by_key = self.read is not None and self._seen() == self._once
        self._committed += 1
        law = "each commit makes its rows visible, and leaves other rows visible"
        self._see(law)
        if self._by_key:  # or a commit replaces the rows of all other commits
            for half in self._halves():
                self._commit(self._prepared_rows(rows=half))
            self._see(law)

    def _commit_several(self, before: list[Prepared]) -> None:
        law = "commits of one process have an outcome each, also if they are repeated"
        one, two = self._prepared_rows(), self._prepared_rows()
        all_of_them = one + before + two
        first, second = elsewhere(lambda: self._called(all_of_them, all_of_them))
        new = CommitOutcome.COMMITTED
        self._expect(law, first[: len(one)], new)
        self._expect(law, first[len(one) : len(one + before)], CommitOutcome.ALREADY_COMMITTED)
        self._expect(law, first[len(one + before) :], new)
        self._expect(law, second, CommitOutcome.ALREADY_COMMITTED)
        self._committed += 2
        self._see(law)

    def _attempts(self) -> None:
        law = "an attempt of a task does not disturb another attempt of the task"
        for keeps_first in (True, False):
            both = [self._prepared_rows(task) for task in self._tasks_of_one_partition()]
            kept, aborted = both if keeps_first else both[::-1]
            for commits in (True, False):  # recovery may abort before and after a commit
                elsewhere(partial(self._aborts, aborted))
                if commits:
                    self._expect(law, self._commit(kept), CommitOutcome.COMMITTED)
                    self._committed += 1
                self._see(law)
        task, other = self._tasks_of_one_partition()
        prepared = self._prepared_rows(task)
        elsewhere(partial(self._give_up, other))
        self._expect(law, self._commit(prepared), CommitOutcome.COMMITTED)
        self._committed += 1
        self._see("an aborted writer leaves nothing visible, and does not disturb another attempt")

    def _kill_commits(self) -> None:
        law = "a commit that was killed is repeated"
        for point in self._points_of_commit():
            prepared = self._prepared_rows()
            ended = killed_at(point, partial(self._called, prepared), self.sink)
            outcomes = self._commit(prepared)
            self._committed += 1
            where = f"{law} (killed at {ended.line})"
            if CommitOutcome.LOST in outcomes:
                raise LawBroken(where, "the second commit returned LOST, and readers need the rows.")
            self._see(where)

    def _halt_commits(self) -> None:
        law = "two processes may commit at the same time"
        for point in self._points_of_commit():
            prepared = self._prepared_rows()
            commit = partial(self._called, prepared)
            ended = halted_at(point, commit, commit, self.sink)
            self._committed += 1
            self._see(f"{law} (halted at {ended.line})")

    def _points_of_commit(self) -> list[Point]:
        points = kill_points(partial(self._called, self._prepared_rows()), self.sink)
        self._committed += 1
        return points

    def _kill_writers(self) -> None:
        law = "an attempt that was killed leaves nothing visible, and staged finds what it leaves"
        for point in kill_points(partial(self._write, self._task()), self.sink):
            task = self._task()
            ended = killed_at(point, partial(self._write, task), self.sink)
            self._see(f"{law} (killed at {ended.line})")
            self._abort_staged()
            self._see(f"{law} (killed at {ended.line}, then aborted)")

    def _abort(self) -> None:
        prepared = self._prepared_rows()
        if not self._has("staged"):
            return
        self._expect_staged(prepared, staged=True)
        for _ in range(2):
            elsewhere(lambda: self._aborts(prepared))
        self._expect_staged(prepared, staged=False)
        self._expect("aborted rows are lost", self._commit(prepared), CommitOutcome.LOST)
        self._see("aborted rows are lost")

    # What the laws are made of.

    def _task(self) -> WriterTask:
        number = next(self._numbers)
        return WriterTask(f"7-{number}-laws{number:08x}", "laws", 7, number, 0)

    def _tasks_of_one_partition(self) -> list[WriterTask]:
        """Returns two attempts. A repeated stage or query counts its attempts from 0 again."""
        one, other = self._task(), self._task()
        return [one, replace(other, partition=one.partition)]

    def _halves(self) -> list[list[Any]]:
        """Returns the rows in two parts; nothing for a single row."""
        if len(self.rows) > 1:
            return [self.rows[:1], self.rows[1:]]
        count = getattr(self.rows[0], "num_rows", 0)
        if count < 2:
            return []
        return [[self.rows[0].slice(0, 1)], [self.rows[0].slice(1)]]

    def _write(self, task: WriterTask, rows: list[Any] | None = None) -> list[Prepared]:
        return self._written(task, rows).prepare()

    def _give_up(self, task: WriterTask) -> None:
        self._written(task).abort()

    def _written(self, task: WriterTask, rows: list[Any] | None = None) -> Writing:
        writing = Writing(self.sink, task)
        for each in rows or self.rows:
            writing.write(each)
        return writing

    def _prepared_rows(self, task: WriterTask | None = None, rows: list[Any] | None = None) -> list[Prepared]:
        found: list[Prepared] = elsewhere(partial(self._write, task or self._task(), rows))
        if not found:
            raise LawBroken(
                "rows are prepared", "prepare returned an empty list, although rows were written."
            )
        return found

    def _called(self, *calls: list[Prepared]) -> list[list[CommitOutcome]]:
        """Returns the outcomes of several calls of one process."""
        side = CommitterSide(self.sink)
        parts = [
            [
                [of.name, of.version, base64.b64encode(of.token).decode("ascii"), of.rows, of.size_bytes]
                for of in prepared
            ]
            for prepared in calls
        ]
        return [[CommitOutcome(word) for word in side.commit(call)] for call in parts]

    def _commit(self, prepared: list[Prepared]) -> list[CommitOutcome]:
        found: list[list[CommitOutcome]] = elsewhere(partial(self._called, prepared))
        return found[0]

    def _aborts(self, prepared: list[Prepared]) -> None:
        side = CommitterSide(self.sink)
        for each in prepared:
            side.abort(base64.b64encode(each.token).decode("ascii"), each.version)

    def _abort_staged(self) -> None:
        def abort() -> None:
            side = CommitterSide(self.sink)
            for token, _ in side.staged():
                side.abort(token, 0)

        elsewhere(abort)

    def _has(self, method: str) -> bool:
        from stoplog.two_phase import TwoPhaseCommitter

        own = getattr(TwoPhaseCommitter, method)
        return bool(elsewhere(lambda: getattr(type(self.sink.committer()), method, own) is not own))

    def _expect(self, law: str, found: list[CommitOutcome], wanted: CommitOutcome) -> None:
        wrong = [each for each in found if each is not wanted]
        if wrong:
            raise LawBroken(law, f"commit returned {wrong[0].name} instead of {wanted.name}.")

    def _expect_staged(self, prepared: list[Prepared], *, staged: bool) -> None:
        if not self._has("staged"):
            return
        found = dict(elsewhere(lambda: CommitterSide(self.sink).staged()))
        tokens = {base64.b64encode(each.token).decode("ascii") for each in prepared}
        if staged and not tokens <= found.keys():
            raise LawBroken(
                "prepared rows are staged until their commit or abort",
                "staged did not return the token of prepared rows. Return the same bytes as in Prepared.",
            )
        if not staged and tokens & found.keys():
            raise LawBroken("committed and aborted rows are not staged", "staged still returned their token.")
        now = time.time()
        for seconds in (found[token] / 1000 for token in tokens & found.keys()):
            if seconds and abs(seconds - now) > _MOST_SECONDS_APART:
                raise LawBroken(
                    "staged rows have the time of their last change",
                    f"modified_at is {seconds:.0f}, and now is {now:.0f}. Return seconds as in time.time(), "
                    "or 0 if the target rejects the writes of an old writer.",
                )

    def _rows_of_one(self) -> Counter[Any]:
        seen = self._seen()
        if not seen:
            raise LawBroken("committed rows are visible", "read returned no row after the first commit.")
        return seen

    def _see(self, law: str) -> None:
        if self.read is None:
            return
        seen, once = self._seen(), self._once or Counter()
        # A target with keys has the same rows once, however often they are written.
        times = min(self._committed, 1) if self._by_key else self._committed
        wanted = Counter({row: count * times for row, count in once.items()})
        twice, missing = seen - wanted, wanted - seen
        if twice:
            raise LawBroken(law, f"readers see {_one(twice)} more often than it was committed.")
        if missing:
            raise LawBroken(law, f"readers do not see {_one(missing)} as often as it was committed.")

    def _seen(self) -> Counter[Any]:
        assert self.read is not None
        return Counter(_hashable(row) for row in self.read())


def _lawful(law: str, action: Callable[[], object]) -> None:
    try:
        action()
    except (TypeError, ValueError, WrongUse) as error:
        raise LawBroken(law, str(error)) from None


def _exists_here(path: str) -> bool:
    return Path(path).exists() or (path.count("/") > 2 and Path(path).parent.exists())


def _one(rows: Counter[Any]) -> str:
    row = next(iter(rows))
    return f"the row {row!r}" + (f" and {rows.total() - 1} others" if rows.total() > 1 else "")


def _hashable(row: Any) -> Any:
    if isinstance(row, dict):
        return tuple(sorted((key, _hashable(value)) for key, value in row.items()))
    return tuple(map(_hashable, row)) if isinstance(row, list | tuple) else row
