# SPDX-License-Identifier: Apache-2.0
"""The plots of a report, each with a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from stoplog._html.bars import Bar, Segment, bar_chart
from stoplog._html.markup import COLOURS, Markup, element, table, text
from stoplog._report.bins import SizeBin, TimeBin, TimeBins
from stoplog._report.delays import DelayBin, Delays
from stoplog._text.words import ago, many, moment, size

REASONS = ("size", "records", "age", "inactivity", "checkpoint", "openLimit", "complete", "end", "eventTime")
"""The jar's own roll reasons, each with a fixed colour on every page. Other reasons share one series."""

OTHERS = "others"
assert len(REASONS) == COLOURS

_DAY_MILLIS = 86_400_000


def size_plot(bins: Sequence[SizeBin]) -> Markup:
    """The number of files by size."""
    bars = [Bar(size(each.from_bytes), _sizes(each), (Segment("", "s1", each.files),)) for each in bins]
    chart = bar_chart(
        "Finished files by size",
        f"Each bar covers sizes up to twice its label. {_highest(bars, 'file')}",
        bars,
        "file",
    )
    rows = [(_sizes(each), f"{each.files:,}") for each in bins if each.files]
    return _pair(chart, table("Finished files by size", ("Size", "Files"), rows))


def modified_plot(times: TimeBins) -> Markup:
    """The number of files by the time of their last write."""
    bars = [
        Bar(_place(each, times), _span(each, times), (Segment("", "s1", each.counts.get("", 0)),))
        for each in times.bins
    ]
    chart = bar_chart(
        "Finished files by the time of their last byte",
        f"Each bar covers {ago(times.width_millis)}, in UTC. {_highest(bars, 'file')}",
        bars,
        "file",
    )
    rows = [(_span(each, times), f"{sum(each.counts.values()):,}") for each in times.bins if each.counts]
    return _pair(chart, table("Finished files by the time of their last byte", ("UTC", "Files"), rows))


def reason_plot(times: TimeBins, totals: Mapping[str, int]) -> Markup:
    """The number of published parts by time and roll reason."""
    bars = [Bar(_place(each, times), _span(each, times), _by_reason(each.counts)) for each in times.bins]
    chart = bar_chart(
        "Published parts over time, by roll reason",
        f"Each bar covers {ago(times.width_millis)}, in UTC. {_highest(bars, 'part')}",
        bars,
        "part",
    )
    heads = ("UTC", *totals, "Together")
    rows = [
        (
            _span(each, times),
            *(f"{each.counts.get(reason, 0):,}" for reason in totals),
            f"{sum(each.counts.values()):,}",
        )
        for each in times.bins
        if each.counts
    ]
    total = ("Together", *(f"{count:,}" for count in totals.values()), f"{sum(totals.values()):,}")
    totals_table = table("Published parts over time, by roll reason", heads, [*rows, total])
    return _pair(chart, totals_table, _legend(_drawn(totals)))


def delay_plot(delays: Delays) -> Markup:
    """The number of parts by the delay of their rows."""
    bars = [
        Bar(ago(each.from_millis), _waits(each), (Segment("", "s1", each.parts),)) for each in delays.bins
    ]
    chart = bar_chart(
        "Parts by visibility delay",
        f"Each bar covers delays from its label to the next label. {_highest(bars, 'part')}",
        bars,
        "part",
    )
    rows = [(_waits(each), f"{each.parts:,}") for each in delays.bins if each.parts]
    return _pair(chart, table("Parts by visibility delay", ("Waited", "Parts"), rows))


def _pair(chart: Markup, companion: Markup, *legend: Markup) -> Markup:
    return element("div", element("figure", *legend, chart), companion, class_="pair")


def _legend(reasons: Sequence[str]) -> Markup:
    return element("ul", *(_entry(reason) for reason in reasons), class_="legend")


def _entry(reason: str) -> Markup:
    mark = element("rect", width=12, height=12, class_=_colour(reason))
    swatch = element("svg", mark, viewBox="0 0 12 12", aria_hidden="true", xmlns="http://www.w3.org/2000/svg")
    return element("li", swatch, text(reason))


def _by_reason(counts: Mapping[str, int]) -> tuple[Segment, ...]:
    together: Counter[str] = Counter()
    for reason, count in counts.items():
        together[reason if reason in REASONS else OTHERS] += count
    return tuple(Segment(reason, _colour(reason), together[reason]) for reason in _drawn(together))


def _drawn(counts: Mapping[str, int]) -> list[str]:
    named = [reason for reason in REASONS if counts.get(reason)]
    return [*named, OTHERS] if any(reason not in REASONS for reason in counts) else named


def _colour(reason: str) -> str:
    return f"s{REASONS.index(reason) + 1}" if reason in REASONS else "s0"


def _highest(bars: Sequence[Bar], what: str) -> str:
    highest = max(bars, key=lambda bar: bar.total)
    of = sum(bar.total for bar in bars)
    return f"The highest is {highest.meaning}, with {many(highest.total, what)} of {of:,}."


def _sizes(each: SizeBin) -> str:
    return f"{size(each.from_bytes)} to {size(each.below_bytes)}" if each.from_bytes else "empty"


def _waits(each: DelayBin) -> str:
    if each.below_millis is None:
        return f"{ago(each.from_millis)} and longer"
    return f"{ago(each.from_millis)} to {ago(each.below_millis)}"


def _place(each: TimeBin, times: TimeBins) -> str:
    """Returns the shortest form of a time that distinguishes bins."""
    whole = moment(each.from_millis)
    if times.width_millis >= _DAY_MILLIS:
        return whole[:10]
    clock = whole[11:19] if times.width_millis < 60_000 else whole[11:16]
    return clock if len(times.bins) * times.width_millis < _DAY_MILLIS else f"{whole[5:10]} {clock}"


def _span(each: TimeBin, times: TimeBins) -> str:
    begin, end = moment(each.from_millis), moment(each.from_millis + times.width_millis)
    if times.width_millis >= _DAY_MILLIS:
        return begin[:10]
    return f"{begin[:10]} {begin[11:19]} to {end[11:19]}"
