# SPDX-License-Identifier: Apache-2.0
"""Spark in this process, for the commands that cannot do without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stoplog.errors import StoplogError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession


def local_session(command: str, settings: Mapping[str, str]) -> SparkSession:
    """A session of its own on all processors.

    Args:
        command: as the user calls it.
        settings: of Spark, which win over these.

    Raises:
        StoplogError: there is no pyspark.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise StoplogError(
            "STOPLOG_TOOL_SPARK",
            f"stoplog {command} takes Spark. Install pyspark in this environment.",
        ) from None
    from stoplog.session import configure

    builder: SparkSession.Builder = SparkSession.builder
    builder = builder.master("local[*]").appName(f"stoplog {command}")
    builder = builder.config("spark.ui.enabled", "false").config("spark.log.level", "WARN")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return configure(builder).getOrCreate()
