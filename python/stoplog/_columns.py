# SPDX-License-Identifier: Apache-2.0
"""Column names as one option string."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def flat(columns: Iterable[str | Iterable[str]]) -> list[str]:
    """The names, of which some may have come in a list.

    >>> flat(["a", ["b", "c"]])
    ['a', 'b', 'c']

    Raises:
        TypeError: something is no name of a column.
    """
    return [_name(name) for each in columns for name in ([each] if isinstance(each, str) else _several(each))]


def _several(names: Iterable[str]) -> Iterable[str]:
    try:
        return iter(names)
    except TypeError:
        return [_name(names)]


def _name(column: object) -> str:
    if isinstance(column, str):
        return column
    raise TypeError(f"the name of a column must be a string, and is of type {type(column).__name__}")


def columns_text(names: Iterable[str]) -> str:
    """The names with commas between them; backticks around those that a comma would tear apart.

    >>> print(columns_text(["country", "a,b", "c`d"]))
    country,`a,b`,`c``d`
    """
    return ",".join(_quoted(name) for name in names)


def _quoted(name: str) -> str:
    # The jar drops spaces around a bare name.
    bare = not {",", "`"} & set(name) and name == name.strip()
    return name if bare else f"`{name.replace('`', '``')}`"
