# SPDX-License-Identifier: Apache-2.0
"""Files as Spark's own sources and sinks have them, cell by cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import stoplog

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

    Options: TypeAlias = Mapping[str, str] | None
    Schema: TypeAlias = StructType | str | None

_AVRO = "org.apache.spark.sql.avro.AvroFileFormat"
"""Spark's own sink of Avro, whose short name needs a registration that only a deployment has."""

_AS_JSON = "map('ignoreNullFields', 'false', 'timestampFormat', 'yyyy-MM-dd HH:mm:ss.SSSSSSXXX')"


def spark_writes(rows: DataFrame, form: str, path: Path, options: Options = None) -> Path:
    rows.write.format(_sparks(form)).options(**(options or {})).mode("append").save(str(path))
    return path


def stoplog_writes(rows: DataFrame, form: str, path: Path, options: Options = None) -> Path:
    """Without buckets, unless the options say otherwise."""
    given = options or {}
    flat = {} if "partitionBy" in given else {"bucketAssigner": "basePath"}
    rows.write.format("stoplog").options(format=form, **flat, **given).mode("append").save(str(path))
    return path


def spark_reads(
    spark: SparkSession, form: str, path: Path, schema: Schema, options: Options = None
) -> DataFrame:
    return _loaded(spark, _sparks(form), path, schema, options or {})


def stoplog_reads(
    spark: SparkSession, form: str, path: Path, schema: Schema, options: Options = None
) -> DataFrame:
    return _loaded(spark, "stoplog", path, schema, {"format": form, **(options or {})})


def stoplog_streams(
    spark: SparkSession, form: str, path: Path, to: Path, schema: Schema, options: Options = None
) -> Path:
    """What a query makes of the files that reads them as a stream, and writes what it reads."""
    given = {"format": form, **(options or {})}
    read = spark.readStream.format("stoplog").options(**given).schema(schema or "").load(str(path))
    writer = read.writeStream.format("stoplog").options(**given, bucketAssigner="basePath")
    query = writer.option("checkpointLocation", f"{to}-checkpoint").trigger(availableNow=True).start(str(to))
    query.awaitTermination()
    assert stoplog.await_finished(query, timeout=300).in_time
    return to


def texts(rows: DataFrame) -> list[dict[str, str]]:
    """Each value as text that no other value has: zeros with a sign and microseconds are told apart."""
    columns = [f"to_json(named_struct('v', `{name}`), {_AS_JSON}) AS `{name}`" for name in rows.columns]
    return [row.asDict() for row in rows.selectExpr(*columns).collect()]


def row_text(rows: DataFrame) -> DataFrame:
    """A column `row`, with the same of all columns."""
    return rows.selectExpr(f"to_json(struct(*), {_AS_JSON}) AS row")


def files(path: Path) -> list[Path]:
    """Those that a reader sees: no name above them or of their own begins with `_` or `.`."""
    found = (file.relative_to(path) for file in path.rglob("*") if file.is_file())
    return sorted(path / file for file in found if not any(part[0] in "._" for part in file.parts))


def _loaded(
    spark: SparkSession, form: str, path: Path, schema: Schema, options: Mapping[str, str]
) -> DataFrame:
    reader = spark.read.format(form).options(**options)
    return (reader if schema is None else reader.schema(schema)).load(str(path))


def _sparks(form: str) -> str:
    return _AVRO if form == "avro" else form
