# SPDX-License-Identifier: Apache-2.0
"""The jars of connectors, which `make servers` builds beside the servers' class paths."""

from __future__ import annotations

import os
from pathlib import Path

CLASS_PATHS = Path(__file__).resolve().parent.parent.parent / "build" / "servers"
ALL = ("cassandra", "jdbc", "kafka", "wal")


def jars(*connectors: str) -> str:
    """The value of `spark.jars` for some connectors, or for all of them."""
    paths = [(CLASS_PATHS / f"{name}.classpath").read_text() for name in connectors or ALL]
    return ",".join(path.replace(os.pathsep, ",") for path in paths)
