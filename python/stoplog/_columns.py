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
    """
    return [name for each in columns for name in ([each] if isinstance(each, str) else each)]


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
