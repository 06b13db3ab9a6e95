# SPDX-License-Identifier: Apache-2.0
"""Explains a condition offline: the messages and advice of the jars and of this package."""

from __future__ import annotations

import json
import re
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from stoplog._shared.version import CHECKOUT, PACKAGE
from stoplog.cli.command import Answer, Command, non_empty
from stoplog.cli.table import table
from stoplog.errors import NotFound

_PREFIX = "STOPLOG_"
_OWN = PACKAGE / "conditions"
# The guide's pages with more information than the list of errors.
_WAYS_OUT = ("docs/operate/operations.md#adopt-fork-reset-three-ways-out-of-a-refused-start",)
_REWIND = ("docs/operate/operations.md#rewind-back-to-an-older-epoch",)
_OPERATIONS = ("docs/operate/operations.md",)
_LIFECYCLE = ("docs/storage/s3.md#lifecycle",)
_PAGES = {
    "STOPLOG_BULK_WRITER_UNKNOWN": ("docs/files/bulk-formats.md",),
    "STOPLOG_DRIVER_ALIVE": _OPERATIONS,
    "STOPLOG_EPOCH_AHEAD": (*_REWIND, *_WAYS_OUT),
    "STOPLOG_EPOCH_GAP": _WAYS_OUT,
    "STOPLOG_EPOCH_REPLANNED": (*_REWIND, *_WAYS_OUT),
    "STOPLOG_FENCED": _OPERATIONS,
    "STOPLOG_FOREIGN_QUERY": (*_REWIND, *_WAYS_OUT),
    "STOPLOG_INVALID_OPTIONS": ("docs/reference/options.md", "docs/reference/source-options.md"),
    "STOPLOG_PART_LOST": _LIFECYCLE,
    "STOPLOG_STORE_NOT_EXCLUSIVE": ("docs/storage/file-systems.md",),
    "STOPLOG_UPLOAD_PURGE": _LIFECYCLE,
}


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition, with the parameters of its sentences in angle brackets.

    Attributes:
        name: `STOPLOG_…`.
        sql_state: the SQLSTATE; `None` for a condition that only the Python package has.
        what: the fact.
        now: the next step of the user.
        pages: the pages of the guide with more information.
        ways: further ways out, by the artifact whose sink raised the error.
        causes: the three most likely causes, as clauses.
    """

    name: str
    sql_state: str | None
    what: str
    now: str
    pages: tuple[str, ...] = ()
    ways: dict[str, str] = field(default_factory=dict)
    causes: tuple[str, ...] = ()


def conditions() -> dict[str, Condition]:
    """Returns all conditions of the jar, the connectors and this package, by name."""
    ways: dict[str, dict[str, str]] = {}
    causes: dict[str, tuple[str, ...]] = {}
    for name, entry in (*_entries("guide.json"), *_entries("conditions.json")):
        ways.setdefault(name, {}).update(entry.get("ways", {}))
        causes[name] = (*causes.get(name, ()), *entry.get("causes", ()))
    found = {}
    for name, entry in _entries("conditions.json"):
        what, now = entry["message"]
        state, pages = entry.get("sqlState"), _PAGES.get(name, ())
        found[name] = Condition(name, state, what, now, pages, ways[name], causes[name])
    return dict(sorted(found.items()))


def full_name(name: str) -> str:
    """Returns the full name of a condition, also from the text of an error.

    >>> full_name("fenced"), full_name("[STOPLOG_FENCED] Another driver has taken over")
    ('STOPLOG_FENCED', 'STOPLOG_FENCED')
    """
    found = re.search(rf"{_PREFIX}[A-Z0-9_]+", name)
    return found[0] if found else _PREFIX + name.strip("[] ").upper().replace("-", "_").removeprefix(_PREFIX)


def similar(name: str, known: dict[str, Condition]) -> list[str]:
    """Returns similar names of conditions."""
    return get_close_matches(full_name(name), known, n=3, cutoff=0.75)


def _entries(kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Returns the entries of all files: in a wheel from the package, in a checkout from the jars' sources."""
    sources = [CHECKOUT / "scala-core", *(CHECKOUT / "connectors").glob("*")]
    in_checkout = [file for each in sources for file in (each / "src/main/resources/error").glob(f"*{kind}")]
    for file in (*_OWN.glob(f"*{kind}"), *in_checkout):
        yield from json.loads(file.read_text(encoding="utf-8")).items()


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs="?",
        type=non_empty,
        help="the error, such as STOPLOG_FENCED or fenced (default: a list of all errors)",
    )


def run(given: Namespace) -> Answer:
    known = conditions()
    if given.name is None:
        return Answer({"errors": list(known.values())}, lambda: _index(known))
    found = known.get(full_name(given.name))
    if found is None:
        near = similar(given.name, known)
        meant = f" Did you mean {' or '.join(near)}?" if near else ""
        raise NotFound(
            f"There is no condition {given.name}.{meant} Run 'stoplog error' to list all conditions."
        )
    return Answer({"error_condition": found}, lambda: _lines(found))


def _index(known: dict[str, Condition]) -> Iterator[str]:
    yield from table(("CONDITION", "WHAT"), [(each.name, each.what) for each in known.values()])


def _lines(found: Condition) -> Iterator[str]:
    yield f"{found.name} (SQLSTATE {found.sql_state})" if found.sql_state else found.name
    yield ""
    yield f"Likely causes: {'; '.join(found.causes)}."
    yield ""
    yield found.what
    yield found.now
    for kind, way in found.ways.items():
        yield f"{kind}: {way}"
    if found.pages:
        yield ""
        yield f"More in the guide: {', '.join(found.pages)}."


COMMAND = Command("error", "Explain an error by its name: causes, message and remedy.", arguments, run)
