# SPDX-License-Identifier: Apache-2.0
"""Tables that can be read aloud and scrolled by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from stoplog._html.markup import Markup, element, joined, text, words

_NOTHING = {"–", "-"}
_NUMBER = re.compile(r"[\d,.]+( ?%| [KMGTP]?i?B)?|(\d+[dhms] ?)+")
_LONG = 40  # characters: what is longer may be broken into lines


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """Rows under their heads. Columns of numbers stand at the right.

    >>> table("Sizes", ("File",), [("a<b",)]).count("a&lt;b")
    1
    >>> table("Sizes", ("File", "Rows"), [("a", "12"), ("b", "–")]).count('class="number"')
    3
    """
    all_rows = list(rows)
    kinds = [_kind(row[at] for row in all_rows) for at in range(len(heads))]
    head = element(
        "tr", *(words("th", each, scope="col", class_=kind) for each, kind in zip(heads, kinds, strict=True))
    )
    body = (element("tr", *map(_cell, row, kinds)) for row in all_rows)
    whole = element("table", words("caption", caption), element("thead", head), element("tbody", *body))
    return element("div", whole, class_="scroll", tabindex=0, role="region", aria_label=caption)


def limited(
    caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]], count: int, limit: int, rest: str
) -> Markup:
    """The first rows of a table, and how many it has not.

    Args:
        rows: at least as many as the limit, if there are; no more than those are asked for.
        count: how many rows there are.
        rest: where the others are.
    """
    shown = table(caption, heads, islice(rows, limit))
    if count <= limit:
        return shown
    return joined(shown, words("p", f"… and {count - limit:,} more: {rest}", class_="note"))


def _kind(cells: Iterable[str]) -> str | None:
    """At the right, if there is nothing but numbers in a column."""
    said = set(cells) - _NOTHING
    return "number" if said and all(_NUMBER.fullmatch(each) for each in said) else None


def _cell(said: str, kind: str | None) -> Markup:
    return element("td", text(said), class_="long" if len(said) > _LONG else kind)
