# SPDX-License-Identifier: Apache-2.0
"""An HDFS, S3 servers, a Cassandra and a Kafka for tests, demo and benchmark, each a process of its own.

>>> with s3mock(Path("build/some-directory")) as server:  # doctest: +SKIP
...     spark = configure(builder, server).getOrCreate()
...     spark.range(9).write.json(f"{server.root}/numbers")

`make servers` must have run. A server ends with its `with`, and with the process that started it.
"""

from __future__ import annotations

from .broker import KafkaBroker, kafka
from .starting import Cassandra, Server, cassandra, hdfs, s3mock, s3proxy

__all__ = ["Cassandra", "KafkaBroker", "Server", "cassandra", "hdfs", "kafka", "s3mock", "s3proxy"]
