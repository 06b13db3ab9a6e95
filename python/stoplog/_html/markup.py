# SPDX-License-Identifier: Apache-2.0
"""HTML elements, the style of pages, and tables."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NewType

Markup = NewType("Markup", str)
"""Valid HTML or SVG text. Only this module converts plain text to markup."""

_UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def text(words: object) -> Markup:
    """Returns any text, escaped.

    File names may contain bytes that are invalid in XML or UTF-8. The replacement character replaces such
    bytes.

    >>> text("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    return Markup(html.escape(_UNUSABLE.sub("\ufffd", str(words))))


def element(name: str, *children: Markup, **attributes: object) -> Markup:
    """Returns an element. In attributes, `class_` is `class`, `_` becomes `-`, and `None` is omitted.

    >>> element("p", text("1 < 2"), class_="note", aria_label="a")
    '<p class="note" aria-label="a">1 &lt; 2</p>'
    >>> element("rect", x=1, y=None)
    '<rect x="1"></rect>'
    """
    given = "".join(
        f' {_attribute(key)}="{text(value)}"' for key, value in attributes.items() if value is not None
    )
    return Markup(f"<{name}{given}>{''.join(children)}</{name}>")


def words(name: str, said: object, **attributes: object) -> Markup:
    """Returns an element that contains only text.

    >>> words("h2", "Sizes")
    '<h2>Sizes</h2>'
    """
    return element(name, text(said), **attributes)


def joined(*parts: Markup) -> Markup:
    """Concatenates the parts."""
    return Markup("".join(parts))


def _attribute(key: str) -> str:
    # SVG's own names with capitals (viewBox) stay unchanged.
    return key.rstrip("_").replace("_", "-")


COLOURS = 9
"""The number of series with their own colour, from `s1`; `s0` is for all other series."""

_LIGHT = (
    "--surface:#fcfcfb;--ink:#1c1c1a;--soft:#5c5b57;--line:#dcdbd6;--s0:#8a8984;--s1:#2a78d6;--s2:#129766;"
    "--s3:#bd7d00;--s4:#008300;--s5:#4a3aa7;--s6:#e34948;--s7:#d9558a;--s8:#dd5a24;--s9:#8a5a2b;color-scheme:light"
)
_DARK = (
    "--surface:#1a1a19;--ink:#f4f3ef;--soft:#b4b2aa;--line:#3b3a37;--s0:#8a8984;--s1:#3987e5;--s2:#199e70;"
    "--s3:#c98500;--s4:#2f9e2f;--s5:#9085e9;--s6:#e66767;--s7:#d55181;--s8:#d95926;--s9:#b5824f;color-scheme:dark"
)

# All rules are under one class, so that a notebook's other content is unaffected.
_RULES = """
.stoplog{background:var(--surface);color:var(--ink);font:15px/1.5 system-ui,sans-serif;padding:1px 16px 16px}
.stoplog h1{font-size:1.5em;overflow-wrap:anywhere}
.stoplog h2{font-size:1.15em;margin:2em 0 .3em}
.stoplog p{max-width:75ch;margin:.4em 0;overflow-wrap:anywhere}
.stoplog .verdict{font-weight:bold;font-size:1.1em;border-left:6px solid var(--s4);padding-left:10px}
.stoplog .verdict.wrong{border-color:var(--s6)}
.stoplog .note,.stoplog caption{color:var(--soft);font-size:.9em;text-align:left}
.stoplog caption{padding-top:.8em}
.stoplog .pair{display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start}
.stoplog .pair>figure{flex:3 1 420px;margin:0;min-width:0;max-width:900px;container-type:inline-size}
.stoplog .pair>.scroll{flex:1 1 auto;min-width:0;max-width:100%}
.stoplog .scroll{max-height:320px;overflow:auto}
.stoplog table{border-collapse:collapse;font-size:.9em;margin:0;color:inherit}
.stoplog th,.stoplog td{text-align:left;padding:3px 12px 3px 0;border-bottom:1px solid var(--line);
background:var(--surface);vertical-align:top;white-space:nowrap}
.stoplog thead th{position:sticky;top:0}
.stoplog .number{text-align:right;font-variant-numeric:tabular-nums}
.stoplog .long{white-space:normal;overflow-wrap:anywhere;min-width:16em}
.stoplog svg{display:block;width:100%;height:auto;overflow:visible}
.stoplog svg text{fill:var(--soft);font:12px system-ui,sans-serif}
@container (max-width:575px){.stoplog svg text{font-size:19px}.stoplog svg .wide{display:none}}
.stoplog .grid{stroke:var(--line)}
.stoplog rect{stroke:var(--surface);stroke-width:1}
.stoplog .legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 16px;padding:0;
margin:.3em 0;font-size:.9em}
.stoplog .legend svg{display:inline-block;width:12px;height:12px;vertical-align:-1px;margin-right:5px}
"""


def styled(*content: Markup) -> Markup:
    """Returns a fragment with its style sheet, for a notebook or a page."""
    return joined(sheet(), element("div", *content, class_="stoplog"))


def sheet() -> Markup:
    """Returns the style sheet as an element."""
    fills = "".join(f".stoplog .s{number}{{fill:var(--s{number})}}" for number in range(COLOURS + 1))
    dark = f"@media (prefers-color-scheme:dark){{.stoplog{{{_DARK}}}}}"
    return element("style", Markup(f".stoplog{{{_LIGHT}}}{dark}{_RULES}{fills}"))


def page(title: Markup, *content: Markup) -> str:
    """Returns a whole document."""
    head = joined(
        Markup('<meta charset="utf-8"/>'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1"/>'),
        Markup('<meta name="color-scheme" content="light dark"/>'),
        element("title", title),
        sheet(),
        # Rules outside the fragment, only for a separate page.
        element("style", Markup("body{margin:0}.stoplog{min-height:100vh;box-sizing:border-box}")),
    )
    body = element("body", element("main", *content, class_="stoplog"))
    return f"<!DOCTYPE html>\n{element('html', element('head', head), body, lang='en')}\n"


_NOTHING = {"–", "-"}
_NUMBER = re.compile(r"[\d,.]+( ?%| [KMGTP]?i?B)?|(\d+[dhms] ?)+")
_LONG = 40  # characters: longer text may be broken into lines


def table(caption: str, heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Markup:
    """Returns rows under their heads. Columns of numbers are right-aligned.

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
    """Returns the first rows of a table, and the number of the other rows.

    Args:
        rows: at least as many rows as the limit, if available; no further rows are read.
        count: the number of all rows.
        rest: the sentence that describes where the other rows are.
    """
    shown = table(caption, heads, islice(rows, limit))
    if count <= limit:
        return shown
    return joined(shown, words("p", f"… and {count - limit:,} more: {rest}", class_="note"))


def _kind(cells: Iterable[str]) -> str | None:
    """Returns the class of a column's cells: "number" if all cells are numbers."""
    said = set(cells) - _NOTHING
    return "number" if said and all(_NUMBER.fullmatch(each) for each in said) else None


def _cell(said: str, kind: str | None) -> Markup:
    return element("td", text(said), class_="long" if len(said) > _LONG else kind)
