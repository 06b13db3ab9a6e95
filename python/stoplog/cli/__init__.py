# SPDX-License-Identifier: Apache-2.0
"""The command line `stoplog`: it looks at sinks and their logs without Spark.

Each command is a module in `stoplog.cli.commands`; what it does, Python can do as well.
"""

from __future__ import annotations

from stoplog.cli.main import main

__all__ = ["main"]
