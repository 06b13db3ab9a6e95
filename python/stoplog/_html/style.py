# SPDX-License-Identifier: Apache-2.0
"""The style sheet of all that is shown: light and dark, without fonts or anything else from elsewhere."""

from __future__ import annotations

from stoplog._html.markup import Markup, element, joined

COLOURS = 9
"""How many series have a colour of their own, `s1` and on; `s0` is for all others."""

_LIGHT = (
    "--surface:#fcfcfb;--ink:#1c1c1a;--soft:#5c5b57;--line:#dcdbd6;--s0:#8a8984;--s1:#2a78d6;--s2:#129766;"
    "--s3:#bd7d00;--s4:#008300;--s5:#4a3aa7;--s6:#e34948;--s7:#d9558a;--s8:#dd5a24;--s9:#8a5a2b;color-scheme:light"
)
_DARK = (
    "--surface:#1a1a19;--ink:#f4f3ef;--soft:#b4b2aa;--line:#3b3a37;--s0:#8a8984;--s1:#3987e5;--s2:#199e70;"
    "--s3:#c98500;--s4:#2f9e2f;--s5:#9085e9;--s6:#e66767;--s7:#d55181;--s8:#d95926;--s9:#b5824f;color-scheme:dark"
)

# Under one class: in a notebook it must change nothing else.
_RULES = """
.stoplog{background:var(--surface);color:var(--ink);font:15px/1.5 system-ui,sans-serif;padding:1px 16px 16px}
.stoplog h1{font-size:1.5em;overflow-wrap:anywhere}
.stoplog h2{font-size:1.15em;margin:2em 0 .3em}
.stoplog p{max-width:75ch;margin:.4em 0;overflow-wrap:anywhere}
.stoplog .note,.stoplog caption{color:var(--soft);font-size:.9em;text-align:left}
.stoplog caption{padding-top:.8em}
.stoplog .pair{display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start}
.stoplog .pair>figure{flex:3 1 420px;margin:0;min-width:0;max-width:900px;container-type:inline-size}
.stoplog .pair>.scroll{flex:1 1 240px;min-width:0}
.stoplog .scroll{max-height:320px;overflow:auto}
.stoplog table{border-collapse:collapse;font-size:.9em;margin:0;color:inherit}
.stoplog th,.stoplog td{text-align:left;padding:3px 12px 3px 0;border-bottom:1px solid var(--line);
background:var(--surface);vertical-align:top;white-space:nowrap}
.stoplog thead th{position:sticky;top:0}
.stoplog .number{text-align:right;font-variant-numeric:tabular-nums}
.stoplog .long{white-space:normal;overflow-wrap:anywhere;min-width:16em}
.stoplog svg{display:block;width:100%;height:auto;overflow:visible}
.stoplog svg text{fill:var(--soft);font:12px system-ui,sans-serif}
@container (max-width:480px){.stoplog svg text{font-size:19px}.stoplog svg .wide{display:none}}
.stoplog .grid{stroke:var(--line)}
.stoplog rect{stroke:var(--surface);stroke-width:1}
.stoplog .legend{list-style:none;display:flex;flex-wrap:wrap;gap:4px 16px;padding:0;
margin:.3em 0;font-size:.9em}
.stoplog .legend svg{display:inline-block;width:12px;height:12px;vertical-align:-1px;margin-right:5px}
"""


def styled(*content: Markup) -> Markup:
    """A piece of a page that brings its looks along, for a notebook or a whole page."""
    return joined(sheet(), element("div", *content, class_="stoplog"))


def sheet() -> Markup:
    """The style sheet as an element."""
    fills = "".join(f".stoplog .s{number}{{fill:var(--s{number})}}" for number in range(COLOURS + 1))
    dark = f"@media (prefers-color-scheme:dark){{.stoplog{{{_DARK}}}}}"
    return element("style", Markup(f".stoplog{{{_LIGHT}}}{dark}{_RULES}{fills}"))


def page(title: Markup, *content: Markup) -> str:
    """A whole document."""
    head = joined(
        Markup('<meta charset="utf-8"/>'),
        Markup('<meta name="viewport" content="width=device-width, initial-scale=1"/>'),
        Markup('<meta name="color-scheme" content="light dark"/>'),
        element("title", title),
        sheet(),
        # What is around it, only where the page is its own.
        element("style", Markup("body{margin:0}.stoplog{min-height:100vh;box-sizing:border-box}")),
    )
    body = element("body", element("main", *content, class_="stoplog"))
    return f"<!DOCTYPE html>\n{element('html', element('head', head), body, lang='en')}\n"
