# SPDX-License-Identifier: Apache-2.0
"""The state of a sink's directory as tables."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal

from stoplog._options.builder import FORMAT
from stoplog._text.values import path_text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def parts(spark: SparkSession, path: str | os.PathLike[str], sink_id: str = "main") -> DataFrame:
    """Returns the finished parts in the sink's log, one row for each part.

    Args:
        spark: a session, classic or Connect.
        path: the sink's path.
        sink_id: the sink id under the path; `main` by default.

    Example:
        stoplog.parts(spark, "/data/out").groupBy("bucket").count().show()
    """
    return _view(spark, path, sink_id, "parts")


def epochs(spark: SparkSession, path: str | os.PathLike[str], sink_id: str = "main") -> DataFrame:
    """Returns the committed epochs in the sink's log, one row for each epoch.

    Args:
        spark: a session, classic or Connect.
        path: the sink's path.
        sink_id: the sink id under the path; `main` by default.

    Example:
        stoplog.epochs(spark, "/data/out").show()
    """
    return _view(spark, path, sink_id, "epochs")


def open_parts(spark: SparkSession, path: str | os.PathLike[str], sink_id: str = "main") -> DataFrame:
    """Returns the open parts, whose rows readers do not see yet, one row for each part.

    Args:
        spark: a session, classic or Connect.
        path: the sink's path.
        sink_id: the sink id under the path; `main` by default.

    Example:
        stoplog.open_parts(spark, "/data/out").isEmpty()
    """
    return _view(spark, path, sink_id, "open")


def incomplete_buckets(spark: SparkSession, path: str | os.PathLike[str], sink_id: str = "main") -> DataFrame:
    """Returns the buckets with rows that no marker counts yet, one row each.

    Empty without the marker options.

    Args:
        spark: a session, classic or Connect.
        path: the sink's path.
        sink_id: the sink id under the path; `main` by default.

    Example:
        stoplog.incomplete_buckets(spark, "/data/out").orderBy("bucket").show()
    """
    return _view(spark, path, sink_id, "buckets")


def _view(
    spark: SparkSession,
    path: str | os.PathLike[str],
    sink_id: str,
    view: Literal["parts", "epochs", "open", "buckets"],
) -> DataFrame:
    options = {"view": view, "sinkId": sink_id}
    return spark.read.format(FORMAT).options(**options).load(path_text(path))
