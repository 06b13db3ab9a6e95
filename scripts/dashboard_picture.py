# SPDX-License-Identifier: Apache-2.0
"""Draws the panels of the dashboard for the docs: docs/images/dashboard.svg.

usage: python scripts/dashboard_picture.py
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DASHBOARD = ROOT / "examples" / "monitoring" / "dashboard.json"
PICTURE = ROOT / "docs" / "images" / "dashboard.svg"
COLUMN, ROW, GAP = 40, 14, 8
"""The width and the height of a cell of Grafana's grid, and the space around a panel, in pixels."""

STYLE = """\
  .panel { fill: #ffffff; stroke: #b0bec5; }
  text { font-family: sans-serif; fill: #263238; }
  .title { font-size: 13px; font-weight: bold; }
  .note { font-size: 10px; fill: #607d8b; }
"""


def drawn(panel: dict[str, Any]) -> str:
    """Returns a panel: its frame, its title, and lines of its description."""
    place = panel["gridPos"]
    x, y = place["x"] * COLUMN + GAP, place["y"] * ROW + GAP
    wide, high = place["w"] * COLUMN - GAP, place["h"] * ROW - GAP
    notes = [
        f'<text class="note" x="{x + 10}" y="{y + 40 + 14 * number}">{escape(line)}</text>'
        for number, line in enumerate(wrapped(panel["description"], wide // 6))
    ]
    return "\n".join(
        [
            f'<rect class="panel" x="{x}" y="{y}" width="{wide}" height="{high}" rx="3"/>',
            f'<text class="title" x="{x + 10}" y="{y + 20}">{escape(panel["title"])}</text>',
            *notes,
        ]
    )


def wrapped(text: str, width: int) -> list[str]:
    """Returns the text in lines of at most `width` characters.

    >>> wrapped("one two three", 8)
    ['one two', 'three']
    """
    lines = [""]
    for word in text.split():
        if lines[-1] and len(lines[-1]) + len(word) >= width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def picture(dashboard: dict[str, Any]) -> str:
    """Returns the dashboard as SVG."""
    panels = dashboard["panels"]
    high = max(panel["gridPos"]["y"] + panel["gridPos"]["h"] for panel in panels) * ROW + GAP
    size = f'viewBox="0 0 {24 * COLUMN + GAP} {high}"'
    body = "\n".join(map(drawn, panels))
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>\n<style>\n{STYLE}</style>\n{body}\n</svg>\n'


if __name__ == "__main__":
    PICTURE.write_text(picture(json.loads(DASHBOARD.read_text("utf-8"))), "utf-8")
