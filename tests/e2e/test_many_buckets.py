# SPDX-License-Identifier: Apache-2.0
"""Memory and descriptors are bounded by the parts that are open, not by the buckets there are."""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING

import pytest

from support.finished import assert_each_once, files
from support.jobs import Job

if TYPE_CHECKING:
    from support.place import Place

BUCKETS = 4_000


@pytest.mark.long
def test_a_job_writes_thousands_of_buckets(place: Place) -> None:
    """Two rows for each bucket, every bucket's rows some hundred rows apart."""
    place.feed(files=2, rows=BUCKETS)
    job = Job.at(
        place,
        path=str(place.out),
        options={
            "format": "text",
            "bucketBy": "concat('b', int(int(split_part(value, '-', 2)) / 200) * 100"
            " + int(split_part(value, '-', 2)) % 100, '-', split_part(value, '-', 1))",
            "maxOpenParts": "200",
            "durability": "process",
        },
        conf={"spark.driver.memory": "1g"},
    )
    assert job.run(preexec_fn=few_descriptors).code == 0
    assert_each_once(place.out, place.rows)
    assert len({file.parent for file in files(place.out)}) == BUCKETS


def few_descriptors() -> None:
    """More than Spark itself needs with 200 open parts for each of two tasks, far fewer than buckets."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (1500, 1500))
