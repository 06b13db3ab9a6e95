# SPDX-License-Identifier: Apache-2.0
"""How many files there are of which size, without remembering any of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SizeBin:
    """Files of at least so many bytes, and fewer than twice as many.

    Attributes:
        from_bytes: the smallest size; 0 for empty files.
        below_bytes: the first size that is too large.
        files: how many there are.
    """

    from_bytes: int
    below_bytes: int
    files: int


class SizeCounts:
    """Adds up files by powers of two.

    >>> sizes = SizeCounts()
    >>> for size in (0, 3, 3, 9): sizes.add(size)
    >>> [(each.from_bytes, each.files) for each in sizes.bins()]
    [(0, 1), (1, 0), (2, 2), (4, 0), (8, 1)]
    """

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self.files = self.total_bytes = self.largest_bytes = 0

    def add(self, size_bytes: int) -> None:
        """One more file."""
        self._counts[size_bytes.bit_length()] += 1
        self.files += 1
        self.total_bytes += size_bytes
        self.largest_bytes = max(self.largest_bytes, size_bytes)

    def bins(self) -> tuple[SizeBin, ...]:
        """From the smallest file's to the largest's; none without files."""
        if not self._counts:
            return ()
        bits = range(min(self._counts), max(self._counts) + 1)
        return tuple(SizeBin(1 << bit - 1 if bit else 0, 1 << bit, self._counts[bit]) for bit in bits)


def median_bin(bins: tuple[SizeBin, ...]) -> SizeBin | None:
    """Where the file lies that half of the others are smaller than.

    >>> median_bin((SizeBin(1, 2, 1), SizeBin(2, 4, 5))).from_bytes
    2
    """
    before, files = 0, sum(each.files for each in bins)
    for each in bins:
        before += each.files
        if 2 * before >= files > 0:
            return each
    return None
