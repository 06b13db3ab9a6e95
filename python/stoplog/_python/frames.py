# SPDX-License-Identifier: Apache-2.0
"""The frames of writes by user code, and the options by which the jar finds the driver's half."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from stoplog._python import carrier
from stoplog._python.committing import CommitterSide
from stoplog._python.model import WrongUse
from stoplog._python.sending import PACKED, PackingSide
from stoplog._python.task import COLUMNS, WriterSide
from stoplog._shared.this_python import python_options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_SINK = "stoplog.python.sink.PythonSink"


def prepared_frame(df: DataFrame, sink: Any) -> DataFrame:
    """Returns the frame whose tasks run the writers of a two-phase sink, with a row for each output.

    Each action on the frame writes all rows, so the frame is never given to a user.
    """
    refuse_other_columns(df, sink)
    schema = df.schema.json() if sink.receives == "rows" else None
    side = WriterSide(sink, uuid.uuid4().hex, schema)
    return df.mapInArrow(carrier.side(side, sink), COLUMNS)


def packed_frame(df: DataFrame) -> DataFrame:
    """Returns the frame whose rows are packed batches, for a write-ahead sink."""
    return df.mapInArrow(carrier.side(PackingSide(), PackingSide()), PACKED)


def sink_options(df: DataFrame, sink: Any) -> dict[str, str]:
    """Returns the options of a write to a two-phase sink."""
    owner = carrier.name_of(sink)
    return {
        "sink": _SINK,
        "python.class": owner,
        "python.kind": sink.kind or owner,
        "python.target": sink.target or owner,
        "python.pickled": carrier.function_text(CommitterSide(sink), sink),
    } | python_options(df)


def refuse_other_columns(df: DataFrame, user: Any) -> None:
    """Rejects rows with other columns than those that the object accepts.

    Raises:
        WrongUse: the names or types of the columns differ.
    """
    if not user.schema:
        return
    from pyspark.sql.types import StructType

    wanted = StructType.fromDDL(user.schema)
    if _plain(wanted) != _plain(df.schema):
        raise WrongUse(
            f"{carrier.name_of(user)} accepts rows of {_plain(wanted)}, and these are rows of "
            f"{_plain(df.schema)}. Select these columns with these types first."
        )


def _plain(schema: Any) -> str:
    return ", ".join(f"{field.name} {field.dataType.simpleString()}" for field in schema)
