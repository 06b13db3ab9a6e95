# SPDX-License-Identifier: Apache-2.0
"""`stoplog fork PATH`: a sink id beside."""

from __future__ import annotations

from stoplog.cli.tools import tool

COMMAND = tool(
    "fork",
    "Say under which sink id another query can write beside this one.",
    lambda sink, given: sink.fork(),
    changes=False,
)
