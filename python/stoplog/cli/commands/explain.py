# SPDX-License-Identifier: Apache-2.0
"""`stoplog explain PATH PART`: why a file is, or is not, what readers see."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from stoplog.cli.arguments import add_path, add_sink_id, directory_of
from stoplog.cli.command import Answer, Command
from stoplog.cli.exit_code import ExitCode
from stoplog.inspection import Explanation, PartState


def arguments(parser: ArgumentParser) -> None:
    add_path(parser)
    parser.add_argument("part", metavar="PART", help="a file's name or path, finished or not")
    add_sink_id(parser)


def run(arguments: Namespace) -> Answer:
    found = directory_of(arguments).explain(arguments.part, arguments.sink_id)
    code = ExitCode.CANNOT_READ if found.state is PartState.UNKNOWN else ExitCode.OK
    return Answer({"explain": found}, lambda: _lines(found), code)


def _lines(found: Explanation) -> Iterator[str]:
    sink = f" (sink {found.sink_id})" if found.sink_id else ""
    yield f"{found.path or found.asked}: {found.state.value}{sink}"
    yield found.message


COMMAND = Command("explain", "Explain a part file: why it is visible, or why not.", arguments, run)
