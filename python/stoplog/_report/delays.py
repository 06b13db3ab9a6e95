# SPDX-License-Identifier: Apache-2.0
"""The delay of rows until readers see them."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

_SECOND, _MINUTE, _HOUR = 1000, 60_000, 3_600_000
LIMITS_MILLIS = (
    *(count * _SECOND for count in (1, 2, 5, 10, 30)),
    *(count * _MINUTE for count in (1, 2, 5, 10, 15, 20, 30)),
    *(count * _HOUR for count in (1, 2, 6, 12, 24)),
)
"""The bounds of the delay bins, close to the usual settings of rolling policies."""


@dataclass(frozen=True, slots=True)
class DelayBin:
    """Parts with a delay from `from_millis` to the bound of the bin, exclusive.

    Attributes:
        below_millis: the exclusive upper bound; `None` for the bin of the longest delays.
    """

    from_millis: int
    below_millis: int | None
    parts: int


@dataclass(frozen=True, slots=True)
class Delays:
    """The delays from the opening of parts, with their first rows, to their publication.

    Attributes:
        parts: the number of parts.
        median_millis: the median delay.
        ninetieth_millis: the 90th percentile of the delays.
        longest_millis: the maximum delay.
        bins: the bins from the shortest delay to the longest.
    """

    parts: int
    median_millis: int | None
    ninetieth_millis: int | None
    longest_millis: int | None
    bins: tuple[DelayBin, ...]


def delays_of(waits_millis: Iterable[int]) -> Delays:
    """Computes the statistics of delays.

    >>> found = delays_of([500, 1500, 1600])
    >>> found.median_millis, [(each.from_millis, each.parts) for each in found.bins]
    (1500, [(0, 1), (1000, 2)])
    """
    waits = sorted(max(0, wait) for wait in waits_millis)
    if not waits:
        return Delays(0, None, None, None, ())
    counts = Counter(bisect_right(LIMITS_MILLIS, wait) for wait in waits)
    return Delays(
        len(waits),
        _quantile(waits, 50),
        _quantile(waits, 90),
        waits[-1],
        tuple(_bin(place, counts[place]) for place in range(min(counts), max(counts) + 1)),
    )


def _quantile(waits: list[int], percent: int) -> int:
    return waits[min(len(waits) - 1, max(0, -(-len(waits) * percent // 100) - 1))]


def _bin(place: int, parts: int) -> DelayBin:
    return DelayBin(
        LIMITS_MILLIS[place - 1] if place else 0,
        LIMITS_MILLIS[place] if place < len(LIMITS_MILLIS) else None,
        parts,
    )
