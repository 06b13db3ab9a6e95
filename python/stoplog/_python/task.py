# SPDX-License-Identifier: Apache-2.0
"""The task's half of a two-phase sink: Arrow batches in, a row for each prepared output."""

from __future__ import annotations

import base64
import json
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from stoplog._python.guarding import Writing
from stoplog._python.model import Prepared, WriterTask
from stoplog._python.owner import task_id
from stoplog._shared.user_code import PythonFailed, task_clause

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = "name string, version int, token string, rows bigint, bytes bigint, metrics string"
"""The rows for the jar, which knows these columns."""

_PLAN = "stoplog.plan"
_RUN = "spark.jobGroup.id"
_QUERY = "sql.streaming.queryId"

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class WriterSide:
    """Runs the writers of a sink in tasks.

    Attributes:
        sink: the user's sink.
        start: the id of the call that started the query or the batch.
        schema: the columns as JSON of Spark, if the writers receive rows.
    """

    sink: Any
    start: str
    schema: str | None

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Implements the function of `mapInArrow`."""
        task = self._task()
        if task is None:
            for _ in batches:  # Spark repeats an epoch that the log contains: its rows are written already
                pass
            return
        found = self._prepared(batches, task)
        if found:
            yield _rows(found)

    def _prepared(self, batches: Iterable[pa.RecordBatch], task: WriterTask) -> list[Prepared]:
        writing: Writing | None = None
        try:
            for batch in batches:
                if batch.num_rows:
                    if writing is None:
                        writing = self._called("writer", task, lambda: Writing(self.sink, task))
                    self._called("write", task, self._write, writing, batch)
            return [] if writing is None else self._called("prepare", task, writing.prepare)
        except BaseException:  # also the end of a task that Spark kills
            if writing is not None:
                _undo(writing)
            raise

    def _write(self, writing: Writing, batch: pa.RecordBatch) -> None:
        if self.schema is None:
            writing.write(batch)
        else:
            for row in rows_of(batch, self.schema):
                writing.write(row)

    def _called(
        self, method: str, task: WriterTask, call: Callable[..., _Result], *arguments: Any
    ) -> _Result:
        try:
            return call(*arguments)
        except (Exception, SystemExit) as error:
            owner = f"The Python method {method} of {type(self.sink).__name__}"
            raise PythonFailed(owner, error, task_clause(task.epoch, task.partition)) from error

    def _task(self) -> WriterTask | None:
        """Returns this task; `None` if its epoch is committed."""
        from pyspark import TaskContext

        context: Any = TaskContext.get()
        epoch, _, committed = (context.getLocalProperty(_PLAN) or "").partition(":")
        if committed == "true":
            return None
        number = int(epoch) if epoch else None
        return WriterTask(
            id=task_id(context.getLocalProperty(_QUERY), number, context.partitionId()),
            run=(context.getLocalProperty(_RUN) if epoch else None) or self.start,
            epoch=number,
            partition=context.partitionId(),
            attempt=context.attemptNumber(),
        )


def rows_of(batch: pa.RecordBatch, schema: str) -> list[Any]:
    """Returns the rows of a batch as `Row` objects of Spark."""
    import pyarrow as pa
    from pyspark.sql.conversion import ArrowTableToRowsConversion
    from pyspark.sql.types import StructType

    columns = StructType.fromJson(json.loads(schema))
    return ArrowTableToRowsConversion.convert(pa.Table.from_batches([batch]), columns)


def _undo(writing: Writing) -> None:
    """The failure that led here is reported, and not one of `abort`: recovery finds the remainder."""
    try:
        writing.abort()
    except (Exception, SystemExit):
        traceback.print_exc(file=sys.stderr)


def _rows(found: list[Prepared]) -> pa.RecordBatch:
    import pyarrow as pa

    columns = [
        pa.array([each.name for each in found], pa.string()),
        pa.array([each.version for each in found], pa.int32()),
        pa.array([base64.b64encode(each.token).decode("ascii") for each in found], pa.string()),
        pa.array([each.rows for each in found], pa.int64()),
        pa.array([each.size_bytes for each in found], pa.int64()),
        pa.array([json.dumps(each.metrics or {}) for each in found], pa.string()),
    ]
    return pa.RecordBatch.from_arrays(columns, names=[column.split()[0] for column in COLUMNS.split(", ")])
