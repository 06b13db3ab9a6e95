# SPDX-License-Identifier: Apache-2.0
"""`stoplog reset PATH`: the log begins anew."""

from __future__ import annotations

from argparse import ArgumentParser

from stoplog.admin import OpenRows
from stoplog.cli.tools import tool


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--open",
        choices=[each.value for each in OpenRows],
        default=OpenRows.FINISH.value,
        help="what becomes of rows in open parts: made visible, or kept out of sight (default: finish)",
    )


COMMAND = tool(
    "reset",
    "Begin a sink's log anew: finished files stay, the next query owns it.",
    lambda sink, given: sink.reset(OpenRows(given.open)),
    arguments,
)
