# SPDX-License-Identifier: Apache-2.0
"""`stoplog error NAME`: what an error is and what to do about it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from stoplog._conditions import Condition, conditions, full_name, similar
from stoplog._inspect.errors import NotFound
from stoplog.cli.command import Answer, Command
from stoplog.cli.table import table


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs="?",
        help="such as STOPLOG_FENCED, or fenced; all conditions if left out",
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
            f"There is no condition {given.name}.{meant} Call 'stoplog error' to list all of them."
        )
    return Answer({"error_condition": found}, lambda: _lines(found))


def _index(known: dict[str, Condition]) -> Iterator[str]:
    yield from table(("CONDITION", "WHAT"), [(each.name, each.what) for each in known.values()])


def _lines(found: Condition) -> Iterator[str]:
    yield f"{found.name} (SQLSTATE {found.sql_state})" if found.sql_state else found.name
    yield ""
    yield found.what
    yield found.now
    if found.pages:
        yield ""
        yield f"More in the guide: {', '.join(found.pages)}."


COMMAND = Command("error", "Explain an error by its name: what it is, and what to do.", arguments, run)
