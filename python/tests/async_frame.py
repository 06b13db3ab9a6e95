# SPDX-License-Identifier: Apache-2.0
"""As much of a DataFrame as `async_map` needs, which runs its task at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql.types import LongType, StringType, StructField, StructType

from stoplog.async_io import async_map

SCHEMA = "id bigint, name string"
PARSED = StructType([StructField("id", LongType()), StructField("name", StringType(), False)])
INPUT = StructType([StructField("id", LongType())])


class Frame:
    """As much of a DataFrame as async_map asks for; runs the task at once."""

    def __init__(self, *batches: list[int]) -> None:
        self.schema = INPUT
        self.partitions: int | None = None
        self._batches = [pa.RecordBatch.from_pydict({"id": pa.array(ids, pa.int64())}) for ids in batches]

    def coalesce(self, partitions: int) -> Frame:
        self.partitions = partitions
        return self

    def mapInArrow(self, function: Any, schema: StructType) -> Result:
        return Result(function(iter(self._batches)), schema)


class Result:
    def __init__(self, batches: Iterator[pa.RecordBatch], schema: StructType) -> None:
        self.batches = batches
        self.schema = schema

    def rows(self) -> list[dict[str, Any]]:
        return [row for batch in self.batches for row in batch.to_pylist()]


def mapped(fn: Any, *batches: list[int], **more: Any) -> Result:
    result: Any = async_map(Frame(*batches), fn, PARSED, **more)  # type: ignore[arg-type]
    assert isinstance(result, Result)
    return result


async def named(row: Any) -> Any:
    return (row.id, f"n{row.id}")


class Client:
    """A client session that is made once per task."""

    def __init__(self) -> None:
        self.events: list[str] = []

    async def open(self) -> None:
        self.events.append(f"open on {threading.current_thread().name}")

    async def close(self) -> None:
        self.events.append("close")

    async def __call__(self, row: Any) -> Any:
        self.events.append("call")
        if row.id < 0:
            raise OSError("no such id")
        return (row.id, "n")
