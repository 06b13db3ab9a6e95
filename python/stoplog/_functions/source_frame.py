# SPDX-License-Identifier: Apache-2.0
"""The rows of split sources of the user as DataFrames."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from stoplog._functions.code import by_value
from stoplog._functions.driver import driver_options
from stoplog._functions.frame import batch_function, columns_of
from stoplog._functions.splits import EnumeratorSide, SplitReading

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_FORMAT = "stoplog"
_SOURCE = "stoplog.python.source.PythonSource"


def rows_of(source: Any, reader: Any, limits: Mapping[str, int | None]) -> DataFrame:
    """Returns the rows of a source.

    Args:
        reader: `spark.read` or `spark.readStream`.
        limits: the options of the limits of a micro-batch.

    Raises:
        TypeError: the source cannot be pickled, or has no schema.
    """
    from pyspark.sql.pandas.types import to_arrow_schema

    owner = type(source).__name__
    schema = getattr(source, "schema", None)
    if not isinstance(schema, str):
        raise TypeError(f'{owner} has no schema: set the class attribute schema = "id bigint, name string"')
    pickled = by_value(owner, source)
    columns = columns_of(schema)
    options = {
        "source": _SOURCE,
        **driver_options(owner, partial(EnumeratorSide, owner, pickled), reader),
        **{key: str(limit) for key, limit in limits.items() if limit is not None},
    }
    splits = reader.format(_FORMAT).options(**options).load()
    found: DataFrame = splits.mapInArrow(
        batch_function(SplitReading(owner, pickled, to_arrow_schema(columns))), columns
    )
    return found
