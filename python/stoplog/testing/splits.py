# SPDX-License-Identifier: Apache-2.0
"""The laws of split sources of the user."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from stoplog._functions.code import by_value
from stoplog._functions.splits import EnumeratorSide, Split, SplitReading, split_of
from stoplog._functions.task import PythonResult
from stoplog._shared.user_code import PythonFailed
from stoplog.split_source import SplitSource
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
            - `rows`: a split with a number of rows has this number.
            - `snapshot`: an enumerator that continues from the snapshot after any split returns the same
              further splits. It repeats no split and omits none.
            - `cut`: the two splits of `cut` have the rows of the whole split, in order, for any number of
              rows.

    Example:
        def test_numbers():
            check_split_source(Numbers(until=1000))
    """
    laws = _Laws(source, splits)
    found = laws.splits()
    if not found:
        raise ValueError("check_split_source needs a source with at least one split")
    laws.check_snapshots(found)
    for values in found:
        laws.check_rows(values)


class _Laws:
    def __init__(self, source: SplitSource, most: int) -> None:
        self.owner = type(source).__name__
        self.pickled = by_value(self.owner, source)
        self.most = most

    def splits(self) -> list[list[Any]]:
        side = self.restored("result", None)
        try:
            found: list[list[Any]] = self.called("result", side.next_splits, self.most)
            return found
        finally:
            side.close()

    def check_snapshots(self, found: list[list[Any]]) -> None:
        side = self.restored("result", None)
        for number in range(len(found) + 1):
            snapshot = self.called("result", side.snapshot)
            following = self.restored("snapshot", snapshot)
            rest = self.called("snapshot", following.next_splits, len(found) - number)
            following.close()
            if rest != found[number:]:
                why = difference([each[0] for each in found[number:]], [each[0] for each in rest], "split")
                raise LawBroken("snapshot", f"{self.owner} continues wrongly after {number} splits: {why}")
            if number < len(found):
                self.called("result", side.next_splits, 1)
        side.close()

    def check_rows(self, values: list[Any]) -> None:
        split = split_of(values)
        rows = self.rows("result", split)
        if self.rows("repeatable", split) != rows:
            raise LawBroken("repeatable", f"{self.owner} returned other rows for {split} in another process")
        if split.rows is not None and split.rows != len(rows):
            raise LawBroken("rows", f"{self.owner} returned {len(rows)} rows for {split}")
        side = self.restored("result", None)
        for count in sorted({1, max(1, len(rows) // 2), max(1, len(rows) - 1)}):
            if count < len(rows):
                self._check_cut(side, split, values, rows, count)
        side.close()

    def _check_cut(
        self, side: EnumeratorSide, split: Split, values: list[Any], rows: list[Any], count: int
    ) -> None:
        cut = self.called("cut", side.cut, values, count)
        if cut is None:
            return
        parts = [self.rows("cut", split_of(part)) for part in cut]
        if parts[0] + parts[1] != rows or len(parts[0]) > count:
            why = difference(rows, parts[0] + parts[1], "row")
            raise LawBroken("cut", f"{self.owner} cuts {split} wrongly at {count} rows: {why}")

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
