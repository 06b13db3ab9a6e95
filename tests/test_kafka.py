# SPDX-License-Identifier: Apache-2.0
"""A query dies at any time, with its broker or without: who reads committed records sees each row once."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from servers import KafkaBroker, kafka
from support.jobs import KILLED, Job, kill
from support.place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG = os.environ.get("STOPLOG_LONG") == "1"
KILL_ROUNDS = 20 if LONG else 2
SEED = 20_261_122
KEEP_RUNNING = {"processingTime": "0 seconds"}
FAULTS = (
    "midWrite:3:halt",
    "afterSync:3:halt",
    "beforeRecord:2:halt",
    "afterRecord:2:halt",
    "partPublished:3:halt",
    "afterPublish:2:halt",
    "afterMark:2:halt",
    "midSweep:1:halt",
)
"""Those of a whole process; all steps are killed at in `KafkaMatrixSuite`, without Spark."""
SAMPLE = ("afterRecord:2:halt",)


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    with kafka(tmp_path_factory.mktemp("broker")) as running:
        yield running


def test_kill_9_at_random_moments_of_the_query_and_of_its_broker(broker: KafkaBroker, place: Place) -> None:
    topic = broker.create("killed")
    moments = random.Random(SEED)
    for number in range(KILL_ROUNDS):
        place.feed(files=4)
        process = job(broker, place, topic, trigger=KEEP_RUNNING).start("kafka_job.py")
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "started\n"
            arrive(place, process, moments.uniform(0, 4))
            if number % 2 == 1:
                broker.kill()
                broker.start()
                arrive(place, process, moments.uniform(0, 2))
        finally:
            kill(process)
        assert not Counter(broker.committed(topic)) - Counter(place.rows)
    finish(broker, place, topic)


@pytest.mark.spark_lines
@pytest.mark.parametrize("fault", FAULTS if LONG else SAMPLE)
def test_a_halt_at_a_step(broker: KafkaBroker, place: Place, fault: str) -> None:
    topic = broker.create(f"halted-{fault.partition(':')[0]}")
    place.feed(files=6)
    if fault.startswith("midSweep"):  # which needs something that a dead run has left open
        assert job(broker, place, topic, fault="afterSync:3:halt").run("kafka_job.py").code == KILLED
    assert job(broker, place, topic, fault=fault).run("kafka_job.py").code == KILLED
    assert not Counter(broker.committed(topic)) - Counter(place.rows)
    finish(broker, place, topic)


@pytest.mark.spark_lines
def test_package_and_jar_know_the_same_and_the_source_reads_what_the_sink_wrote(
    broker: KafkaBroker, place: Place
) -> None:
    if not broker.has_source:
        pytest.skip("Spark's own Kafka module is not published for this line")
    topic = broker.create("round-trip", partitions=1)
    found = json.loads(job(broker, place, topic).run("kafka_source_job.py").printed)
    assert found["ids"] == [0, 1, 2]
    assert found["columns"][:2] == ["key", "value"]
    assert found["group"] == '{"round-trip":{"0":-2}}'
    assert found["refused"] == ["STOPLOG_INVALID_OPTIONS", "STOPLOG_KAFKA_GROUP"]
    assert found["sameKeys"]


def finish(broker: KafkaBroker, place: Place, topic: str) -> None:
    place.feed()
    assert job(broker, place, topic).run("kafka_job.py").code == 0
    assert Counter(broker.committed(topic)) == Counter(place.rows)
    assert broker.open_records(topic) == 0


def job(broker: KafkaBroker, place: Place, topic: str, **more: object) -> Job:
    return Job(
        path=topic,
        input=str(place.input),
        checkpoint=str(place.checkpoint),
        options={"servers": broker.servers},
        conf=broker.conf,
        **more,
    )


def arrive(place: Place, process: subprocess.Popen[str], seconds: float) -> None:
    """A file every tenth of a second, while the query runs."""
    for _ in range(int(seconds * 10)):
        try:
            process.wait(0.1)
        except subprocess.TimeoutExpired:
            place.feed()
        else:
            raise AssertionError("the query ended by itself")
