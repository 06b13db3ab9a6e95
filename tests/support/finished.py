# SPDX-License-Identifier: Apache-2.0
"""Finished files as a stranger sees them, and what must be in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from stoplog.testing._difference import difference
from stoplog.testing.rows import by_suffix, content, files

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from stoplog.testing import Row

__all__ = ["assert_each_once", "assert_none_twice", "assert_parts", "content", "files", "lines", "value"]

_NAME = re.compile(r"part-[0-9a-f]{12}-[mr]?\d+(\.\w+)*")


def lines(path: Path) -> list[str]:
    return [line for file in files(path) for line in content(file).decode().splitlines()]


def value(row: Row) -> str:
    """A line of text, or the column of that name."""
    return row["value"] if isinstance(row, dict) else row


def assert_each_once(path: Path, expected: Iterable[str]) -> None:
    """These rows, each once, in files that are named as parts and not empty, and nothing else."""
    assert_parts(path)
    found = difference(_found(path), expected, value)
    assert found.is_none, found.text(path)


def assert_none_twice(path: Path, written: Iterable[str]) -> None:
    """Some of these rows, none twice: what must hold at any moment."""
    assert_parts(path)
    found = difference(_found(path), written, value)
    assert found.has_no_surplus, found.text(path)


def assert_parts(path: Path) -> None:
    """All that is visible is named as a part, and not empty."""
    for file in files(path):
        assert _NAME.fullmatch(file.name), f"{file} is visible and not a part"
        assert file.stat().st_size > 0, f"{file} is empty"


def _found(path: Path) -> list[tuple[Row, Path]]:
    return [(row, file) for file in files(path) for row in by_suffix(file)]
