# SPDX-License-Identifier: Apache-2.0
"""Two-phase sinks in Python: each row once, whoever is killed, and no process left behind."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import stoplog
from stoplog.errors import condition_of
from support.at_work import arrive, at_work
from support.finished import lines
from support.jobs import KILLED, Job

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from support.place import Place

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "own-sinks"))

import transactional_files
from pyspark import cloudpickle
from transactional_files import LinesCommitter, LinesWriter, TransactionalFiles

# The executors of Spark have neither this module nor the example.
cloudpickle.register_pickle_by_value(transactional_files)
cloudpickle.register_pickle_by_value(sys.modules[__name__])

LONG = os.environ.get("STOPLOG_LONG") == "1"
KILL_ROUNDS = 20 if LONG else 1
SEED = 20_261_127
JOB = "two_phase_job.py"
STEPS = ("afterSync", "beforeRecord", "afterRecord", "partPublished", "afterPublish", "afterMark")
SAMPLE = ("afterRecord",)


def test_a_stream_writes_each_row_once_over_restarts(spark: SparkSession, place: Place) -> None:
    for _ in range(2):
        place.feed(files=4)
        run(spark, place, TransactionalFiles(place.out))
        assert_each_once(place)
    assert_no_process_is_left()


def test_a_query_leaves_the_staged_output_of_another_query(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    run(spark, place, TransactionalFiles(place.out))
    staging = place.out / "_staging"
    of_other, of_batch = f"q0123456789ab-7-0-{'0' * 32}.txt", f"batch-0-{'0' * 32}.txt"
    for name in (of_other, of_batch, "half.txt"):
        (staging / name).touch()
        os.utime(staging / name, (time.time() - 720, time.time() - 720))
    place.feed(files=2)
    run(spark, place, TransactionalFiles(place.out))
    assert_each_once(place)
    assert {file.name for file in staging.iterdir()} == {of_other, of_batch}


def test_a_batch_writes_each_row_once(spark: SparkSession, place: Place) -> None:
    rows = spark.range(0, 100, 1, 3).selectExpr("cast(id as string)")
    TransactionalFiles(place.out).write(rows)
    assert Counter(lines(place.out)) == Counter(str(number) for number in range(100))
    assert_no_process_is_left()


class Counting(TransactionalFiles):
    """Receives rows, has counters, and commits several outputs at once."""

    receives = "rows"
    schema = "value string"
    token_version = 7

    def writer(self, task):
        return CountingWriter(self.directory / "_staging" / f"{task.id}.txt")

    def committer(self):
        return CountingCommitter(self.directory)


class CountingWriter(LinesWriter):
    def write(self, row):
        self.out.write(f"{row.value}\n")
        self.rows += 1

    def prepare(self):
        return [
            stoplog.Prepared(each.token, each.rows, 10 * each.rows, metrics={"letters": 11 * each.rows})
            for each in super().prepare()
        ]


class CountingCommitter(LinesCommitter):
    def commit_all(self, prepared):
        assert {each.version for each in prepared} == {7}
        return [self.commit(each) for each in prepared]


def test_rows_counters_versions_and_commits_of_several_outputs(spark: SparkSession, place: Place) -> None:
    place.feed(files=6)
    query = run(spark, place, Counting(place.out), files=6)
    assert_each_once(place)
    assert query.lastProgress is not None
    assert int(query.lastProgress["sink"]["metrics"]["letters"]) == 11 * len(place.rows)


class Failing(TransactionalFiles):
    """Fails, or returns what cannot be, in a method."""

    def __init__(self, directory, method, how):
        super().__init__(directory)
        self.method, self.how = method, how

    def writer(self, task):
        return FailingWriter(self.directory / "_staging" / f"{task.id}.txt", self)

    def committer(self):
        return FailingCommitter(self.directory, self)

    def at(self, method):
        if method == self.method:
            if self.how == "raise":
                raise OSError(f"no room in {method}")
            if self.how == "hang":
                time.sleep(600)
            return True
        return False


class FailingWriter(LinesWriter):
    def __init__(self, file, sink):
        super().__init__(file)
        self.sink = sink

    def write(self, batch):
        self.sink.at("write")
        super().write(batch)

    def prepare(self):
        found = super().prepare()
        if self.sink.at("prepare"):
            return {"none": None, "token": [stoplog.Prepared(b"x" * 70_000, 1)]}[self.sink.how]
        return found


class FailingCommitter(LinesCommitter):
    def __init__(self, directory, sink):
        super().__init__(directory)
        self.sink = sink

    def commit(self, prepared):
        if self.sink.at("commit"):
            return None
        return super().commit(prepared)


@pytest.mark.parametrize(
    ("method", "how", "condition", "said"),
    [
        ("write", "raise", "STOPLOG_PYTHON_FAILED", "method write of Failing failed in epoch 0, partition"),
        ("prepare", "none", "STOPLOG_PYTHON_FAILED", "prepare returned None. Return a list of Prepared"),
        ("prepare", "token", "STOPLOG_PYTHON_FAILED", "70,000 bytes, and the log stores up to 65,536"),
        ("commit", "raise", "STOPLOG_PYTHON_FAILED", "method commit of Failing failed in epoch 0, partition"),
        ("commit", "none", "STOPLOG_PYTHON_FAILED", "commit returned None. Return CommitOutcome.COMMITTED"),
        ("commit", "hang", "STOPLOG_PYTHON_TIMEOUT", "method commit of Failing in epoch 0, partition"),
    ],
)
def test_a_failure_of_user_code_is_one_condition(
    spark: SparkSession, place: Place, method: str, how: str, condition: str, said: str
) -> None:
    place.feed(files=2)
    with pytest.raises(Exception, match=condition) as found:
        run(spark, place, Failing(place.out, method, how), pythonTimeout="2s")
    assert condition_of(found.value) == condition
    assert said in str(found.value)
    if how == "raise":
        assert f"no room in {method}" in str(found.value)
        assert "in at" in str(found.value), "the user's own frames"
    assert_no_process_is_left()
    run(spark, place, TransactionalFiles(place.out), kind="Failing")
    assert_each_once(place)


def test_a_query_whose_commit_hangs_can_be_stopped(spark: SparkSession, place: Place) -> None:
    place.feed(files=2)
    sink = Failing(place.out, "commit", "hang")
    rows = spark.readStream.text(str(place.input))
    query = sink.write_stream(rows, place.checkpoint).start()
    while not list((place.out / "_staging").glob("*.txt")):
        query.awaitTermination(0.1)
    query.stop()
    assert_no_process_is_left()
    run(spark, place, TransactionalFiles(place.out), kind="Failing")
    assert_each_once(place)


@pytest.mark.parametrize("step", STEPS if LONG else SAMPLE)
def test_each_row_is_written_once_after_a_halt_at_a_step(place: Place, step: str) -> None:
    place.feed(files=6)
    assert job(place, fault=f"{step}:2:halt").run(JOB).code == KILLED
    assert_none_twice(place)
    place.feed(files=2)
    assert job(place).run(JOB).code == 0
    assert_each_once(place)


@pytest.mark.long
def test_lost_output_ends_the_query_or_is_skipped_by_option(place: Place) -> None:
    place.feed(files=4)
    assert job(place, fault="afterRecord:1:halt").run(JOB).code == KILLED
    lost = [line for file in (place.out / "_staging").glob("*.txt") for line in file.read_text().splitlines()]
    for file in (place.out / "_staging").glob("*.txt"):
        file.unlink()
    outcome = job(place).run(JOB, stderr=subprocess.PIPE)
    assert outcome.code != 0
    assert job(place, options={"onLostPart": "skip"}).run(JOB).code == 0
    assert Counter(lines(place.out)) == Counter(place.rows) - Counter(lost)


def test_each_row_is_written_once_after_kill_9_of_the_driver(place: Place) -> None:
    moments = random.Random(SEED)
    for _ in range(KILL_ROUNDS):
        place.feed(files=4)
        with at_work(job(place), JOB) as process:
            arrive(place, process, moments)
        assert_none_twice(place)
    assert job(place, files=50).run(JOB).code == 0
    assert_each_once(place)


@pytest.mark.long
def test_no_python_of_a_killed_driver_survives_a_commit(place: Place) -> None:
    place.feed(files=2)
    place.out.mkdir()
    (place.out / "slow-commit").touch()
    with at_work(job(place), JOB) as process:
        while not (place.out / "committing").exists():
            assert process.poll() is None
            time.sleep(0.05)
        (place.out / "slow-commit").unlink()
    assert_no_process_is_left()
    (place.out / "committing").unlink()
    assert job(place).run(JOB).code == 0
    assert_each_once(place)


@pytest.mark.long
def test_of_two_drivers_the_older_one_is_fenced(place: Place) -> None:
    place.feed(files=4)
    with at_work(job(place), JOB) as older:
        arrive(place, older, random.Random(SEED))
        with at_work(job(place), JOB) as newer:
            place.feed(files=2)
            arrive(place, newer, random.Random(SEED))
    place.feed(files=2)
    assert job(place).run(JOB).code == 0
    assert_each_once(place)


@pytest.mark.parametrize("fault", [pytest.param("", marks=pytest.mark.long), "afterSync:2:halt"])
def test_executors_in_processes_of_their_own(place: Place, fault: str) -> None:
    place.feed(files=4)
    cluster = job(
        place,
        master="local-cluster[2,1,1024]",
        executor_fault=fault,
        conf={"spark.executor.memory": "640m", "spark.task.maxFailures": "20"},
    )
    assert cluster.run(JOB).code == 0
    assert_each_once(place)


def test_an_operator_forbids_python_on_the_driver(place: Place) -> None:
    place.feed()
    outcome = job(place, conf={"spark.stoplog.pythonOnDriver": "false"}).run("two_phase_forbidden_job.py")
    assert "STOPLOG_PYTHON_FORBIDDEN" in outcome.printed


def run(spark: SparkSession, place: Place, sink, files: int = 2, kind: str = "", **options: str):
    rows = spark.readStream.option("maxFilesPerTrigger", files).text(str(place.input))
    writer = sink.write_stream(rows, place.checkpoint).options(**options)
    if kind:
        writer = writer.option("python.kind", kind)
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    return query


def job(place: Place, **more: object) -> Job:
    return Job.at(place, path=str(place.out), **more)


def assert_each_once(place: Place) -> None:
    assert Counter(lines(place.out)) == Counter(place.rows)


def assert_none_twice(place: Place) -> None:
    assert Counter(lines(place.out)) - Counter(place.rows) == Counter()


def assert_no_process_is_left() -> None:
    """The end of a query is reported to its sink by a listener, shortly after the query has ended.

    The process of a finder or of a target of an earlier test ends ten seconds after its last call.
    """
    deadline = time.monotonic() + 30
    while processes() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert processes() == []


def processes() -> list[str]:
    """The Python processes of drivers of this process of pytest, by their program and their environment."""
    worker = f"PYTEST_XDIST_WORKER={os.environ.get('PYTEST_XDIST_WORKER', '')}"
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = entry.read_bytes().replace(b"\0", b" ").decode(errors="replace")
            variables = (entry.parent / "environ").read_bytes().decode(errors="replace").split("\0")
            is_here = (entry.parent / "cwd").samefile(Path.cwd())
        except OSError:  # has ended meanwhile
            continue
        is_ours = worker in variables or worker.endswith("=")
        if is_here and is_ours and "A Python process of the JVM." in command:
            found.append(entry.parent.name)
    return found


@pytest.mark.spark_lines
def test_a_stream_and_a_batch_of_a_connect_client(place: Place) -> None:
    place.feed(files=4)
    outcome = job(place, rows=20).run("two_phase_connect_job.py")
    assert outcome.code == 0
    assert_each_once(place)
    assert Counter(lines(place.out.with_name("out-batch"))) == Counter(str(number) for number in range(20))
    condition, message = json.loads(outcome.printed.splitlines()[-1])
    assert condition == "STOPLOG_PYTHON_FAILED"
    assert "OSError: the directory is full" in message
    assert "in commit" in message
