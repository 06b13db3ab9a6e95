# SPDX-License-Identifier: Apache-2.0
"""Spark Connect: the options go over the wire, and the jar is on the server."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.finished import assert_each_once
from support.jobs import Job

if TYPE_CHECKING:
    from support.place import Place


@pytest.mark.spark_lines
def test_streams_and_batches_run_from_a_connect_client(place: Place) -> None:
    place.feed(files=4)
    client = Job.at(place, path=str(place.out))
    outcome = client.run("connect_job.py")
    assert outcome.code == 0
    seen = json.loads(outcome.printed.splitlines()[-1])
    assert seen["open"] == seen["read"] == len(place.rows)
    assert "STOPLOG_INVALID_OPTIONS" in seen["refusal"]
    assert "maxPartSize" in seen["refusal"]
    assert_each_once(place.out, [str(number) for number in range(10)])
    # The next run, without Connect, goes on with what that one left open.
    finishing = Job.at(
        place,
        path=str(place.out),
        options={"format": "text", "bucketAssigner": "basePath"},
        source={"format": "text"},
    )
    assert finishing.run("source_job.py").code == 0
    assert_each_once(place.out, [*place.rows, *(str(number) for number in range(10))])
