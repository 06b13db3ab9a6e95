# SPDX-License-Identifier: Apache-2.0
"""The tools of the command line on what real queries leave behind, from the shell and without a session."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import stoplog
from stoplog.inspection import DriverLife, DriverState
from stoplog.testing._process import QUICK_JVM
from support.at_work import at_work
from support.finished import assert_each_once, files, lines
from support.jobs import Job
from support.streams import Stream
from support.wait import until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from support.place import Place

LONG = os.environ.get("STOPLOG_LONG") == "1"
DRIVER_ALIVE = 3
# For Java's own launcher: a tool's JVM is over before the optimizing compiler pays.
QUICK = {"JDK_JAVA_OPTIONS": QUICK_JVM}
NEVER = {"finalizeOnTermination": "never", "rolloverInterval": "1h", "inactivityInterval": "1h"}


@pytest.mark.long
@pytest.mark.parametrize("layout", ["text", "parquet"])
def test_a_killed_query_is_finished_from_the_shell(place: Place, layout: str) -> None:
    options = {"format": layout, "bucketAssigner": "basePath", "bucketCheckInterval": "1s"} | NEVER
    job = Job.at(
        place,
        path=str(place.out),
        options=options,
    )
    place.feed(files=4)
    with at_work(job):
        until("all files in committed batches", lambda: _committed_rows(place) == len(place.rows))
        if LONG:  # a minute after the last record
            until("a sign of life without rows", lambda: any(place.own.glob("alive/*")))
        raised = _stoplog("finalize", place, "--yes")
        assert raised["exit_code"] == DRIVER_ALIVE
        assert raised["error"]["condition"] == "STOPLOG_DRIVER_ALIVE"
        assert files(place.out) == []
        assert _driver(place).state is DriverState.ALIVE
        driver = re.search(r"(\d+) on \S+, is there", _driver(place).message)
        assert driver is not None

    until("the driver is dead", lambda: _driver(place).state is DriverState.DEAD)
    until("the machine has buried it, by which the jar goes", lambda: not Path("/proc", driver[1]).exists())
    planned = _stoplog("finalize", place)
    assert not planned["plan"]["driver_alive"]
    assert {action["action"] for action in planned["plan"]["actions"]} == {"finish"}
    assert files(place.out) == []

    assert _stoplog("finalize", place, "--yes")["plan"]["carried_out"]
    assert_each_once(place.out, place.rows)

    place.feed(files=2)
    going_on = {key: value for key, value in options.items() if key != "finalizeOnTermination"}
    replace(job, options=going_on).run()
    assert_each_once(place.out, place.rows)


@pytest.mark.parametrize("batches", [pytest.param(1, marks=pytest.mark.long), 2])
def test_the_command_named_by_a_rejected_start_repairs_the_sink(
    spark: SparkSession, place: Place, batches: int
) -> None:
    """A checkpoint that was set back is refused; after `rewind` as the message has it, nothing is doubled."""
    stream = Stream(spark, place)
    place.feed(files=2)
    stream.run()
    shutil.copytree(place.checkpoint, place.root / "earlier")
    place.feed(files=2 * batches)
    stream.run()
    shutil.rmtree(place.checkpoint)
    shutil.copytree(place.root / "earlier", place.checkpoint)
    with pytest.raises(Exception, match="STOPLOG_EPOCH_AHEAD") as rejection:
        stream.run()
    words = str(rejection.value).split("use stoplog rewind ")[1].split(",")[0].split()
    assert _stoplog("rewind", place, "--epoch", words[words.index("--epoch") + 1], "--yes")["exit_code"] == 0
    assert len(lines(place.out)) == 200
    stream.run()
    assert_each_once(place.out, place.rows)


@pytest.mark.long
def test_a_new_checkpoint_adopts_or_resets_a_sink(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    Stream(spark, place).run()
    shutil.move(place.checkpoint, place.root / "lost")
    with pytest.raises(Exception, match="STOPLOG_FOREIGN_QUERY"):
        Stream(spark, place).run()
    adopt = ("adopt", place, "--checkpoint", str(place.checkpoint))
    assert _stoplog(*adopt, "--yes")["exit_code"] != 0
    plan = _stoplog(*adopt, "--and-repeat", "--yes")
    assert plan["exit_code"] == 0
    Stream(spark, place).run()
    assert_each_once(place.out, place.rows * 2)
    assert _stoplog("reset", place, "--yes")["exit_code"] == 0
    shutil.rmtree(place.checkpoint)
    Stream(spark, place).run()
    assert_each_once(place.out, place.rows * 3)


def test_orphans_are_removed_and_other_files_are_kept(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    query = Stream(spark, place).start(**NEVER)
    query.processAllAvailable()
    query.stop()
    assert stoplog.await_finished(query, timeout=300).in_time
    left = len(place.unfinished())
    place.leave_orphan()
    place.age_unfinished(12 * 60)
    cleaned = _stoplog("clean", place, "--yes")
    assert sorted(action["action"] for action in cleaned["plan"]["actions"]) == ["remove"] + ["spare"] * left
    assert len(place.unfinished()) == left
    Stream(spark, place).run()
    assert_each_once(place.out, place.rows)


def _committed_rows(place: Place) -> int:
    records = place.records()
    if not records:
        return 0
    newest = json.loads(records[-1].read_text().splitlines()[0])
    state = newest.get("state") or newest["record"]["state"]
    return sum(part["records"] for part in state["open"])


def _driver(place: Place) -> DriverLife:
    life = stoplog.inspect(place.out).status().driver
    assert life is not None
    return life


def _stoplog(command: str, place: Place, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "stoplog.cli", command, str(place.out), "--output", "json", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
        env=os.environ | QUICK,
    )
    assert done.stdout, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["exit_code"] == done.returncode
    return answer
