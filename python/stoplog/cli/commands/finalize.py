# SPDX-License-Identifier: Apache-2.0
"""`stoplog finalize PATH`: every row of a stopped query visible."""

from __future__ import annotations

from stoplog.cli.tools import tool

COMMAND = tool("finalize", "Finish the open parts of a stopped query.", lambda sink, given: sink.finalize())
