# SPDX-License-Identifier: Apache-2.0
"""A bar chart as static SVG, with a title and a description for screen readers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from stoplog._html.markup import Markup, element, words
from stoplog._text.words import many

WIDTH, HEIGHT = 680, 240
_RIGHT, _TOP, _BOTTOM = 12, 12, 36
_LABEL_WIDTH = 92
# In a narrow window, the style sheet enlarges letters and hides every second label. These sizes are for such
# windows.
_NARROW_DIGIT, _NARROW_LABEL_WIDTH = 13, 144


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of a bar.

    Attributes:
        series: the name of its series, for the tooltip; may be empty.
        colour: a class of the style sheet, `s0` to `s8`.
    """

    series: str
    colour: str
    count: int


@dataclass(frozen=True, slots=True)
class Bar:
    """The bar at one position of the horizontal axis.

    Attributes:
        label: the short text under the bar, if it fits.
        meaning: the label in full.
    """

    label: str
    meaning: str
    segments: tuple[Segment, ...]

    @property
    def total(self) -> int:
        return sum(segment.count for segment in self.segments)


def bar_chart(title: str, description: str, bars: Sequence[Bar], what: str) -> Markup:
    """Returns the chart. `what` is the counted noun, in the singular."""
    top = _round_up(max((bar.total for bar in bars), default=0))
    left = max(40, 10 + _NARROW_DIGIT * len(f"{top:,}"))
    step = (WIDTH - left - _RIGHT) / max(len(bars), 1)
    return element(
        "svg",
        words("title", title),
        words("desc", description),
        *_grid(top, left),
        *(piece for at, bar in enumerate(bars) for piece in _bar(left + at * step, step, bar, top, what)),
        *_labels(bars, left, step),
        viewBox=f"0 0 {WIDTH} {HEIGHT}",
        role="img",
        xmlns="http://www.w3.org/2000/svg",
    )


def _grid(top: int, left: int) -> list[Markup]:
    lines = []
    # Half a file is not a count: no middle line if the maximum is 1.
    for count in (0, top // 2, top) if top > 1 else (0, top):
        y = _y(count, top)
        lines.append(element("line", x1=left, x2=WIDTH - _RIGHT, y1=y, y2=y, class_="grid"))
        lines.append(words("text", f"{count:,}", x=left - 6, y=round(y + 4, 1), text_anchor="end"))
    return lines


def _bar(place: float, step: float, bar: Bar, top: int, what: str) -> list[Markup]:
    if not bar.total:
        return []
    gap = min(2.0, step / 4)
    wide = min(step - gap, 48.0)
    x = place + (step - wide) / 2
    pieces, below = [], 0
    for segment in bar.segments:
        upper, lower = _y(below + segment.count, top), _y(below, top)
        pieces.append(
            element(
                "rect",
                x=round(x, 2),
                y=upper,
                width=round(wide, 2),
                height=round(max(lower - upper, 0.0), 2),
                class_=segment.colour,
            )
        )
        below += segment.count
    of = ", ".join(f"{segment.series} {segment.count:,}" for segment in bar.segments if segment.series)
    hint = f"{bar.meaning}: {many(bar.total, what)}" + (f" ({of})" if of else "")
    return [element("g", words("title", hint), *pieces)]


def _labels(bars: Sequence[Bar], left: int, step: float) -> list[Markup]:
    """Returns the labels of all bars, or of every n-th bar if the labels of all bars do not fit."""
    each = max(1, ceil(_LABEL_WIDTH / step))
    rarely = max(each, ceil(_NARROW_LABEL_WIDTH / step / each) * each)
    return [
        _label(bar.label, left + (at + 0.5) * step, None if at % rarely == 0 else "wide")
        for at, bar in enumerate(bars)
        if at % each == 0
    ]


def _label(said: str, x: float, when: str | None) -> Markup:
    place, anchor = round(x, 1), "middle"
    if x + _LABEL_WIDTH / 2 > WIDTH:  # the label would be cut off
        place, anchor = WIDTH - 2, "end"
    elif x < _LABEL_WIDTH / 2:
        place, anchor = 2, "start"
    return words("text", said, x=place, y=HEIGHT - 8, text_anchor=anchor, class_=when)


def _y(count: int, top: int) -> float:
    return round(HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * count / max(top, 1), 2)


def _round_up(count: int) -> int:
    """Returns the end of the axis: the next even number of one digit and zeros, or 1.

    >>> [_round_up(count) for count in (0, 1, 3, 7, 11, 60, 99_999)]
    [1, 1, 4, 10, 20, 60, 100000]
    """
    power = 1
    while True:
        for step in (1, 2, 4, 6):
            if step * power >= count:
                return step * power
        power *= 10
