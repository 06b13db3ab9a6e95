# SPDX-License-Identifier: Apache-2.0
"""The laws of split sources of the user."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from stoplog._functions.code import by_value
from stoplog._functions.splits import EnumeratorSide, Split, SplitReading, split_of
from stoplog._functions.task import PythonResult
from stoplog._shared.user_code import PythonFailed
from stoplog.split_source import SplitSource
from stoplog.testing._elsewhere import in_another_python
from stoplog.testing.laws import LawBroken, difference


def check_split_source(source: SplitSource, splits: int = 50) -> None:
    """Checks a split source without Spark.

    Args:
        source: the source. Its data must not change during the check.
        splits: the number of splits to read, for a source with many or an unlimited number of splits.

    Raises:
        LawBroken: the source breaks a law:

            - `result`: each method returns what its documentation says.
            - `repeatable`: a split has the same rows each time, also in another process, after the position
              was stored as JSON.
            - `rows`: a split with a number of rows has this number, also after a cut.
            - `snapshot`: an enumerator that continues from the snapshot after any split returns the same
              further splits. It repeats no split and omits none, also after the last split.
            - `cut`: the two splits of `cut` have the rows of the whole split, in order, for any number of
              rows. The same holds if the second split is cut again.

    Example:
        def test_numbers():
            check_split_source(Numbers(until=1000))
    """
    owner = type(source).__name__
    laws = _Laws(owner, by_value(owner, source), splits)
    found, is_all = laws.splits()
    if not found:
        raise ValueError("check_split_source needs a source with at least one split")
    laws.check_snapshots(found, is_all)
    rows = [laws.check_rows(values) for values in found]
    laws.check_in_another_python(found, rows)


class _Laws:
    def __init__(self, owner: str, pickled: bytes, most: int) -> None:
        self.owner = owner
        self.pickled = pickled
        self.most = most

    def splits(self) -> tuple[list[list[Any]], bool]:
        """Returns some splits, and whether the source has no others."""
        side = self.restored("result", None)
        try:
            found: list[list[Any]] = self.called("result", side.next_splits, self.most + 1)
            return found[: self.most], len(found) <= self.most
        finally:
            side.close()

    def check_snapshots(self, found: list[list[Any]], is_all: bool) -> None:
        side = self.restored("result", None)
        for number in range(len(found) + 1):
            snapshot = self.called("result", side.snapshot)
            following = self.restored("snapshot", snapshot)
            rest = self.called("snapshot", following.next_splits, len(found) - number + is_all)
            following.close()
            if rest != found[number:]:
                why = difference([each[0] for each in found[number:]], [each[0] for each in rest], "split")
                raise LawBroken("snapshot", f"{self.owner} continues wrongly after {number} splits: {why}")
            if number < len(found):
                self.called("result", side.next_splits, 1)
        side.close()

    def check_rows(self, values: list[Any]) -> list[Any]:
        split = split_of(values)
        rows = self._counted("result", split)
        if self.rows("repeatable", split) != rows:
            raise LawBroken("repeatable", f"{self.owner} returned other rows for {split} in another call")
        side = self.restored("result", None)
        for count in sorted({1, max(1, len(rows) // 2), max(1, len(rows) - 1)}):
            for rest, left in self._check_cut(side, values, rows, count):
                self._check_cut(side, rest, left, max(1, len(left) // 2))
        side.close()
        return rows

    def check_in_another_python(self, found: list[list[Any]], rows: list[list[Any]]) -> None:
        again = in_another_python(partial(_rows_of, self.owner, self.pickled, found))
        for values, here, there in zip(found, rows, again, strict=True):
            if here != there:
                why = f"{self.owner} returned other rows for {split_of(values)} in another process"
                raise LawBroken("repeatable", f"{why}: {difference(here, there)}")

    def _check_cut(
        self, side: EnumeratorSide, values: list[Any], rows: list[Any], count: int
    ) -> list[tuple[list[Any], list[Any]]]:
        """Returns the second split with its rows; nothing if the split was not cut."""
        cut = self.called("cut", side.cut, values, count) if count < len(rows) else None
        if cut is None:
            return []
        head, rest = (self._counted("cut", split_of(part)) for part in cut)
        if head + rest != rows or len(head) > count:
            why = difference(rows, head + rest, "row")
            raise LawBroken("cut", f"{self.owner} cuts {split_of(values)} wrongly at {count} rows: {why}")
        return [(cut[1], rest)]

    def _counted(self, law: str, split: Split) -> list[Any]:
        rows = self.rows(law, split)
        if split.rows is not None and split.rows != len(rows):
            raise LawBroken("rows", f"{self.owner} returned {len(rows)} rows for {split}")
        return rows

    def rows(self, law: str, split: Split) -> list[Any]:
        reading = SplitReading(self.owner, self.pickled, None)
        tables = self.called(law, lambda: list(reading.of(split)))
        return [row for table in tables for row in table.to_pylist()]

    def restored(self, law: str, snapshot: str | None) -> EnumeratorSide:
        side = EnumeratorSide(self.owner, self.pickled)
        self.called(law, side.restore, None if snapshot is None else json.dumps(json.loads(snapshot)))
        return side

    def called(self, law: str, method: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return method(*arguments)
        except (PythonFailed, PythonResult) as error:
            raise LawBroken(law, str(error)) from error
        except Exception as error:
            raise LawBroken(law, f"{self.owner} raised {type(error).__name__}: {error}") from error


def _rows_of(owner: str, pickled: bytes, splits: list[list[Any]]) -> list[list[Any]]:
    laws = _Laws(owner, pickled, len(splits))
    return [laws.rows("repeatable", split_of(values)) for values in splits]
