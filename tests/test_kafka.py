# SPDX-License-Identifier: Apache-2.0
"""A query dies at any time, with its broker or without: who reads committed records sees each row once."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from servers import KafkaBroker, kafka
from support.at_work import arrive, at_work
from support.jobs import KILLED, Job

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.place import Place

LONG = os.environ.get("STOPLOG_LONG") == "1"
KILL_ROUNDS = 20 if LONG else 2
SEED = 20_261_122
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
        with at_work(job(broker, place, topic), "kafka_job.py") as process:
            arrive(place, process, moments.uniform(0, 4))
            if number % 2 == 1:
                broker.kill()
                broker.start()
                arrive(place, process, moments.uniform(0, 2))
        assert not Counter(broker.committed(topic)) - Counter(place.rows)
    # Most of what has arrived was for no life long enough.
    finish(broker, place, topic, files=50)


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


def test_avro_values_are_decoded_and_bad_ones_are_named_kept_or_null(
    broker: KafkaBroker, place: Place
) -> None:
    topic = broker.create("avro", partitions=1)
    found = json.loads(job(broker, place, topic).run("kafka_avro_job.py").printed)
    good = [{"id": 1, "item": "pen"}, {"id": 2, "item": None}]
    nothing = {"id": None, "item": None}
    assert found["decoded"] == good
    assert "Malformed records" in found["refused"]
    assert found["permissive"] == [*good, nothing, nothing, None]
    assert found["kept"] == ["cut", "else"]
    assert found["framed"] == good


def finish(broker: KafkaBroker, place: Place, topic: str, **more: object) -> None:
    place.feed()
    assert job(broker, place, topic, **more).run("kafka_job.py").code == 0
    assert Counter(broker.committed(topic)) == Counter(place.rows)
    assert broker.open_records(topic) == 0


def job(broker: KafkaBroker, place: Place, topic: str, **more: object) -> Job:
    return Job.at(
        place,
        path=topic,
        options={"servers": broker.servers},
        conf=broker.conf,
        **more,
    )
