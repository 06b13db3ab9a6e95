# SPDX-License-Identifier: Apache-2.0
"""Conversion of rows and results to and from Arrow batches."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from stoplog._async.outcome import Done, Failed, Outcome, ResultRow
from stoplog.errors import BadAnswer, CallFailed
from stoplog.errors.calls import message_of

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Row
    from pyspark.sql.types import DataType, StructType


def rows_of(batch: pa.RecordBatch, schema: StructType) -> list[Row]:
    """Returns the rows of an Arrow batch, with fields by name and by position."""
    import pyarrow as pa
    from pyspark.sql.conversion import ArrowTableToRowsConversion

    return ArrowTableToRowsConversion.convert(pa.Table.from_batches([batch]), schema)


def batches_of(rows: Sequence[tuple[Any, ...]], schema: StructType) -> list[pa.RecordBatch]:
    """Returns Arrow batches of rows that match the schema; no batch for no rows."""
    from pyspark.sql.conversion import LocalDataToArrowConversion

    if not rows:
        return []
    return list(LocalDataToArrowConversion.convert(list(rows), schema, False).to_batches())


def positional(row: ResultRow, schema: StructType) -> tuple[Any, ...]:
    """Returns the values of a row in the order of the schema; fields missing from a dict are null.

    The same holds for rows within the row: Spark ignores unknown names there, and the names of a `Row`.

    >>> from pyspark.sql import Row
    >>> from pyspark.sql.types import LongType, StructType
    >>> pair = StructType().add("a", LongType()).add("b", LongType())
    >>> positional({"b": 2}, pair)
    (None, 2)
    >>> positional(Row(b=2, a=1), pair)
    (1, 2)
    >>> positional({"pair": Row(b=2, a=1)}, StructType().add("pair", pair))
    ((1, 2),)

    Raises:
        BadAnswer: a row has more or fewer values than the schema, or an unknown name.
    """
    return tuple(
        _arranged(value, field.dataType)
        for value, field in zip(_values_of(row, schema.names), schema.fields, strict=True)
    )


def _values_of(row: ResultRow, names: Sequence[str]) -> Sequence[Any]:
    if isinstance(row, dict):
        unknown = sorted(set(row).difference(names))
        if unknown:
            raise BadAnswer(f"a row with the names {unknown}, which are not in the schema")
        return [row.get(name) for name in names]
    if len(row) != len(names):
        raise BadAnswer(f"a row of {len(row)} values for a schema of {len(names)}")
    fields = getattr(
        row, "__fields__", names
    )  # of a Row with names, possibly the schema's names in another order
    if fields != names and sorted(fields) == sorted(set(names)):
        return [row[fields.index(name)] for name in names]
    return row


def _arranged(value: Any, kind: DataType) -> Any:
    from pyspark.sql.types import ArrayType, MapType, StructType

    if isinstance(kind, StructType) and isinstance(value, dict | tuple):
        return positional(value, kind)
    if isinstance(kind, ArrayType) and isinstance(value, list):
        return [_arranged(each, kind.elementType) for each in value]
    if isinstance(kind, MapType) and isinstance(value, dict):
        return {_arranged(key, kind.keyType): _arranged(each, kind.valueType) for key, each in value.items()}
    return value


REJECTED_COLUMN = "_rejected"
"""The column with the reason why a row has no result; null for rows with a result."""

OnBadRow: TypeAlias = Literal["fail", "reject"]

BATCH_ROWS = 1_000
"""The number of result rows in a batch for Spark."""


@dataclass(frozen=True, slots=True)
class Result:
    """The handling of outcomes.

    Args:
        schema: the schema of the function's rows.
        input_schema: the schema of the rows that the function is called with.
        on_bad_row: the handling of a row whose call failed.
        on_timeout: the handling of a row whose call timed out.
    """

    schema: StructType
    input_schema: StructType
    on_bad_row: OnBadRow
    on_timeout: OnBadRow

    @property
    def rejects(self) -> bool:
        return "reject" in (self.on_bad_row, self.on_timeout)

    def output_schema(self) -> StructType:
        """Returns the columns of the result.

        With rejected rows, all columns are nullable and `_rejected` is added.
        """
        from pyspark.sql.types import StructField, StructType

        if not self.rejects:
            return self.schema
        nullable = [StructField(f.name, f.dataType, True, f.metadata) for f in self.schema.fields]
        return StructType([*nullable, StructField(REJECTED_COLUMN, error_type(self.input_schema), True)])

    def check(self, outcome: Outcome) -> None:
        """Fails the task if the query does not reject this kind of failure.

        Raises:
            CallFailed: the call failed, and the query does not reject such rows.
        """
        if (
            isinstance(outcome, Failed)
            and (self.on_timeout if outcome.timed_out else self.on_bad_row) == "fail"
        ):
            raise CallFailed(outcome.attempts, outcome.error) from outcome.error

    def batches(self, answered: Iterable[tuple[Row, Outcome]]) -> Iterator[pa.RecordBatch]:
        """Returns the results of checked outcomes, batch by batch.

        Raises:
            CallFailed: a result does not fit the schema, and the query does not reject such rows.
        """
        waiting: list[tuple[Row, Outcome]] = []
        rows = 0
        for row, outcome in answered:
            waiting.append((row, outcome))
            rows += len(outcome.rows) if isinstance(outcome, Done) else 1
            if rows >= BATCH_ROWS:
                yield from self._converted(waiting)
                waiting, rows = [], 0
        yield from self._converted(waiting)

    def _converted(self, answered: list[tuple[Row, Outcome]]) -> list[pa.RecordBatch]:
        try:
            rows = [each for row, outcome in answered for each in self._rows(row, outcome)]
            return batches_of(rows, self.output_schema())
        except Exception as error:
            if len(answered) > 1:  # find the row with the error
                return [batch for each in answered for batch in self._converted([each])]
            row, outcome = answered[0]
            failed = outcome if isinstance(outcome, Failed) else _unfit(error)
            self.check(failed)
            return self._rejected(row, failed)

    def _rejected(self, row: Row, failed: Failed) -> list[pa.RecordBatch]:
        try:
            return batches_of(self._rows(row, failed), self.output_schema())
        # the row has a value that Python can read but not write, such as a time of the year 1
        except Exception:
            return batches_of(self._rows(None, failed), self.output_schema())

    def _rows(self, row: Row | None, outcome: Outcome) -> list[tuple[Any, ...]]:
        if isinstance(outcome, Done):
            tail = (None,) if self.rejects else ()
            return [positional(each, self.schema) + tail for each in outcome.rows]
        error = (
            _reason(outcome),
            type(outcome.error).__name__,
            message_of(outcome.error),
            outcome.attempts,
            row,
        )
        return [(*(None for _ in self.schema.names), error)]


def error_type(row: StructType) -> StructType:
    """Returns the type of the column `_rejected`.

    >>> from pyspark.sql.types import StructType
    >>> error_type(StructType()).names
    ['reason', 'type', 'message', 'attempts', 'row']
    """
    from pyspark.sql.types import IntegerType, StringType, StructField, StructType

    return StructType(
        [
            StructField("reason", StringType(), False),
            StructField("type", StringType(), False),
            StructField("message", StringType(), False),
            StructField("attempts", IntegerType(), False),
            StructField("row", row, True),
        ]
    )


def _reason(failed: Failed) -> str:
    if failed.timed_out:
        return "timeout"
    return "answer" if isinstance(failed.error, BadAnswer) else "error"


def _unfit(error: Exception) -> Failed:
    # The last result is the invalid result; the number of attempts before it is not kept.
    if isinstance(error, BadAnswer):
        return Failed(error, 1)
    why = " ".join(message_of(error).split()) or type(error).__name__
    return Failed(BadAnswer(f"values that do not fit the schema ({why})"), 1)
