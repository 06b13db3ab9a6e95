# SPDX-License-Identifier: Apache-2.0
"""Sinks of one's own with a two-phase commit: tasks prepare rows, and the driver commits recorded rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Literal

from stoplog._python.model import CommitOutcome, Prepared, Staged, WriterTask

if TYPE_CHECKING:
    import os
    from typing import Any

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

__all__ = [
    "CommitOutcome",
    "Prepared",
    "Staged",
    "TwoPhaseCommitter",
    "TwoPhaseSink",
    "TwoPhaseWriter",
    "WriterTask",
]


class TwoPhaseWriter(ABC):
    """Writes the rows of one attempt of one task. The rows stay invisible for readers."""

    @abstractmethod
    def write(self, batch: Any) -> None:
        """Writes an Arrow record batch; a `Row` if the sink receives rows."""

    @abstractmethod
    def prepare(self) -> list[Prepared]:
        """Makes all rows durable, so that any process can commit the rows. Called once, after all rows.

        Returns:
            Usually one element; an empty list if there is nothing to commit.
        """

    def abort(self) -> None:  # noqa: B027  optional
        """Undoes the rows at once, if possible. Called if the task fails before `prepare` has returned.

        A killed task calls nothing: only `staged()` of the committer finds everything.
        """


class TwoPhaseCommitter(ABC):
    """Commits prepared rows on the driver. Used by one thread at a time.

    A committer may also have a method `commit_all(prepared: list[Prepared]) -> list[CommitOutcome]`, which
    stoplog calls instead of `commit`, with all outputs of an epoch that wait at this moment.
    """

    @abstractmethod
    def commit(self, prepared: Prepared) -> CommitOutcome:
        """Makes rows visible. Called again after each failure with an unknown outcome, by any process.

        Returns:
            `COMMITTED`, or `ALREADY_COMMITTED` if the rows were visible before, or `LOST` if the rows are
            gone and were never visible.
        """

    def staged(self) -> list[Staged]:
        """Returns all uncommitted output of this sink, which recovery aborts if no record names it.

        The output of other queries with the same target may be included: stoplog recognizes the output by
        the `task.id` in its tokens, and does not abort it. After `onForeignQuery=adopt`, the user aborts what
        the former query of the log has left.
        """
        return []

    def abort(self, prepared: Prepared) -> None:  # noqa: B027  optional
        """Undoes uncommitted output; must not fail if the output is gone. Only the token is set."""

    def close(self) -> None:  # noqa: B027  optional
        """Releases connections. No other method is called afterwards."""


class TwoPhaseSink(ABC):
    """A sink for any system that can hold rows back until a commit: each row is visible exactly once.

    One record of stoplog's log decides each epoch. Recovery repeats the commits of a record, older drivers
    are fenced, and output without a record is aborted.

    A sink is pickled and sent to the tasks and to the driver's Python process. So it keeps parameters only:
    connections belong into the writer and the committer, and so do secrets, such as `os.environ["NAME"]`.

    Example:
        class Shop(stoplog.TwoPhaseSink):
            def __init__(self, directory):
                self.directory = directory

            def writer(self, task):
                return ShopWriter(self.directory, task)

            def committer(self):
                return ShopCommitter(self.directory)

        Shop("/data/shop").write_stream(orders, "/data/checkpoint").start()
    """

    target: str = ""
    """The target of the rows, for messages; the name of the class by default."""

    kind: ClassVar[str] = ""
    """The kind of the sink in the log, the same over all releases; the name of the class by default."""

    token_version: ClassVar[int] = 1
    """The version of the tokens. Increase it if `commit` has to distinguish old tokens from new tokens."""

    receives: ClassVar[Literal["batches", "rows"]] = "batches"
    """What `write` of a writer receives: Arrow record batches, or each `Row`."""

    schema: str = ""
    """The columns that the sink accepts, as DDL such as `"id bigint, name string"`; any by default."""

    @abstractmethod
    def writer(self, task: WriterTask) -> TwoPhaseWriter:
        """Creates the writer of one attempt of one task, at the first row. Called in a task."""

    @abstractmethod
    def committer(self) -> TwoPhaseCommitter:
        """Creates the committer. Called in the driver's Python process."""

    def write_stream(
        self, df: DataFrame, checkpoint_location: str | os.PathLike[str] | None = None
    ) -> DataStreamWriter:
        """Returns the writer of a streaming query that is set to this sink, in append mode.

        Options of the writer: `sinkId`, `logLocation`, `onLostPart`, `onForeignQuery` and `pythonTimeout`.

        Args:
            df: a streaming DataFrame, classic or Connect.
            checkpoint_location: the directory in which the query keeps its progress, and the sink its log.

        Returns:
            Spark's own writer, for options, a trigger, a query name and `start()`.

        Raises:
            TypeError: the sink cannot be pickled, or the rows have other columns than `schema`.
            ValueError: an attribute of the sink has the name of a secret, or the checkpoint is empty.

        Example:
            query = Shop("/data/shop").write_stream(orders, "/data/checkpoint").start()
        """
        # Here, because this module travels to processes without the other modules.
        from stoplog._python.frames import prepared_frame, sink_options
        from stoplog._text.values import path_text

        frame = prepared_frame(df, self)
        writer: Any = frame.writeStream.format("stoplog").options(**sink_options(df, self))
        writer = writer.outputMode("append")
        if checkpoint_location is not None:
            writer = writer.option("checkpointLocation", path_text(checkpoint_location))
        found: DataStreamWriter = writer
        return found

    def write(self, df: DataFrame, **options: str) -> None:
        """Writes a batch. All tasks prepare their rows before the first commit.

        A batch has no log: if the driver dies during the commits, some of the rows are visible.

        Args:
            df: a batch DataFrame, classic or Connect.
            options: options of the write, such as `pythonTimeout`.

        Raises:
            TypeError: the sink cannot be pickled, or the rows have other columns than `schema`.
            ValueError: an attribute of the sink has the name of a secret.

        Example:
            Shop("/data/shop").write(orders, pythonTimeout="5m")
        """
        from stoplog._python.frames import prepared_frame, sink_options

        frame = prepared_frame(df, self)
        frame.write.format("stoplog").options(**sink_options(df, self), **options).mode("append").save()
