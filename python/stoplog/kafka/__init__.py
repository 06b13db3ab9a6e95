# SPDX-License-Identifier: Apache-2.0
"""Kafka topics as sinks, exactly once for consumers of committed records, and as sources.

The session needs the package `io.github.stoplog:stoplog-kafka_2.13`, which includes Kafka's client. The
source also needs Spark's Kafka module (`org.apache.spark:spark-sql-kafka-0-10_2.13`) of Spark's version.
"""

from __future__ import annotations

from stoplog.kafka.decoder import Decoder
from stoplog.kafka.sink import FORMAT, KafkaSink, KafkaSinkBuilder
from stoplog.kafka.source import KafkaSource, KafkaSourceBuilder, StartPosition

__all__ = [
    "FORMAT",
    "Decoder",
    "KafkaSink",
    "KafkaSinkBuilder",
    "KafkaSource",
    "KafkaSourceBuilder",
    "StartPosition",
]
