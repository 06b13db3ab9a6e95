# SPDX-License-Identifier: Apache-2.0
"""Rows from Arrow and back, by PySpark's own conversions: Python values are those of `collect()`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from stoplog._async.outcome import BadAnswer, ResultRow

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Row
    from pyspark.sql.types import StructType


def rows_of(batch: pa.RecordBatch, schema: StructType) -> list[Row]:
    """The rows of an Arrow batch, with fields by name and by position."""
    import pyarrow as pa
    from pyspark.sql.conversion import ArrowTableToRowsConversion

    return ArrowTableToRowsConversion.convert(pa.Table.from_batches([batch]), schema)


def batches_of(rows: Sequence[tuple[Any, ...]], schema: StructType) -> list[pa.RecordBatch]:
    """Arrow batches of rows that are as wide as the schema; of no rows, none."""
    from pyspark.sql.conversion import LocalDataToArrowConversion

    if not rows:
        return []
    return list(LocalDataToArrowConversion.convert(list(rows), schema, False).to_batches())


def positional(row: ResultRow, names: Sequence[str]) -> tuple[Any, ...]:
    """A row's values in the order of the schema; those that a dict leaves out are null.

    >>> positional({"b": 2}, ["a", "b"])
    (None, 2)
    >>> from pyspark.sql import Row
    >>> positional(Row(b=2, a=1), ["a", "b"])
    (1, 2)

    Raises:
        BadAnswer: the row has more or fewer values, or a name that the schema lacks.
    """
    if isinstance(row, dict):
        unknown = sorted(set(row).difference(names))
        if unknown:
            raise BadAnswer(f"a row with the names {unknown}, which are not in the schema")
        return tuple(row.get(name) for name in names)
    if len(row) != len(names):
        raise BadAnswer(f"a row of {len(row)} values for a schema of {len(names)}")
    fields = getattr(
        row, "__fields__", names
    )  # of a Row with names, which may be those of the schema in another order
    if fields != names and sorted(fields) == sorted(set(names)):
        return tuple(row[fields.index(name)] for name in names)
    return tuple(row)
