# SPDX-License-Identifier: Apache-2.0
"""`stoplog adopt PATH`: another query goes on with a sink."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from stoplog.admin import AdminPlan, SinkAdmin
from stoplog.cli.tools import tool
from stoplog.errors import StoplogError


def arguments(parser: ArgumentParser) -> None:
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--checkpoint", metavar="DIR", type=_text, help="of the query that is to own the sink")
    who.add_argument(
        "--query-id", metavar="ID", type=_text, help="its id, where the checkpoint cannot be read from here"
    )
    parser.add_argument(
        "--batch", metavar="N", type=int, help="with --query-id: the batch it begins with (default: 0)"
    )


def plan(sink: SinkAdmin, given: Namespace) -> AdminPlan:
    if given.checkpoint is None:
        return sink.adopt(given.query_id, given.batch or 0)
    if given.batch is not None:
        raise StoplogError(
            "STOPLOG_INVALID_OPTIONS", "--batch has no effect beside --checkpoint, which tells it: remove it."
        )
    return sink.adopt_by(given.checkpoint)


def _text(given: str) -> str:
    if not given.strip():
        raise ArgumentTypeError("it is empty")  # a variable of the shell that is not set
    return given


COMMAND = tool("adopt", "Let another query go on with a sink.", plan, arguments)
