# SPDX-License-Identifier: Apache-2.0
"""A Kafka broker for tests and the benchmark, which they may kill and start again."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .jars import jars, spark_kafka
from .starting import _answer, _process


@dataclass(slots=True)
class KafkaBroker:
    """One that runs over a directory; made by `kafka`.

    Args:
        servers: its address, the same after each start.
    """

    directory: Path
    servers: str = ""
    _running: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _process: subprocess.Popen[str] | None = None

    @property
    def conf(self) -> dict[str, str]:
        """What a session needs for the sink, and for the source where `has_source`."""
        return {"spark.jars": jars("kafka")}

    @property
    def has_source(self) -> bool:
        """Whether Spark's own Kafka module is published for the line of Spark that runs."""
        return bool(spark_kafka())

    def create(self, topic: str, partitions: int = 2) -> str:
        return self._ask(f"create {topic} {partitions}")

    def committed(self, topic: str) -> list[str]:
        """The values that readers of committed records see."""
        return self._ask(f"committed {topic}").split()

    def open_records(self, topic: str) -> int:
        """How many records such readers wait for, because their transactions are open."""
        return int(self._ask(f"open {topic}"))

    def kill(self) -> None:
        """As `kill -9`."""
        self._running.close()

    def start(self) -> None:
        """Returns when it answers."""
        started = _process("broker", "stoplog.servers.KafkaServer", self.directory)
        self._process = self._running.enter_context(started)
        self.servers = _answer(self._process)

    def _ask(self, command: str) -> str:
        assert self._process
        return _answer(self._process, command)


@contextlib.contextmanager
def kafka(directory: Path) -> Iterator[KafkaBroker]:
    """One broker over an empty directory."""
    broker = KafkaBroker(directory)
    broker.start()
    try:
        yield broker
    finally:
        broker.kill()
