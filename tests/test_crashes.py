"""A process that dies, anywhere and at any time, loses no row and shows none twice."""

from __future__ import annotations

import os
import random
import subprocess
from typing import TYPE_CHECKING

import pytest

from support.finished import assert_each_once, assert_none_twice
from support.jobs import KILLED, Job, kill

if TYPE_CHECKING:
    from support.place import Place

LONG = os.environ.get("STOPLOG_LONG") == "1"
KILL_ROUNDS = 20 if LONG else 5
SEED = 20_260_301
KEEP_RUNNING = {"processingTime": "0 seconds"}

# Three buckets, and parts that are full after a batch or two.
OPTIONS = {
    "bucketBy": "concat('k', cast(right(value, 1) as int) % 3)",
    "maxRecordsPerPart": "90",
    "bucketCheckInterval": "200ms",
}
FORMATS = (
    # Row groups of a few dozen rows: some are full within an epoch, others after several.
    {"format": "parquet", "parquet.block.size": "1000", "maxRecordsPerPart": "500"},
    {"format": "text"},
    {"format": "text", "compression": "gzip"},
    {"format": "json"},
    {"format": "json", "compression": "gzip"},
)

# Files of each micro-batch, merged as soon as there are a few.
MERGING = {
    "format": "parquet",
    "rollingPolicy": "onCheckpoint",
    "compaction": "smallParts",
    "compactAfterEpochs": "3",
}

# Every step that a streaming query passes, with the occurrence at which the process dies.
STREAM_STEPS = {
    "beforeRepublish": 1,
    "beforeClaim": 1,
    "afterClaim": 1,
    "partOpened": 4,
    "midWrite": 3,
    "beforeSync": 2,
    "afterSync": 3,
    "beforeRecord": 2,
    "recordWritten": 3,
    "afterRecord": 2,
    "midPublish": 2,
    "partPublished": 2,
    "afterPublish": 2,
    "afterMark": 2,
    "afterTrim": 2,
    "beforeRoll": 1,
    "beforeRelease": 1,
    "afterRelease": 1,
    "midSweep": 1,
}
SAMPLE = ("afterClaim", "midWrite", "recordWritten", "afterRecord", "midPublish", "afterRelease")
HOUR_SECONDS = 3600


def test_kill_9_at_random_moments(place: Place) -> None:
    moments = random.Random(SEED)
    for number in range(KILL_ROUNDS):
        place.feed(files=4)
        process = job(place, FORMATS[number % len(FORMATS)], trigger=KEEP_RUNNING).start()
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        arrive_until_killed(place, process, moments.uniform(0, 4))
        assert_none_twice(place.out, place.rows)
    place.feed()
    assert job(place, {"format": "text"}).run().code == 0
    assert_each_once(place.out, place.rows)


def test_kill_9_while_parts_are_merged(place: Place) -> None:
    moments = random.Random(SEED)
    for _ in range(KILL_ROUNDS // 2):
        place.feed(files=4)
        process = job(place, MERGING, trigger=KEEP_RUNNING).start()
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        arrive_until_killed(place, process, moments.uniform(2, 6))
        assert_none_twice(place.out, place.rows)
    place.feed()
    assert job(place, MERGING).run().code == 0
    assert_each_once(place.out, place.rows)
    assert any("-m" in file.name for file in place.out.rglob("*.parquet")), "nothing was merged"


@pytest.mark.spark_lines
@pytest.mark.parametrize("form", ["parquet", "orc", "avro"])
def test_a_bulk_format_killed_in_the_middle(place: Place, form: str) -> None:
    """The part is open over the crash, with rows in its blocks and rows beside it."""
    place.feed(files=6)
    bulk = {"format": form, "maxRecordsPerPart": "1000"}
    crashing = job(place, bulk, fault="afterRecord:3:halt")
    assert crashing.run().code == KILLED
    assert_none_twice(place.out, place.rows)
    place.feed(files=3)
    assert job(place, bulk).run().code == 0
    assert_each_once(place.out, place.rows)
    place.age_unfinished(HOUR_SECONDS)
    assert place.unfinished() == []


@pytest.mark.spark_lines
def test_a_halt_at_any_step(place: Place) -> None:
    for step in SAMPLE:
        place.feed(files=6)
        crash_at(place, step)
        assert_none_twice(place.out, place.rows)
    finish(place)


@pytest.mark.long
@pytest.mark.parametrize("form", ["parquet", "orc", "avro"])
def test_a_bulk_format_halted_at_one_step_after_another(place: Place, form: str) -> None:
    """Read as the format's own libraries read it."""
    for step in SAMPLE:
        place.feed(files=6)
        crash_at(place, step, form)
        assert_none_twice(place.out, place.rows)
    finish(place, form)


@pytest.mark.long
@pytest.mark.parametrize("step", STREAM_STEPS)
def test_a_halt_at_each_step_alone(place: Place, step: str) -> None:
    """Begins with open parts and with orphans of a run that died, then dies itself, then goes on."""
    place.feed(files=6)
    crash_at(place, "afterSync")
    place.leave_orphan()
    place.age_unfinished(HOUR_SECONDS)
    place.feed(files=6)
    crash_at(place, step)
    assert_none_twice(place.out, place.rows)
    finish(place)


def crash_at(place: Place, step: str, form: str = "text") -> None:
    """Between epochs nothing but the clock makes a part due, so that run goes on and waits for it."""
    by_clock = step == "beforeRoll"
    crashing = job(
        place,
        {"format": form} | ({"rolloverInterval": "100ms"} if by_clock else {}),
        trigger=KEEP_RUNNING if by_clock else {"availableNow": True},
        fault=f"{step}:{STREAM_STEPS[step]}:halt",
    )
    assert crashing.run().code == KILLED, f"{step} was not reached"


def finish(place: Place, form: str = "text") -> None:
    """The next run, whose crashed forerunners are an hour old, completes the work and clears up."""
    place.age_unfinished(HOUR_SECONDS)
    place.feed()
    assert job(place, {"format": form}).run().code == 0
    assert_each_once(place.out, place.rows)
    assert place.unfinished() == []


def job(place: Place, form: dict[str, str], **more: object) -> Job:
    return Job(
        path=str(place.out),
        input=str(place.input),
        checkpoint=str(place.checkpoint),
        options=OPTIONS | form,
        **more,
    )


def arrive_until_killed(place: Place, process: subprocess.Popen[str], seconds: float) -> None:
    """A file every tenth of a second, while the query runs."""
    try:
        for _ in range(int(seconds * 10)):
            try:
                process.wait(0.1)
            except subprocess.TimeoutExpired:
                place.feed()
            else:
                raise AssertionError("the query ended by itself")
    finally:
        kill(process)
