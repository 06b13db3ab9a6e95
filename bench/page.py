# SPDX-License-Identifier: Apache-2.0
"""The page in parts, so that a part of it can be measured anew."""

from __future__ import annotations

from collections.abc import Sequence


def with_section(page: str, title: str, lines: Sequence[str]) -> str:
    """The page with the section of this title replaced, or added at the end."""
    heads, _, tail = page.partition(f"## {title}\n")
    _, mark, rest = tail.partition("\n## ")
    section = "\n".join([f"## {title}", "", *lines, ""])
    return f"{heads.rstrip()}\n\n{section}{mark}{rest}"


def section_of(page: str, title: str) -> list[str]:
    """The lines of a section, as `with_section` takes them; empty if the page has no such section.

    >>> section_of(with_section("# A page\\n", "One", ["text"]), "One")
    ['text']
    """
    _, mark, tail = page.partition(f"## {title}\n")
    return tail.partition("\n## ")[0].strip("\n").split("\n") if mark else []


def with_intro(page: str, lines: Sequence[str]) -> str:
    """The page with all before its first section replaced."""
    _, mark, sections = page.partition("\n## ")
    return "\n".join([*lines, ""]) + mark + sections
