# SPDX-License-Identifier: Apache-2.0
"""The bins of a report's charts, by size and by time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class SizeBin:
    """Files of at least `from_bytes` bytes and less than `below_bytes`, twice as many.

    Attributes:
        from_bytes: the smallest size; 0 for empty files.
        below_bytes: the exclusive upper bound.
        files: the number of files.
    """

    from_bytes: int
    below_bytes: int
    files: int


class SizeCounts:
    """Counts files by powers of two.

    >>> sizes = SizeCounts()
    >>> for size in (0, 3, 3, 9): sizes.add(size)
    >>> [(each.from_bytes, each.files) for each in sizes.bins()]
    [(0, 1), (1, 0), (2, 2), (4, 0), (8, 1)]
    """

    def __init__(self) -> None:
        self._counts: Counter[int] = Counter()
        self.files = self.total_bytes = self.largest_bytes = 0

    def add(self, size_bytes: int) -> None:
        """Counts one more file."""
        self._counts[size_bytes.bit_length()] += 1
        self.files += 1
        self.total_bytes += size_bytes
        self.largest_bytes = max(self.largest_bytes, size_bytes)

    def bins(self) -> tuple[SizeBin, ...]:
        """Returns the bins from the smallest file to the largest; returns no bins without files."""
        if not self._counts:
            return ()
        bits = range(min(self._counts), max(self._counts) + 1)
        return tuple(SizeBin(1 << bit - 1 if bit else 0, 1 << bit, self._counts[bit]) for bit in bits)


def median_bin(bins: tuple[SizeBin, ...]) -> SizeBin | None:
    """Returns the bin of the median file.

    >>> median_bin((SizeBin(1, 2, 1), SizeBin(2, 4, 5))).from_bytes
    2
    """
    before, files = 0, sum(each.files for each in bins)
    for each in bins:
        before += each.files
        if 2 * before >= files > 0:
            return each
    return None


_SECOND, _MINUTE, _HOUR, _DAY = 1000, 60_000, 3_600_000, 86_400_000
# Each width is a multiple of the preceding width, so that counts can be merged instead of recounted.
_WIDTHS = (
    *(count * _SECOND for count in (1, 5, 10, 30)),
    *(count * _MINUTE for count in (1, 5, 15, 30)),
    *(count * _HOUR for count in (1, 3, 6, 12)),
    *(count * _DAY for count in (1, 7, 28, 364, 3640, 36400)),
)
_REMEMBERED = 512
_SHOWN = 48


@dataclass(frozen=True, slots=True)
class TimeBin:
    """The counts of a time span.

    Attributes:
        from_millis: the start of the span; the end is the start of the next span.
        counts: the number of events by kind.
    """

    from_millis: int
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class TimeBins:
    """Consecutive time spans, including empty spans.

    Attributes:
        width_millis: the length of each span.
    """

    width_millis: int
    bins: tuple[TimeBin, ...]


class TimeCounts:
    """Counts events in time spans; the spans become longer with the distance of the events.

    >>> counts = TimeCounts()
    >>> for at in (0, 1, 2_000): counts.add(at, "size")
    >>> [(each.from_millis, dict(each.counts)) for each in counts.bins().bins]
    [(0, {'size': 2}), (1000, {}), (2000, {'size': 1})]
    """

    def __init__(self) -> None:
        self._step = 0
        self._counts: dict[int, Counter[str]] = {}

    def add(self, at_millis: int, what: str = "") -> None:
        """Counts one more event."""
        self._counts.setdefault(at_millis // _WIDTHS[self._step], Counter())[what] += 1
        if len(self._counts) > _REMEMBERED:
            self._widen()

    def bins(self) -> TimeBins:
        """Returns bins that are few enough for a chart."""
        while self._counts and max(self._counts) - min(self._counts) >= _SHOWN and self._may_widen:
            self._widen()
        if not self._counts:
            return TimeBins(_WIDTHS[self._step], ())
        width = _WIDTHS[self._step]
        places = range(min(self._counts), max(self._counts) + 1)
        return TimeBins(
            width, tuple(TimeBin(at * width, dict(self._counts.get(at, {}))) for at in places[-_SHOWN:])
        )

    @property
    def _may_widen(self) -> bool:
        return self._step + 1 < len(_WIDTHS)

    def _widen(self) -> None:
        if not self._may_widen:
            return
        factor = _WIDTHS[self._step + 1] // _WIDTHS[self._step]
        wider: dict[int, Counter[str]] = {}
        for at, counts in self._counts.items():
            wider.setdefault(at // factor, Counter()).update(counts)
        self._counts = wider
        self._step += 1


assert all(wider % width == 0 for width, wider in pairwise(_WIDTHS))
