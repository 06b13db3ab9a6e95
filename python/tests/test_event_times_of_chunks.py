# SPDX-License-Identifier: Apache-2.0
"""Chunks of encoder functions, and rolling policies that use the event times of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timezone
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import LongType, StructField, StructType, TimestampType

from stoplog import BucketAssigner, DefaultRollingPolicy, Encoder, FileSink, OpenPart, RollingPolicy

HOURS = [0, 5, 5, 10, None]
TIMES = [None if hour is None else datetime(2026, 1, 1, hour, tzinfo=timezone.utc) for hour in HOURS]
BATCH = pa.RecordBatch.from_pydict(
    {"id": [1, 2, 3, 4, 5], "at": pa.array(TIMES, pa.timestamp("us", "UTC"))},
)
WATERMARK = {"spark.watermarkDelayMs": 60_000}


class Rows:
    """As much of a DataFrame as an encoder function needs, which runs the function at once."""

    def __init__(self, metadata: dict[str, Any]) -> None:
        self.schema = StructType(
            [StructField("id", LongType()), StructField("at", TimestampType(), True, metadata)]
        )
        self.columns = self.schema.names
        self.sent: StructType | None = None
        self.found: list[dict[str, Any]] = []

    def mapInArrow(self, function: Callable[[Iterable[Any]], Iterable[Any]], schema: StructType) -> Rows:
        self.sent = schema
        self.found = [row for batch in function([BATCH]) for row in batch.to_pylist()]
        return self


def chunk(batch: pa.RecordBatch) -> bytes:
    return bytes(batch.column("id").to_pylist())


def values(batch: pa.RecordBatch) -> list[bytes]:
    return [b"%d" % batch.num_rows for _ in range(batch.num_rows)]


def written(
    policy: RollingPolicy, encoder: Callable[..., Any] = chunk, metadata: Any = WATERMARK, **options: str
) -> Rows:
    builder = FileSink.for_row_format("/out", Encoder.from_function(encoder)).with_rolling_policy(policy)
    builder = builder.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner())
    for key, value in options.items():
        builder = builder.with_option(key, value)
    rows: Any = Rows(metadata)
    builder.build()._prepared(rows)
    assert isinstance(rows, Rows)
    return rows


INTERVAL = DefaultRollingPolicy(event_time_interval="1h")


@pytest.mark.parametrize(
    "rows",
    [
        lambda: written(INTERVAL, metadata={}, eventTimeColumn="AT"),
        lambda: written(INTERVAL),
        lambda: written(RollingPolicy.custom("a.B")),
    ],
)
def test_a_chunk_has_a_single_event_time(rows: Callable[[], Rows]) -> None:
    chunks = [(row["at"], row["_python_value"]) for row in rows().found]
    assert chunks == [(TIMES[0], b"\1"), (TIMES[1], b"\2\3"), (TIMES[3], b"\4"), (None, b"\5")]


def test_the_column_of_event_times_keeps_the_watermark() -> None:
    schema = written(INTERVAL).sent
    assert schema is not None
    assert schema["at"].metadata == WATERMARK


def test_values_of_rows_are_encoded_in_one_call() -> None:
    rows = written(INTERVAL, values).found
    assert [(row["at"], row["_python_value"]) for row in rows] == [(time, b"5") for time in TIMES]


def keeps_open(parts: list[OpenPart]) -> list[str | None]:
    return [None for _ in parts]


@pytest.mark.parametrize(
    "policy",
    [
        DefaultRollingPolicy(),
        RollingPolicy.on_checkpoint_rolling_policy(),
        RollingPolicy.from_function(keeps_open),
    ],
)
def test_a_chunk_has_all_rows_of_a_bucket_if_the_policy_does_not_use_event_times(
    policy: RollingPolicy,
) -> None:
    assert written(policy).found == [{"_python_value": b"\1\2\3\4\5"}]
