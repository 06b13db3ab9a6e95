# SPDX-License-Identifier: Apache-2.0
"""Rolling policies as functions in Python, on the driver of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import stoplog
from stoplog import FileSink, RollingPolicy
from support.finished import files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from support.place import Place


def test_a_rolling_policy_in_python_closes_parts_of_a_stream(spark: SparkSession, place: Place) -> None:
    place.feed(files=4)

    def by_bucket(parts: list[stoplog.OpenPart]) -> list[str | None]:
        return ["even" if part.bucket == "0" and part.rows else None for part in parts]

    sink = (
        FileSink.for_row_format(place.out, "text")
        .with_bucket_by("string(crc32(value) % 2)")
        .with_rolling_policy(RollingPolicy.from_function(by_bucket))
        .with_finalize_on_termination("never")
        .build()
    )
    rows = spark.readStream.option("maxFilesPerTrigger", 1).text(str(place.input))
    query = sink.write_stream(rows, place.checkpoint).trigger(availableNow=True).start()
    query.awaitTermination()
    stoplog.await_finished(query)
    open_parts = stoplog.inspect(place.out).status().open
    assert {part.bucket for part in open_parts} == {"1"}
    written = files(place.out)
    assert {file.parent.name for file in written} == {"0"}
    assert len(written) >= 4, "each epoch closes its parts of the bucket"
    assert "from_function(by_bucket)" in repr(sink.options()["rollingPolicy.python.class"])
    assert "gASV" not in repr(sink)


def test_a_rolling_policy_that_raises_ends_the_query_by_name(spark: SparkSession, place: Place) -> None:
    place.feed(files=1)
    policy = RollingPolicy.from_function(lambda parts: parts[0].no_such)  # type: ignore[attr-defined]
    sink = FileSink.for_row_format(place.out, "text").with_rolling_policy(policy).build()
    query = sink.write_stream(spark.readStream.text(str(place.input)), place.checkpoint)
    with pytest.raises(Exception, match=r"(?s)STOPLOG_PYTHON_FAILED.*no_such"):
        query.trigger(availableNow=True).start().awaitTermination()
