# SPDX-License-Identifier: Apache-2.0
"""`stoplog relocate PATH`: whether a moved directory is whole."""

from __future__ import annotations

from stoplog.cli.tools import tool

COMMAND = tool(
    "relocate",
    "Look whether a directory that was moved or copied is whole.",
    lambda sink, given: sink.relocate(),
    changes=False,
)
