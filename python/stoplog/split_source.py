# SPDX-License-Identifier: Apache-2.0
"""Sources of the user: splits that are found on the driver, and read by tasks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from stoplog._functions.splits import Split, SplitEnumerator

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["Split", "SplitEnumerator", "SplitSource"]


class SplitSource(ABC):
    """A source of the user: splits, which the log of the query records before their rows are read.

    Exactly once: a micro-batch that Spark repeats reads the same splits. The object is pickled when a query
    starts, with the module of its class. Connections belong in the enumerator and in `read_split`.

    Example:
        class Numbers(SplitSource):
            schema = "n bigint"

            def enumerator(self, snapshot):
                return NumbersEnumerator(snapshot or 0)

            def read_split(self, split):
                start, end = split.position
                yield pyarrow.RecordBatch.from_pydict({"n": range(start, end)})
    """

    schema: str
    """The columns of the rows, as DDL such as `"id bigint, name string"`."""

    @abstractmethod
    def enumerator(self, snapshot: Any) -> SplitEnumerator:
        """Creates the enumerator of a query.

        Args:
            snapshot: the newest recorded `snapshot()`; `None` for a new query, and for a batch.
        """

    @abstractmethod
    def read_split(self, split: Split) -> Iterable[pa.RecordBatch | pa.Table]:
        """Returns the rows of a split as Arrow batches, the same rows each time. Called in a task."""

    def cut(self, split: Split, rows: int) -> tuple[Split, Split] | None:
        """Cuts a split that is too large for the limit of rows.

        Returns:
            A split of 1 to `rows` rows, and a split of the other rows; `None` if the split cannot be cut. A
            micro-batch contains at least one split, even if the split is larger than the limit.
        """
        return None

    def read_stream(
        self,
        spark: SparkSession,
        max_rows_per_trigger: int | None = None,
        max_splits_per_trigger: int | None = None,
    ) -> DataFrame:
        """Returns the rows as a streaming DataFrame.

        Args:
            spark: a session, classic or Connect.
            max_rows_per_trigger: the limit of rows of a micro-batch; splits must have a number of rows.
            max_splits_per_trigger: the limit of splits of a micro-batch.

        Raises:
            TypeError: the source cannot be pickled; the message has the reason.

        Example:
            rows = Numbers().read_stream(spark, max_splits_per_trigger=10)
        """
        from stoplog._functions.source_frame import rows_of

        limits = {"maxRowsPerTrigger": max_rows_per_trigger, "maxFilesPerTrigger": max_splits_per_trigger}
        return rows_of(self, spark.readStream, limits)

    def read(self, spark: SparkSession) -> DataFrame:
        """Returns the present rows as a DataFrame.

        Raises:
            TypeError: the source cannot be pickled; the message has the reason.

        Example:
            Numbers().read(spark).agg({"n": "sum"}).show()
        """
        from stoplog._functions.source_frame import rows_of

        return rows_of(self, spark.read, {})
