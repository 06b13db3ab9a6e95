# SPDX-License-Identifier: Apache-2.0
"""The write methods that all sinks with options share."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from stoplog._options.builder import OptionBacked
from stoplog._shared.this_python import completed
from stoplog._text.values import path_text
from stoplog.errors import InvalidOptions, NotFinished, StartRefused, condition_of
from stoplog.errors.base import text_of
from stoplog.metrics import SinkMetrics, SinkProgress, at_the_end, newest_progress
from stoplog.stopping import await_finished

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter


@dataclass(frozen=True, slots=True, repr=False)
class Sink(OptionBacked):
    """A sink that is defined by options."""

    _format: ClassVar[str]
    _layout: ClassVar[str] = "this sink has no directories, so remove the call"

    def write_stream(
        self, df: DataFrame, checkpoint_location: str | os.PathLike[str] | None = None
    ) -> DataStreamWriter:
        """Returns the writer of a streaming query that is set to this sink, in append mode.

        The writer raises `InvalidOptions` for `partitionBy` and `clusterBy`: Spark passes their columns to no
        sink.

        Args:
            df: a streaming DataFrame.
            checkpoint_location: the directory in which the query keeps its progress, for one query and one
                sink. The default is Spark's `spark.sql.streaming.checkpointLocation`. Kafka sinks and
                write-ahead sinks keep their logs in this directory, unless `with_log_location` sets another.

        Returns:
            Spark's own writer, for a trigger, an output mode, a query name and `start()`. `start()`
            raises `StartRefused` if the sink refuses.

        Example:
            query = (
                sink.write_stream(events, checkpoint_location="/data/checkpoint")
                .trigger(processingTime="10 seconds")
                .start()
            )
        """
        options = completed(self.options(), df)
        writer: Any = (
            self._prepared(df).writeStream.format(self._format).options(**options).outputMode("append")
        )
        if checkpoint_location is not None:
            writer = writer.option("checkpointLocation", path_text(checkpoint_location))
        for method in ("partitionBy", "clusterBy"):
            setattr(writer, method, self._refusing(method))
        for method in ("start", "toTable"):
            setattr(writer, method, _starting(getattr(writer, method)))
        found: DataStreamWriter = writer
        return found

    def run_available_now(
        self, df: DataFrame, checkpoint_location: str | os.PathLike[str], timeout: float = 600.0
    ) -> SinkProgress:
        """Writes all rows that the stream has now, and returns when readers see the rows.

        Starts a query with the trigger `availableNow`, waits for its end, and waits until the sink has
        published its last parts.

        Args:
            df: a streaming DataFrame, classic or Connect.
            checkpoint_location: the directory in which the query keeps its progress.
            timeout: the maximum seconds for the sink's work after the end of the query.

        Returns:
            The progress of the last micro-batch, with the sink's metrics of the whole run. Without any
            micro-batch, the batch is -1 and all metrics are 0.

        Raises:
            NotFinished: the sink could not publish all rows in time. The next run publishes the rows. Rows
                that the option `finalizeOnTermination=never` leaves open count as well.

        Example:
            progress = sink.run_available_now(events, "/data/checkpoint")
            print(progress.metrics.published_rows)
        """
        query = self.write_stream(df, checkpoint_location).trigger(availableNow=True).start()
        query.awaitTermination()
        finished = await_finished(query, timeout)
        if not finished:
            raise NotFinished(str(query.name or query.runId), finished.open_parts, finished.rows)
        last = newest_progress(query) or SinkProgress(-1, "", 0, SinkMetrics())
        return at_the_end(query, last, timeout)

    def _prepared(self, df: DataFrame) -> DataFrame:
        """Returns the rows as the JVM's sink expects the rows."""
        return df

    def _write(self, df: DataFrame, mode: str) -> None:
        options = completed(self.options(), df)
        self._prepared(df).write.format(self._format).options(**options).mode(mode).save()

    def _refusing(self, method: str) -> Callable[..., NoReturn]:
        def refuse(*columns: object) -> NoReturn:
            named = ", ".join(repr(each) for each in columns)
            raise InvalidOptions(
                "STOPLOG_INVALID_OPTIONS",
                f"{method}({named}) has no effect on a streaming sink, because Spark does not pass the "
                f"columns on: {self._layout}.",
            )

        return refuse


def _starting(start: Callable[..., StreamingQuery]) -> Callable[..., StreamingQuery]:
    """Returns the method with one class for all refusals, whose class in Spark depends on their origin."""

    @functools.wraps(start)
    def started(*arguments: object, **named: object) -> StreamingQuery:
        try:
            return start(*arguments, **named)
        except Exception as error:
            condition = condition_of(error)
            if condition is None or not condition.startswith("STOPLOG_"):
                raise
            raise StartRefused(condition, text_of(error)) from error

    return started
