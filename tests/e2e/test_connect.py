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
@pytest.mark.tried("Spark Connect", "local disks")
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


@pytest.mark.long
@pytest.mark.parametrize(("runs", "buckets"), [(3, 500), (20, 2000)], ids=["few", "many"])
def test_a_client_waits_until_all_files_are_visible(place: Place, runs: int, buckets: int) -> None:
    (place.input / "rows.txt").write_text("".join(f"{number}\n" for number in range(buckets)))
    job = Job.at(place, path=str(place.root), source={"runs": str(runs)})
    outcome = job.run("connect_end_job.py")
    assert outcome.code == 0
    seen = json.loads(outcome.printed.splitlines()[-1])
    assert seen["visible"] == [buckets] * runs
    assert seen["input_rows"] == [buckets] * runs
    assert seen["stopped"] == [True, False, buckets]
    assert seen["refusals"] == [
        "STOPLOG_NOT_A_STOPLOG_QUERY",
        "STOPLOG_NOT_A_STOPLOG_QUERY",
        "STOPLOG_SINK_UNKNOWN",
        "STOPLOG_INVALID_OPTIONS",
        "STOPLOG_CHECKPOINT_IN_SINK",
    ]
    assert seen["refused"] == "StartRefused"
    assert seen["doctor"][1], seen["doctor"][0]
    assert "Scala    2.13." in seen["doctor"][0]
    assert seen["finished"][1] > 0
    assert seen["empty"] == "0"
