# SPDX-License-Identifier: Apache-2.0
"""All builders, each with the calls of its methods, by the names that tests give them."""

from __future__ import annotations

from builder_calls_of_connectors import (
    CASSANDRA_SINK,
    CASSANDRA_SOURCE,
    JDBC_SINK,
    KAFKA_SINK,
    KAFKA_SOURCE,
    WRITE_AHEAD_SINK,
)
from builder_calls_of_files import FILE_SINK, FILE_SOURCE

BUILDERS = {
    "file sink": FILE_SINK,
    "file source": FILE_SOURCE,
    "JDBC sink": JDBC_SINK,
    "Kafka sink": KAFKA_SINK,
    "Kafka source": KAFKA_SOURCE,
    "Cassandra sink": CASSANDRA_SINK,
    "Cassandra source": CASSANDRA_SOURCE,
    "write-ahead sink": WRITE_AHEAD_SINK,
}
