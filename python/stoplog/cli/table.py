# SPDX-License-Identifier: Apache-2.0
"""Formats tables for a terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Formats rows under their heads, with columns as wide as their cells. Numbers are right-aligned.

    >>> print(*table(("A", "N"), [("x", "1"), ("longer", "22")]), sep="\\n")
    A        N
    x        1
    longer  22
    """
    lines = [heads, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    right = [bool(rows) and all(_is_number(row[column]) for row in rows) for column in range(len(heads))]
    for line in lines:
        cells = (
            cell.rjust(width) if at_right else cell.ljust(width)
            for cell, width, at_right in zip(line, widths, right, strict=True)
        )
        yield "  ".join(cells).rstrip()


def limited(lines: Iterator[str], count: int, limit: int, what: str) -> Iterator[str]:
    """Returns the lines of a table, followed by the number of omitted rows.

    >>> print(*limited(iter(["a"]), 3, 1, "buckets"), sep="\\n")
    a
    … and 2 more buckets: --limit 0 shows all
    """
    yield from lines
    if 0 < limit < count:
        yield f"… and {count - limit} more {what}: --limit 0 shows all"


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell) is not None


_NUMBER = re.compile(r"-|\d+(\.\d+)?( [KMGT]?i?B)?|(\d+[dhms] ?)+")
