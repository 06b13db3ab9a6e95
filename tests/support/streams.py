# SPDX-License-Identifier: Apache-2.0
"""A query in the tests' own session."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import stoplog

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

    from support.place import Place

TEXT = {"format": "text", "bucketAssigner": "basePath"}


@dataclass(frozen=True, slots=True)
class Stream:
    """Reads a place's input, two files a batch, and writes it by stoplog.

    Args:
        options: of the sink.
        change: what is done to the rows on their way, if anything.
    """

    spark: SparkSession
    place: Place
    options: Mapping[str, str] = field(default_factory=lambda: TEXT)
    change: Callable[[DataFrame], DataFrame] = lambda rows: rows

    def writer(self, **more: str) -> DataStreamWriter:
        rows = self.spark.readStream.option("maxFilesPerTrigger", 2).text(str(self.place.input))
        checkpointed = self.change(rows).writeStream.format("stoplog").options(**{**self.options, **more})
        return checkpointed.option("checkpointLocation", str(self.place.checkpoint))

    def start(self, trigger: Mapping[str, Any] | None = None, **more: str) -> StreamingQuery:
        chosen = trigger or {"processingTime": "0 seconds"}
        return self.writer(**more).trigger(**chosen).start(str(self.place.out))

    def run(self, **more: str) -> StreamingQuery:
        """Takes all input there is, to the end of its finalizing."""
        query = self.start({"availableNow": True}, **more)
        query.awaitTermination()
        assert stoplog.await_finished(query, timeout=300).in_time
        return query
