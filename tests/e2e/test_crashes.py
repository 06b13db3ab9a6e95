# SPDX-License-Identifier: Apache-2.0
"""A process that dies, anywhere and at any time, loses no row and shows none twice."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from stoplog.testing import Step
from support.at_work import arrive, at_work
from support.finished import assert_each_once, assert_none_twice, assert_parts, files, value
from support.jobs import Job
from support.pipelines import CONF, text_lines
from support.place import ROWS_PER_FILE, Place

if TYPE_CHECKING:
    from stoplog.testing import Pipeline, PipelineFactory

LONG = os.environ.get("STOPLOG_LONG") == "1"
KILL_ROUNDS = 20 if LONG else 1
SEED = 20_260_301

# Three buckets, and parts that are full after a batch or two.
OPTIONS = {
    "bucketBy": "concat('k', cast(right(value, 1) as int) % 3)",
    "maxRecordsPerPart": "90",
    "bucketCheckInterval": "200ms",
}
FORMATS = (
    {"format": "text"},
    # Row groups of a few dozen rows: some are full within an epoch, others after several.
    {"format": "parquet", "parquet.block.size": "1000", "maxRecordsPerPart": "500"},
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
    Step.BEFORE_REPUBLISH: 1,
    Step.BEFORE_CLAIM: 1,
    Step.AFTER_CLAIM: 1,
    Step.PART_OPENED: 4,
    Step.MID_WRITE: 3,
    Step.BEFORE_SYNC: 2,
    Step.AFTER_SYNC: 3,
    Step.BEFORE_RECORD: 2,
    Step.RECORD_WRITTEN: 3,
    Step.AFTER_RECORD: 2,
    Step.MID_PUBLISH: 2,
    Step.PART_PUBLISHED: 2,
    Step.AFTER_PUBLISH: 2,
    Step.AFTER_MARK: 2,
    Step.AFTER_TRIM: 2,
    Step.BEFORE_ROLL: 1,
    Step.BEFORE_RELEASE: 1,
    Step.AFTER_RELEASE: 1,
    Step.MID_SWEEP: 1,
}
HOUR_SECONDS = 3600


def test_each_row_is_written_once_after_kill_9(place: Place) -> None:
    moments = random.Random(SEED)
    for number in range(KILL_ROUNDS):
        place.feed(files=4)
        with at_work(job(place, FORMATS[number % len(FORMATS)])) as process:
            arrive(place, process, moments)
        assert files(place.out) or place.unfinished(), "the epochs were empty"
        assert_none_twice(place.out, place.rows)
    place.feed()
    # Most of what has arrived was for no life long enough.
    assert job(place, {"format": "text"}, files=50).run().code == 0
    assert_each_once(place.out, place.rows)


@pytest.mark.long
def test_each_row_is_written_once_after_kill_9_during_compaction(place: Place) -> None:
    moments = random.Random(SEED)
    for _ in range(KILL_ROUNDS // 2):
        place.feed(files=4)
        with at_work(job(place, MERGING)) as process:
            # Some of the parts are merged every third epoch.
            arrive(place, process, moments)
            arrive(place, process, moments)
        assert_none_twice(place.out, place.rows)
    place.feed(files=8)
    assert job(place, MERGING).run().code == 0
    assert_each_once(place.out, place.rows)
    assert any("-m" in file.name for file in place.out.rglob("*.parquet")), "nothing was merged"


@pytest.mark.long
@pytest.mark.spark_lines
@pytest.mark.parametrize("form", ["parquet", "orc", "avro"])
def test_a_bulk_format_has_each_row_once_after_a_crash_in_a_part(
    stoplog_pipeline: PipelineFactory, form: str
) -> None:
    """The part is open over the crash, with rows in its blocks and rows beside it."""
    bulk = {"format": form, "maxRecordsPerPart": "1000"}
    pipeline = stoplog_pipeline(text_lines, arguments=OPTIONS | bulk, conf=CONF)
    feed(pipeline, files=6)
    crash_at(pipeline, Step.AFTER_RECORD, occurrence=3)
    finish(pipeline)


@pytest.mark.spark_lines
@pytest.mark.tried("Local mode", "local disks")
def test_each_row_is_written_once_after_a_halt_at_any_step(stoplog_pipeline: PipelineFactory) -> None:
    crash_at_each_of(Step.sample() if LONG else Step.sample()[::2], stoplog_pipeline, "text")


@pytest.mark.long
@pytest.mark.parametrize("form", ["parquet", "orc", "avro"])
def test_a_bulk_format_has_each_row_once_after_halts_at_successive_steps(
    stoplog_pipeline: PipelineFactory, form: str
) -> None:
    """Read as the format's own libraries read it."""
    crash_at_each_of(Step.sample(), stoplog_pipeline, form)


@pytest.mark.long
@pytest.mark.parametrize("step", STREAM_STEPS, ids=lambda step: step.value)
def test_each_row_is_written_once_after_a_halt_at_each_single_step(
    stoplog_pipeline: PipelineFactory, step: Step
) -> None:
    """Begins with open parts and with orphans of a run that died, then dies itself, then goes on."""
    pipeline = stoplog_pipeline(text_lines, arguments=OPTIONS | {"format": "text"}, conf=CONF)
    feed(pipeline, files=6)
    crash_at(pipeline, Step.AFTER_SYNC, occurrence=3)
    place_of(pipeline).leave_orphan()
    place_of(pipeline).age_unfinished(HOUR_SECONDS)
    feed(pipeline, files=6)
    if step == Step.BEFORE_ROLL:
        pipeline.deploy(arguments=OPTIONS | {"format": "text", "rolloverInterval": "100ms"})
    crash_at(pipeline, step, STREAM_STEPS[step])
    pipeline.deploy(arguments=OPTIONS | {"format": "text"})
    finish(pipeline)


def crash_at_each_of(steps: tuple[Step, ...], stoplog_pipeline: PipelineFactory, form: str) -> None:
    """One after the other on the same directories, and then the end of the work."""
    pipeline = stoplog_pipeline(text_lines, arguments=OPTIONS | {"format": form}, conf=CONF)
    for step in steps:
        feed(pipeline, files=6)
        crash_at(pipeline, step, STREAM_STEPS[step])
    finish(pipeline)


def crash_at(pipeline: Pipeline, step: Step, occurrence: int) -> None:
    pipeline.kill_at(step, occurrence)
    assert_parts(pipeline.sink)
    pipeline.assert_none_twice(key=value)


def finish(pipeline: Pipeline) -> None:
    """The next run, whose crashed forerunners are an hour old, completes the work and clears up."""
    place_of(pipeline).age_unfinished(HOUR_SECONDS)
    feed(pipeline)
    pipeline.run()
    assert_parts(pipeline.sink)
    pipeline.assert_each_once(key=value)
    assert place_of(pipeline).unfinished() == []


def feed(pipeline: Pipeline, files: int = 1) -> None:
    for _ in range(files):
        number = len(pipeline.fed) // ROWS_PER_FILE
        pipeline.feed([f"{number:05d}-{row:05d}" for row in range(ROWS_PER_FILE)])


def place_of(pipeline: Pipeline) -> Place:
    """The same directories, as what only tests of stoplog look at."""
    return Place(pipeline.root)


def job(place: Place, form: dict[str, str], **more: object) -> Job:
    return Job.at(
        place,
        path=str(place.out),
        options=OPTIONS | form,
        **more,
    )
