# SPDX-License-Identifier: Apache-2.0
"""Horizontal bars as static SVG that is readable on a light page and on a dark one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

_WIDTH, _LABELS, _RIGHT = 760, 190, 90
_PANEL_TOP, _ROW, _GAP = 26, 22, 18
_STYLE = (
    "text { fill: #57606a } .head { font-weight: bold } .ours { fill: #2f81f7 } .other { fill: #8c959f } "
    ".range { stroke: #1f2328; stroke-opacity: .55 } "
    "@media (prefers-color-scheme: dark) { text { fill: #9198a1 } .range { stroke: #f0f6fc } }"
)


@dataclass(frozen=True, slots=True)
class Bar:
    """One contender's figure, and the least and greatest of its rounds."""

    label: str
    value: float
    low: float
    high: float
    shown: str
    ours: bool


@dataclass(frozen=True, slots=True)
class Panel:
    """Bars on one scale that begins at 0."""

    title: str
    bars: Sequence[Bar]


def chart(title: str, panels: Sequence[Panel]) -> str:
    body: list[str] = []
    top = 0.0
    for panel in panels:
        body += _panel(panel, top)
        top += _PANEL_TOP + _ROW * len(panel.bars) + _GAP
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top:.0f}" '
            'font-family="sans-serif" font-size="12" role="img">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            *body,
            "</svg>\n",
        ]
    )


def _panel(panel: Panel, top: float) -> list[str]:
    most = max((bar.high for bar in panel.bars), default=0) or 1
    scale = (_WIDTH - _LABELS - _RIGHT) / most
    shapes = [f'<text x="0" y="{top + 16:.0f}" class="head">{escape(panel.title)}</text>']
    for number, bar in enumerate(panel.bars):
        y = top + _PANEL_TOP + number * _ROW
        middle = y + _ROW / 2
        shapes += [
            f'<text x="{_LABELS - 8}" y="{middle + 4:.1f}" text-anchor="end">{escape(bar.label)}</text>',
            f'<rect x="{_LABELS}" y="{y + 3:.1f}" width="{max(bar.value * scale, 0.5):.1f}" '
            f'height="{_ROW - 6}" class="{"ours" if bar.ours else "other"}"/>',
            f'<line x1="{_LABELS + bar.low * scale:.1f}" x2="{_LABELS + bar.high * scale:.1f}" '
            f'y1="{middle:.1f}" y2="{middle:.1f}" class="range"/>',
            f'<text x="{_LABELS + bar.high * scale + 6:.1f}" y="{middle + 4:.1f}">{escape(bar.shown)}</text>',
        ]
    return shapes
