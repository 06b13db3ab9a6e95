# SPDX-License-Identifier: Apache-2.0
"""Counts that need not remember what they have counted."""

from __future__ import annotations

import random

from stoplog._report.bins import SizeCounts, TimeCounts, median_bin
from stoplog._report.delays import LIMITS_MILLIS, delays_of

YEAR = 364 * 86_400_000


def test_every_time_is_counted_for_all_ranges() -> None:
    for span in (1, 10_000, 3_600_000, YEAR, 40 * YEAR):
        chance = random.Random(span)
        times = [1_700_000_000_000 + chance.randrange(span) for _ in range(5_000)]
        counts = TimeCounts()
        for at in times:
            counts.add(at, "age" if at % 2 else "size")
        found = counts.bins()
        assert 1 <= len(found.bins) <= 48
        assert sum(sum(each.counts.values()) for each in found.bins) == len(times)
        for each in found.bins:
            inside = [at for at in times if 0 <= at - each.from_millis < found.width_millis]
            assert sum(each.counts.values()) == len(inside)


def test_times_before_1970_and_far_in_the_future_are_counted() -> None:
    counts = TimeCounts()
    for at in (-5_000, 0, 4 * 10**12):
        counts.add(at)
    found = counts.bins()
    assert sum(each.counts.get("", 0) for each in found.bins) == 3
    assert found.bins[0].from_millis <= -5_000


def test_sizes_are_counted_in_the_right_bins() -> None:
    chance = random.Random(1)
    sizes = [chance.randrange(1 << chance.randrange(1, 40)) for _ in range(2_000)]
    counts = SizeCounts()
    for size in sizes:
        counts.add(size)
    for each in counts.bins():
        assert each.files == sum(each.from_bytes <= size < each.below_bytes for size in sizes)
    assert (counts.files, counts.total_bytes, counts.largest_bytes) == (2_000, sum(sizes), max(sizes))
    middle = median_bin(counts.bins())
    assert middle is not None
    assert middle.from_bytes <= sorted(sizes)[999] < middle.below_bytes
    assert median_bin(()) is None


def test_delays_are_counted_in_the_right_bins() -> None:
    chance = random.Random(2)
    waits = [chance.randrange(1 << chance.randrange(1, 30)) for _ in range(2_000)]
    found = delays_of(waits)
    for each in found.bins:
        below = 1 << 62 if each.below_millis is None else each.below_millis
        assert each.parts == sum(each.from_millis <= wait < below for wait in waits)
    assert (found.median_millis, found.longest_millis) == (sorted(waits)[999], max(waits))
    assert found.ninetieth_millis == sorted(waits)[1799]
    assert delays_of([LIMITS_MILLIS[-1] + 1]).bins[0].below_millis is None
    assert delays_of([-7]).longest_millis == 0  # two clocks
    assert delays_of([]).bins == ()
