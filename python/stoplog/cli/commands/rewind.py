# SPDX-License-Identifier: Apache-2.0
"""`stoplog rewind PATH --epoch N`: back to an older epoch."""

from __future__ import annotations

from argparse import ArgumentParser

from stoplog.cli.tools import tool


def arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--epoch", metavar="N", type=int, required=True, help="the last epoch to stay; -1 for none"
    )


COMMAND = tool(
    "rewind",
    "Go back to the end of an older epoch, and move aside what is newer.",
    lambda sink, given: sink.rewind(given.epoch),
    arguments,
)
