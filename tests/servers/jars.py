# SPDX-License-Identifier: Apache-2.0
"""The jars that `make servers` leaves beside the servers' class paths: connectors, and their clients.

They are the same on every line of Spark, but for Spark's own Kafka module.
"""

from __future__ import annotations

import os
from importlib.metadata import version
from pathlib import Path

CLASS_PATHS = Path(__file__).resolve().parent.parent.parent / "build" / "servers"


def jars(*connectors: str) -> str:
    """The value of `spark.jars` for some connectors, or for all of them."""
    found = [jar for name in connectors or ["connectors"] for jar in class_path(name).split(os.pathsep)]
    return ",".join([*found, *(spark_kafka() if not connectors or "kafka" in connectors else [])])


def spark_kafka() -> list[str]:
    """Spark's own Kafka module, of the line that runs; nothing where none of that line is published."""
    line = ".".join(version("pyspark").split(".")[:2])
    file = CLASS_PATHS / f"spark-kafka-{line}.classpath"
    return file.read_text().split(os.pathsep) if file.exists() else []


def class_path(name: str) -> str:
    file = CLASS_PATHS / f"{name}.classpath"
    if not file.exists():
        raise RuntimeError(f"{file} is not there: run `make servers`.")
    return file.read_text()
