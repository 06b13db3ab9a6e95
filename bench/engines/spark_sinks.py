# SPDX-License-Identifier: Apache-2.0
"""The sinks that are compared on Spark, each with the settings of its own that the comparison needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bench.engines.paths import ICEBERG_SPARK, class_path
from bench.engines.plan import CODEC, CORES, Closing, Contender, Engine

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

_POLICIES: Mapping[Closing, stoplog.RollingPolicy] = {
    "at the end": stoplog.DefaultRollingPolicy(rollover_interval="1h", inactivity_interval="1h"),
    "each commit": stoplog.OnCheckpointRollingPolicy(),
}


def writer(contender: Contender, rows: DataFrame, out: str) -> DataStreamWriter:
    match contender.engine:
        case "stoplog":
            return ours(contender, rows, out)
        case "Iceberg":
            return iceberg(rows, out)
        case "Delta":
            return rows.writeStream.format("delta").option("path", out)
        case _:
            return rows.writeStream.format(contender.kind).option("path", out)


def settings(engine: Engine) -> Mapping[str, str]:
    """Of the session. Delta Lake would gather its log in 50 partitions, which two cores have no use for."""
    match engine:
        case "Delta":
            return {
                "spark.jars": class_path("deltaSpark").replace(":", ","),
                "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
                "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
                "spark.databricks.delta.snapshotPartitions": str(CORES),
            }
        case "Iceberg":
            return {"spark.jars": class_path("icebergSpark")}
        case _:
            return {}


def environment(engine: Engine) -> Mapping[str, str]:
    """Of the worker's process: Iceberg has no artifact for the Spark of the others, and brings its own."""
    return {"PYTHONPATH": str(ICEBERG_SPARK)} if engine == "Iceberg" else {}


def iceberg(rows: DataFrame, out: str) -> DataStreamWriter:
    """Into a table that has no catalog but its directory, and that is given the codec of the others."""
    spark = rows.sparkSession
    jvm = spark._jvm
    assert jvm is not None
    library = jvm.org.apache.iceberg
    library.hadoop.HadoopTables(spark._jsparkSession.sessionState().newHadoopConf()).create(
        library.spark.SparkSchemaUtil.convert(rows._jdf.schema()),
        library.PartitionSpec.unpartitioned(),
        {"write.parquet.compression-codec": CODEC},
        out,
    )
    return rows.writeStream.format("iceberg").option("path", out)


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
