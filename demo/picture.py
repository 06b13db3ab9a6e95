# SPDX-License-Identifier: Apache-2.0
"""Draws how large files are: a histogram for each directory, on one scale of sizes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, PANEL, LEFT, RIGHT = 760, 150, 40, 20
"""In pixels: the picture's width, the height of a panel, the margins."""

UNITS = ("B", "KiB", "MiB", "GiB")


@dataclass(frozen=True, slots=True)
class Panel:
    title: str
    sizes: tuple[int, ...]
    colour: str


def svg(panels: list[Panel]) -> str:
    """Sizes are grouped by powers of two; the height of a bar is the number of files."""
    bins = [_bins(panel.sizes) for panel in panels]
    first, last = min(map(min, bins)), max(map(max, bins))
    step = (WIDTH - LEFT - RIGHT) / (last - first + 1)
    body = [
        shape
        for index, (panel, counts) in enumerate(zip(panels, bins, strict=True))
        for shape in _panel(panel, counts, first, step, top=index * PANEL)
    ]
    base = len(panels) * PANEL
    ticks = [
        _text(LEFT + (power - first) * step, base + 16, size_in_words(2**power), anchor="middle")
        for power in range(first, last + 2)
        if (power - first) % max(1, round(60 / step)) == 0
    ]
    axis = _text(WIDTH / 2, base + 36, "size of a file (each bar: a factor of two)", anchor="middle")
    height = base + 46
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'font-family="sans-serif" font-size="12" fill="#333">',
            f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
            *body,
            *ticks,
            axis,
            "</svg>\n",
        ]
    )


def size_in_words(size_bytes: float) -> str:
    """A size in the largest unit of which there is at least one.

    >>> size_in_words(512), size_in_words(1010 * 1024), size_in_words(2.5 * 1024**2)
    ('512 B', '1010 KiB', '2.5 MiB')
    """
    size, unit = size_bytes, 0
    while size >= 1024 and unit < len(UNITS) - 1:
        size, unit = size / 1024, unit + 1
    return f"{size:.3g} {UNITS[unit]}" if size < 1000 else f"{size:.0f} {UNITS[unit]}"


def _bins(sizes: tuple[int, ...]) -> Counter[int]:
    return Counter(size.bit_length() - 1 for size in sizes)


def _panel(panel: Panel, counts: Counter[int], first: int, step: float, top: int) -> list[str]:
    base, highest = top + PANEL, max(counts.values())
    shapes = [_text(LEFT, top + 18, panel.title, weight="bold")]
    for power, count in sorted(counts.items()):
        height = max(1.0, (PANEL - 50) * count / highest)
        left = LEFT + (power - first) * step
        shapes.append(
            f'<rect x="{left + 1:.1f}" y="{base - height:.1f}" width="{step - 2:.1f}" '
            f'height="{height:.1f}" fill="{panel.colour}"/>'
        )
        shapes.append(_text(left + step / 2, base - height - 4, f"{count:,}", anchor="middle"))
    shapes.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{base}" y2="{base}" stroke="#999"/>')
    return shapes


def _text(x: float, y: float, text: str, anchor: str = "start", weight: str = "normal") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-weight="{weight}">{escape(text)}</text>'
    )
