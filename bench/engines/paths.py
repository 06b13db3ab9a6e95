# SPDX-License-Identifier: Apache-2.0
"""Where things are that `make bench-peers` has set up."""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
CACHE = ROOT / ".cache" / "peers"
READERS = CACHE / "python"
"""Python packages that only the check of the results needs."""

ICEBERG_SPARK = CACHE / "spark-iceberg"
"""The Spark that Iceberg runs on, as a Python package."""

_CLASS_PATHS = ROOT / "build" / "servers"


def class_path(name: str) -> str:
    """The jars, separated as Java wants them."""
    file = _CLASS_PATHS / f"{name}.classpath"
    if not file.exists():
        raise RuntimeError(f"{file} is not there: run `make bench-peers`.")
    return file.read_text(encoding="utf-8")


def java() -> str:
    return os.environ.get("JAVA", "java")
