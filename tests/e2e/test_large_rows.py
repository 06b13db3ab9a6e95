# SPDX-License-Identifier: Apache-2.0
"""A row of hundreds of megabytes is written, or fails the query by name without an end of the JVM."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from support.finished import files
from support.jobs import Job

if TYPE_CHECKING:
    from support.jobs import Outcome
    from support.place import Place

pytestmark = pytest.mark.long

HEAP = "4g"


@pytest.mark.parametrize("keeps_parts_open", [False, True])
def test_a_row_of_150_mb_is_written(place: Place, keeps_parts_open: bool) -> None:
    outcome = write(place, 150_000_000, keeps_parts_open)
    assert outcome.code == 0
    assert len(files(place.out)) == 1


@pytest.mark.parametrize("keeps_parts_open", [False, True])
def test_a_row_of_300_mb_fails_the_query_by_name(place: Place, keeps_parts_open: bool) -> None:
    outcome = write(place, 300_000_000, keeps_parts_open)
    assert outcome.code == 1
    assert "STOPLOG_BAD_ROW" in outcome.printed
    assert "the maximum with a heap of" in outcome.printed
    assert not files(place.out)


@pytest.mark.parametrize("partitioned", [{}, {"partitionBy": "day"}], ids=["plain", "partitioned"])
@pytest.mark.parametrize("file_format", ["parquet", "orc", "avro", "json", "csv"])
def test_a_rejected_row_of_300_mb_is_recorded_in_part(
    place: Place, file_format: str, partitioned: dict[str, str]
) -> None:
    """With partition columns, the encoder receives a view of the row."""
    options = {"format": file_format, "onBadRow": "reject"} | partitioned
    outcome = write(place, 300_000_000, keeps_parts_open=False, **options)
    assert outcome.code == 0, outcome.printed
    rejected = list((place.out / "_rejected").rglob("*.rejected"))
    assert [file.stat().st_size < 2_000_000 for file in rejected] == [True]
    assert not files(place.out)


def write(place: Place, letters: int, keeps_parts_open: bool, **options: str) -> Outcome:
    """Runs a query whose only row has this size, with the memory of a usual driver."""
    place.feed(files=1, rows=1)
    value = f"repeat('x', {letters}) AS value"
    return Job.at(
        place,
        path=str(place.out),
        options={
            "format": "parquet",
            **({} if "partitionBy" in options else {"bucketAssigner": "basePath"}),
            **({} if keeps_parts_open else {"rollingPolicy": "onCheckpoint"}),
            **options,
        },
        select=[value, "1 AS day"] if "partitionBy" in options else [value],
        conf={"spark.driver.memory": HEAP},
    ).run(stderr=subprocess.STDOUT)
