# SPDX-License-Identifier: Apache-2.0
"""A query dies at any time, with its broker or without: who reads committed records sees each row once."""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from support.at_work import arrive, at_work
from support.jobs import KILLED, Job

if TYPE_CHECKING:
    from servers import KafkaBroker
    from support.place import Place

LONG = os.environ.get("STOPLOG_LONG") == "1"
KILL_ROUNDS = 20 if LONG else 1
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


def test_each_row_is_written_once_after_kill_9_of_query_and_broker(broker: KafkaBroker, place: Place) -> None:
    topic = broker.create("killed")
    moments = random.Random(SEED)
    for number in range(KILL_ROUNDS):
        place.feed(files=4)
        with at_work(job(broker, place, topic), "kafka_job.py") as process:
            arrive(place, process, moments)
            if number % 2 == 0:
                broker.kill()
                broker.start()
                arrive(place, process, moments)
        found = Counter(broker.committed(topic))
        assert found, "the epochs were empty"
        assert not found - Counter(place.rows)
    # Most of what has arrived was for no life long enough.
    finish(broker, place, topic, files=50)


@pytest.mark.long
@pytest.mark.spark_lines
@pytest.mark.parametrize("fault", FAULTS if LONG else SAMPLE)
def test_each_row_is_written_once_after_a_halt_at_a_step(
    broker: KafkaBroker, place: Place, fault: str
) -> None:
    topic = broker.create(f"halted-{fault.partition(':')[0]}")
    place.feed(files=6)
    if fault.startswith("midSweep"):  # which needs something that a dead run has left open
        assert job(broker, place, topic, fault="afterSync:3:halt").run("kafka_job.py").code == KILLED
    assert job(broker, place, topic, fault=fault).run("kafka_job.py").code == KILLED
    assert not Counter(broker.committed(topic)) - Counter(place.rows)
    finish(broker, place, topic)


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
