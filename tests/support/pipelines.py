# SPDX-License-Identifier: Apache-2.0
"""What `stoplog_pipeline` runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming import DataStreamWriter

# One task for each input file.
CONF = {"spark.sql.files.openCostInBytes": "128m"}


def text_lines(spark: SparkSession, source: str, sink: str, **options: str) -> DataStreamWriter:
    """Reads lines, two files a batch, and writes them by stoplog."""
    rows = spark.readStream.option("maxFilesPerTrigger", 2).text(source)
    return rows.writeStream.format("stoplog").options(**options).option("path", sink)
