# SPDX-License-Identifier: Apache-2.0
"""Bucket and encoder functions in a task. Travels by value: see `task`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoplog._functions.task import Function, PythonResult, column_of
from stoplog._shared.user_code import described

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa


class BucketNames:
    """Adds the column with the bucket of each row.

    Args:
        columns: the columns of the function's batch.
        name: the name of the new column.
    """

    def __init__(self, function: Function, columns: Sequence[str], name: str) -> None:
        self.function = function
        self.columns = list(columns)
        self.name = name

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Implements the function of `mapInArrow`."""
        import pyarrow as pa

        for batch in batches:
            if batch.num_rows:
                names = self.of(batch.select(self.columns))
                schema = batch.schema.append(pa.field(self.name, pa.string()))
                yield pa.RecordBatch.from_arrays([*batch.columns, names], schema=schema)

    def structs(self, arrays: Iterable[pa.StructArray]) -> Iterator[pa.Array]:
        """Implements the function of an Arrow UDF of one struct."""
        import pyarrow as pa

        for rows in arrays:
            yield self.of(pa.RecordBatch.from_struct_array(rows)) if len(rows) else pa.array([], pa.string())

    def of(self, batch: pa.RecordBatch) -> pa.Array:
        import pyarrow as pa

        return column_of(self.function.owner, self.function(batch), batch.num_rows, "name", pa.string())


class Encoded:
    """Encodes the rows of each bucket.

    Args:
        columns: the columns of the encoder's batch.
        buckets: the function of the buckets; `None` if columns determine the buckets.
        by: the columns that determine the bucket.
        kept: the columns that the sink needs besides the bytes.
        value: the name of the column with the bytes.
        times: the columns that have a single value in all rows of a chunk: the event time of a rolling
            policy, which sees a chunk as one row.
    """

    def __init__(
        self,
        function: Function,
        columns: Sequence[str],
        buckets: BucketNames | None,
        by: Sequence[str],
        kept: Sequence[str],
        value: str,
        times: Sequence[str] = (),
    ) -> None:
        self.function = function
        self.columns = list(columns)
        self.buckets = buckets
        self.by = list(by)
        self.kept = list(kept)
        self.value = value
        self.times = list(times)

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Implements the function of `mapInArrow`."""
        for batch in batches if self.buckets is None else self.buckets(batches):
            if batch.num_rows:
                for bucket in groups(batch, self.by):
                    yield from self._encoded(bucket)

    def _encoded(self, rows: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        values = encoded(self.function, rows.select(self.columns))
        kept = rows.select(self.kept)
        if len(values) != rows.num_rows:
            # Only now the result is known to be a chunk: values of rows are encoded in one call.
            same_time = list(groups(rows, self.times))
            if len(same_time) > 1:
                for group in same_time:
                    yield from self._encoded(group)
                return
            kept = kept.slice(0, 1)
        if len(values):
            schema = kept.schema.append(pa.field(self.value, pa.binary()))
            yield pa.RecordBatch.from_arrays([*kept.columns, values], schema=schema)


def encoded(function: Function, rows: pa.RecordBatch) -> pa.Array:
    """Returns the bytes of each row, or one chunk for all rows; nothing for a chunk without bytes."""
    import pyarrow as pa

    result: Any = function(rows)
    if isinstance(result, bytes | bytearray | memoryview | pa.Buffer):
        chunk = bytes(result) if isinstance(result, memoryview | pa.Buffer) else result
        return pa.array([chunk] if len(chunk) else [], pa.binary())
    if result is None or isinstance(result, str):
        repair = "Return bytes for each row of the batch, or all bytes of the batch as one chunk."
        raise PythonResult(function.owner, f"{described(result)} for a batch", repair)
    return column_of(function.owner, result, rows.num_rows, "value", pa.binary())


def groups(batch: pa.RecordBatch, by: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Returns the rows of a batch by the values of columns; the order of the rows of a group stays."""
    import pyarrow as pa
    import pyarrow.compute as pc

    codes = None
    for name in by:
        column = batch.column(name).dictionary_encode(null_encoding="encode")
        own = column.indices.cast(pa.int64())
        if len(column.dictionary) > 1:
            codes = own if codes is None else pc.add(pc.multiply(codes, len(column.dictionary)), own)
    if codes is None:
        yield batch
        return
    order = pc.sort_indices(codes)
    arranged = batch.take(order)
    start = 0
    for end in pc.run_end_encode(codes.take(order)).run_ends.to_pylist():
        yield arranged.slice(start, end - start)
        start = end
