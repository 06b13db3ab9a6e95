# SPDX-License-Identifier: Apache-2.0
"""Executors in processes of their own, which are lost while they write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.event_log import event_log, events
from support.finished import assert_each_once, files
from support.hosts import cluster
from support.jobs import Job

if TYPE_CHECKING:
    from pathlib import Path

    from support.place import Place


@pytest.mark.spark_lines
@pytest.mark.tried("Local cluster", "local disks")
def test_each_row_is_written_once_if_executors_die_in_a_task(place: Place, tmp_path: Path) -> None:
    """Every executor dies in its third task of the writing stage."""
    place.feed(files=6)  # more tasks than two executors end before they die
    lost = cluster_job(place, tmp_path, "beforeSync:3:halt")
    assert lost.run().code == 0
    assert events(tmp_path / "events", "SparkListenerExecutorRemoved")
    assert_each_once(place.out, place.rows)


@pytest.mark.long
def test_each_row_is_written_once_if_a_stage_is_repeated(place: Place, tmp_path: Path) -> None:
    """A lost executor takes its shuffle files with it: the stages before the writing one run again."""
    place.feed(files=12)
    lost = cluster_job(place, tmp_path, "midWrite:4:halt", distribution="4")
    assert lost.run().code == 0
    stages = [event["Stage Info"] for event in events(tmp_path / "events", "SparkListenerStageCompleted")]
    assert any(stage["Stage Attempt ID"] > 0 for stage in stages)
    assert_each_once(place.out, place.rows)
    assert files(place.out)


@pytest.mark.long
@pytest.mark.spark_lines
@pytest.mark.tried("Standalone cluster", "local disks")
def test_workers_on_two_hosts_write_and_read_each_row(tmp_path: Path) -> None:
    with cluster(tmp_path / "cluster") as master:
        conf = {"spark.executor.memory": "640m"}
        written = Job(str(tmp_path / "numbers"), master=master, conf=conf, rows=1000).run("plain_job.py")
        assert written.printed == "1000 499500\n"


def cluster_job(place: Place, tmp_path: Path, fault: str, **options: str) -> Job:
    return Job.at(
        place,
        path=str(place.out),
        options={"format": "text", "bucketAssigner": "basePath", "maxRecordsPerPart": "250"} | options,
        master="local-cluster[2,1,1024]",
        executor_fault=fault,
        conf={
            "spark.executor.memory": "640m",
            # Each loss is a failure of the task that was running.
            "spark.task.maxFailures": "20",
        }
        | event_log(tmp_path / "events"),
    )
