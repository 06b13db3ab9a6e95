# SPDX-License-Identifier: Apache-2.0
"""`stoplog clean PATH`: what dead attempts have left behind."""

from __future__ import annotations

from stoplog.cli.tools import tool

COMMAND = tool(
    "clean",
    "Remove unfinished files that nobody needs, and say what spares the others.",
    lambda sink, given: sink.clean(),
)
