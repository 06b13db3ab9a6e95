# SPDX-License-Identifier: Apache-2.0
"""The numbers from 0, in pieces of 100: the smallest source with a position."""

from __future__ import annotations

import pyarrow

import stoplog


class Numbers(stoplog.SplitSource):
    """Contains the numbers below `until`."""

    schema = "n bigint"

    def __init__(self, until: int) -> None:
        self.until = until

    def enumerator(self, snapshot):
        return NumbersEnumerator(self.until, snapshot or 0)

    def read_split(self, split):
        first, end = split.position
        yield pyarrow.RecordBatch.from_pydict({"n": list(range(first, end))})

    def cut(self, split, rows):
        first, end = split.position
        return stoplog.Split([first, first + rows], rows), stoplog.Split(
            [first + rows, end], end - first - rows
        )


class NumbersEnumerator(stoplog.SplitEnumerator):
    def __init__(self, until, first):
        self.until, self.first = until, first

    def next(self):
        if self.first >= self.until:
            return None
        end = min(self.first + 100, self.until)
        split = stoplog.Split([self.first, end], rows=end - self.first)
        self.first = end
        return split

    def snapshot(self):
        return self.first
