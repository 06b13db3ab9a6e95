# SPDX-License-Identifier: Apache-2.0
"""Spark's own writer of a stream, set to a sink."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter


def stream_writer(
    df: DataFrame,
    name: str,
    options: dict[str, str],
    checkpoint_location: str | os.PathLike[str] | None,
) -> DataStreamWriter:
    """In append mode.

    Args:
        df: a streaming DataFrame.
        name: by which Spark finds the sink.
        options: the sink's.
        checkpoint_location: left to `spark.sql.streaming.checkpointLocation` if there is none.
    """
    writer = df.writeStream.format(name).options(**options).outputMode("append")
    if checkpoint_location is None:
        return writer
    return writer.option("checkpointLocation", os.fspath(checkpoint_location))
