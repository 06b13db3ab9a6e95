# SPDX-License-Identifier: Apache-2.0
"""The sinks that are compared on Spark, each with the settings of its own that the comparison needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bench.engines.paths import class_path
from bench.engines.plan import CORES, Closing, Contender, Engine

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

_POLICIES: Mapping[Closing, stoplog.RollingPolicy] = {
    "at the end": stoplog.DefaultRollingPolicy(rollover_interval="1h", inactivity_interval="1h"),
    "each commit": stoplog.OnCheckpointRollingPolicy(),
}


def writer(contender: Contender, rows: DataFrame, out: str) -> DataStreamWriter:
    if contender.engine == "stoplog":
        return ours(contender, rows, out)
    written_as = "delta" if contender.engine == "Delta" else contender.kind
    return rows.writeStream.format(written_as).option("path", out)


def settings(engine: Engine) -> Mapping[str, str]:
    """Of the session. Delta Lake would gather its log in 50 partitions, which two cores have no use for."""
    if engine != "Delta":
        return {}
    return {
        "spark.jars": class_path("delta").replace(":", ","),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": str(CORES),
    }


def ours(contender: Contender, rows: DataFrame, out: str) -> DataStreamWriter:
    builder = (
        stoplog.FileSink.for_row_format(out, "text")
        if contender.kind == "text"
        else stoplog.FileSink.for_bulk_format(out, stoplog.BulkFormat.parquet())
    )
    sink = (
        builder.with_bucket_assigner(stoplog.BucketAssigner.base_path_bucket_assigner())
        .with_rolling_policy(_POLICIES[contender.closing])
        .with_finalize_on_termination("always")
        .build()
    )
    return sink.write_stream(rows)
