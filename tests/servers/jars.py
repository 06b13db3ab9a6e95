# SPDX-License-Identifier: Apache-2.0
"""The jars that `make servers` leaves beside the servers' class paths: connectors, and their clients.

They are the same on every line of Spark, but for Spark's own Kafka module and the client for S3.
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
    file = CLASS_PATHS / f"spark-kafka-{_line()}.classpath"
    return file.read_text().split(os.pathsep) if file.exists() else []


def s3a() -> str:
    """The class path of the client for S3, of the Hadoop of the line that runs."""
    own = f"s3a-{_line()}"
    return class_path(own if (CLASS_PATHS / f"{own}.classpath").exists() else "s3a")


def _line() -> str:
    return ".".join(version("pyspark").split(".")[:2])


def class_path(name: str) -> str:
    file = CLASS_PATHS / f"{name}.classpath"
    if not file.exists():
        raise RuntimeError(f"{file} is not there: run `make servers`.")
    return file.read_text()
