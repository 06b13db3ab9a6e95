# SPDX-License-Identifier: Apache-2.0
"""What each error is, by its name, offline: the sentences of the jars and of this package."""

from __future__ import annotations

import json
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from stoplog._version import CHECKOUT

_PREFIX = "STOPLOG_"
_OWN = Path(__file__).resolve().parent / "conditions"
# The guide's pages that have more than the errors' own.
_PAGES = {
    "STOPLOG_INVALID_OPTIONS": ("options", "source-options"),
    "STOPLOG_UPLOAD_PURGE": ("s3",),
}


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition, with the parameters of its sentences between angle brackets.

    Attributes:
        name: `STOPLOG_…`.
        sql_state: `None` for one of the Python package alone.
        what: what has happened.
        now: what to do.
        pages: of the guide, with more about it.
    """

    name: str
    sql_state: str | None
    what: str
    now: str
    pages: tuple[str, ...] = ()


def conditions() -> dict[str, Condition]:
    """All conditions of the jar, the connectors and this package, by name."""
    found = {}
    for file in _files():
        for name, entry in json.loads(file.read_text(encoding="utf-8")).items():
            what, now = entry["message"]
            found[name] = Condition(name, entry.get("sqlState"), what, now, _PAGES.get(name, ()))
    return dict(sorted(found.items()))


def full_name(name: str) -> str:
    """The name as errors have it.

    >>> full_name("fenced"), full_name("[STOPLOG_FENCED]")
    ('STOPLOG_FENCED', 'STOPLOG_FENCED')
    """
    return _PREFIX + name.strip("[] ").upper().replace("-", "_").removeprefix(_PREFIX)


def similar(name: str, known: dict[str, Condition]) -> list[str]:
    """The names that may have been meant."""
    return get_close_matches(full_name(name), known, n=3, cutoff=0.75)


def _files() -> list[Path]:
    """In a wheel all of them, in a checkout those of the jars where they are written."""
    sources = [CHECKOUT / "scala-core", *(CHECKOUT / "connectors").glob("*")]
    in_checkout = [
        file for each in sources for file in (each / "src/main/resources/error").glob("*conditions.json")
    ]
    return [*_OWN.glob("*.json"), *in_checkout]
