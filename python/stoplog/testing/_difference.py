# SPDX-License-Identifier: Apache-2.0
"""The difference between expected and found rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from stoplog.testing.rows import Row

Key: TypeAlias = str | Sequence[str] | Callable[[Row], Hashable] | None
"""The key of a row: a column, several columns, or a function; the whole row by default."""

_SHOWN_ROWS = 5
_SHOWN_FILES = 4
_SHOWN_LETTERS = 120


@dataclass(frozen=True, slots=True)
class Repeated:
    """A row that was found more often than expected."""

    row: Row
    expected: int
    files: tuple[Path, ...]

    def text(self, root: Path) -> str:
        names = [str(file.relative_to(root)) for file in self.files[:_SHOWN_FILES]]
        more = [f"and {len(self.files) - _SHOWN_FILES} more"] if len(self.files) > _SHOWN_FILES else []
        times = "once" if len(self.files) == 1 else f"{len(self.files)} times"
        wanted = f" instead of {self.expected}" if self.expected else ""
        return f"{_short(self.row)}: {times}{wanted}, in {', '.join(names + more)}"


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference between the found rows and the expected rows.

    Attributes:
        lost: the missing rows, one entry for each missing occurrence.
        repeated: the expected rows that were found too often.
        unexpected: the rows that were not expected, with the files that contain the rows.
    """

    lost: tuple[Row, ...]
    repeated: tuple[Repeated, ...]
    unexpected: tuple[Repeated, ...]

    @property
    def is_none(self) -> bool:
        """Returns true if each row was found exactly once."""
        return not self.lost and self.has_no_surplus

    @property
    def has_no_surplus(self) -> bool:
        """Returns true if no row is repeated or unexpected; hidden rows do not affect the result."""
        return not self.repeated and not self.unexpected

    def text(self, root: Path) -> str:
        """Formats the difference, with paths relative to a directory."""
        sentences = (
            _list(f"{len(self.lost)} lost", [_short(row) for row in self.lost]),
            _list(f"{len(self.repeated)} repeated", [each.text(root) for each in self.repeated]),
            _list(f"{len(self.unexpected)} never expected", [each.text(root) for each in self.unexpected]),
        )
        hint = (
            "If rows are both lost and unexpected, the pipeline probably changes rows: pass the expected "
            "rows by expected=…, or the columns that identify a row by key=…"
        )
        return "\n".join([*filter(None, sentences), *([hint] if self.lost and self.unexpected else [])])


def difference(found: Iterable[tuple[Row, Path]], expected: Iterable[Row], key: Key = None) -> Difference:
    """Compares rows by key, in any order."""
    identity = _identity(key)
    wanted: defaultdict[Hashable, list[Row]] = defaultdict(list)
    for row in expected:
        wanted[identity(row)].append(row)
    seen: defaultdict[Hashable, list[tuple[Row, Path]]] = defaultdict(list)
    for row, file in found:
        seen[identity(row)].append((row, file))
    too_many = [
        Repeated(rows[0][0], len(wanted.get(name, ())), tuple(file for _, file in rows))
        for name, rows in seen.items()
        if len(rows) > len(wanted.get(name, ()))
    ]
    return Difference(
        lost=tuple(row for name, rows in wanted.items() for row in rows[len(seen.get(name, ())) :]),
        repeated=tuple(each for each in too_many if each.expected),
        unexpected=tuple(each for each in too_many if not each.expected),
    )


def _identity(key: Key) -> Callable[[Row], Hashable]:
    if key is None:
        return _frozen
    if isinstance(key, str):
        return lambda row: _frozen(_column(row, key))
    if callable(key):
        return key
    columns = tuple(key)
    return lambda row: tuple(_frozen(_column(row, name)) for name in columns)


def _column(row: Row, name: str) -> object:
    """Returns the value of a column; for a row without columns, such as a line of text, the row."""
    if not isinstance(row, Mapping):
        return row
    if name not in row:
        raise KeyError(f"key={name!r} is not a column of {_short(row)}")
    return row[name]


def _frozen(value: object) -> Hashable:
    if isinstance(value, Mapping):
        return frozenset((name, _frozen(each)) for name, each in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(_frozen(each) for each in value)
    return value if isinstance(value, Hashable) else repr(value)


def _list(title: str, entries: Sequence[str]) -> str:
    if not entries:
        return ""
    more = [f"and {len(entries) - _SHOWN_ROWS} more"] if len(entries) > _SHOWN_ROWS else []
    return "\n  ".join([f"{title}:", *entries[:_SHOWN_ROWS], *more])


def _short(row: object) -> str:
    text = repr(row)
    return text if len(text) <= _SHOWN_LETTERS else f"{text[:_SHOWN_LETTERS]}…"
