# SPDX-License-Identifier: Apache-2.0
"""`stoplog adopt PATH`: another query goes on with a sink."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from stoplog.admin import AdminPlan, SinkAdmin
from stoplog.cli.tools import tool


def arguments(parser: ArgumentParser) -> None:
    who = parser.add_mutually_exclusive_group(required=True)
    who.add_argument("--checkpoint", metavar="DIR", help="of the query that is to own the sink")
    who.add_argument("--query-id", metavar="ID", help="its id, where the checkpoint cannot be read from here")
    parser.add_argument(
        "--batch",
        metavar="N",
        type=int,
        default=0,
        help="with --query-id: the batch it begins with (default: 0)",
    )


def plan(sink: SinkAdmin, given: Namespace) -> AdminPlan:
    if given.checkpoint:
        return sink.adopt_by(given.checkpoint)
    return sink.adopt(given.query_id, given.batch)


COMMAND = tool("adopt", "Let another query go on with a sink.", plan, arguments)
