# SPDX-License-Identifier: Apache-2.0
"""The command line `stoplog`, which inspects sinks and their logs without Spark.

Each command is a module in `stoplog.cli.commands`, and is also available in Python.
"""

from __future__ import annotations

from stoplog.cli.main import main

__all__ = ["main"]
