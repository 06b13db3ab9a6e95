"""Tables that can be read aloud and scrolled by keyboard."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import islice

from stoplog._html.markup import Markup, element, joined, text, words

_NUMBER = re.compile(r"[–-]|[\d,.]+( ?%| [KMGT]?i?B)?|(\d+[dhms] ?)+")


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """Rows under their heads. Cells that are numbers stand at the right.

    >>> table("Sizes", ("File",), [("a<b",)]).count("a&lt;b")
    1
    """
    head = element("tr", *(words("th", each, scope="col") for each in heads))
    body = (element("tr", *(_cell(each) for each in row)) for row in rows)
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


def _cell(said: str) -> Markup:
    return element("td", text(said), class_="number" if _NUMBER.fullmatch(said) else None)
