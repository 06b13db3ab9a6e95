# SPDX-License-Identifier: Apache-2.0
"""Elements, with everything that is put into them escaped."""

from __future__ import annotations

import html
import re
from typing import NewType

Markup = NewType("Markup", str)
"""Text that is HTML or SVG already. Only this module makes it from text."""

_UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def text(words: object) -> Markup:
    """Any text as itself, whatever is in it.

    File names may hold bytes that neither XML nor UTF-8 has: they become the replacement character.

    >>> text("<b> & 'c'")
    '&lt;b&gt; &amp; &#x27;c&#x27;'
    """
    return Markup(html.escape(_UNUSABLE.sub("\ufffd", str(words))))


def element(name: str, *children: Markup, **attributes: object) -> Markup:
    """An element; of attributes, `class_` is `class`, `_` stands for `-`, and `None` is left out.

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
    """An element with nothing but text in it.

    >>> words("h2", "Sizes")
    '<h2>Sizes</h2>'
    """
    return element(name, text(said), **attributes)


def joined(*parts: Markup) -> Markup:
    """One behind the other."""
    return Markup("".join(parts))


def _attribute(key: str) -> str:
    # SVG's own names have capitals (viewBox), and stay as they are.
    return key.rstrip("_").replace("_", "-")
