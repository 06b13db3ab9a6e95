# SPDX-License-Identifier: Apache-2.0
"""A Spark Connect server that a job starts for itself, and a session on it."""

from __future__ import annotations

import random
import socket
from contextlib import closing

from pyspark.sql import SparkSession
from pyspark.sql.connect.client import DefaultChannelBuilder

import stoplog

# Below those that systems give to a process that asks for any.
_PORTS = range(12_000, 32_000)


def connect_session(job: dict) -> SparkSession:
    """On a port of its own: another test may have a server at Spark's default port at the same time."""
    port = _free_port()
    # What a client takes for a server that it has started itself.
    DefaultChannelBuilder.default_port = staticmethod(lambda: port)
    builder = SparkSession.builder.remote(job["master"]).config("spark.connect.grpc.binding.port", str(port))
    for key, value in job["conf"].items():
        builder = builder.config(key, value)
    return stoplog.configure(builder).getOrCreate()


def _free_port() -> int:
    while True:
        port = random.choice(_PORTS)
        with closing(socket.socket()) as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
