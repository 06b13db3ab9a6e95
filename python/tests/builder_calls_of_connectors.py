# SPDX-License-Identifier: Apache-2.0
"""Every method of the connectors' builders, with arguments of its own, and the options that come of it."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

from builder_case import Builder, Call, Options, call

from stoplog import (
    KafkaSink,
    KafkaSource,
    WriteAheadSink,
)
from stoplog._shared.definitions import option_keys
from stoplog.cassandra import CassandraSink, CassandraSource
from stoplog.jdbc import JdbcSink
from stoplog.kafka import Decoder, StartPosition

JDBC_SINK = Builder(
    JdbcSink.for_table("jdbc:derby:d", "t"),
    {"url": "jdbc:derby:d", "dbtable": "t"},
    [
        (call("with_credentials", "me", "hidden"), {"user": "me", "password": "hidden"}),
        (call("with_upsert", "id", "a,b"), {"keyColumns": "id,`a,b`"}),
        (call("with_version_column", "v"), {"versionColumn": "v"}),
        (call("with_transactions"), {}),
        (call("with_batch_size", 3), {"batchsize": "3"}),
        (call("with_max_writers", 4), {"numPartitions": "4"}),
        (call("with_retry_timeout", timedelta(seconds=6)), {"retryTimeout": "6000ms"}),
        (call("with_reject_table", "bad"), {"onBadRow": "reject", "rejectTable": "bad"}),
        (call("with_sink_id", "orders"), {"sinkId": "orders"}),
        (call("with_on_foreign_query", "adopt"), {"onForeignQuery": "adopt"}),
        (call("with_option", "ssl", True), {"ssl": "true"}),
    ],
    option_keys("jdbc"),
    frozenset({"driver", "dialect", "distribution", "queryTimeout", "progressTable"}),
)

KAFKA_SINK = Builder(
    KafkaSink.to(["a:1", "b:2"]),
    {"kafka.bootstrap.servers": "a:1,b:2"},
    [
        (call("with_topic", "orders"), {"topic": "orders"}),
        (call("with_delivery", "at-least-once"), {"delivery": "at-least-once"}),
        (call("with_partitioner", "a.P"), {"kafka.partitioner.class": "a.P"}),
        (call("with_transaction_timeout", 60_000), {"transactionTimeout": "60000ms"}),
        (call("with_on_lost_transaction", "skip"), {"onLostTransaction": "skip"}),
        (call("with_transactional_id_prefix", "team"), {"transactionalIdPrefix": "team"}),
        (call("with_log_location", Path("/log")), {"logLocation": "/log"}),
        (call("with_sink_id", "orders"), {"sinkId": "orders"}),
        (call("with_on_foreign_query", "adopt"), {"onForeignQuery": "adopt"}),
        (call("with_producer_setting", "linger.ms", 5), {"kafka.linger.ms": "5"}),
        (call("with_option", "compress", True), {"compress": "true"}),
    ],
    option_keys("kafka"),
)

OFFSETS = '{"orders": {"0": 23, "1": -2}}'
NOTHING_YOUNGER = {"startingOffsetsByTimestampStrategy": "latest"}

KAFKA_SOURCE = Builder(
    KafkaSource.builder(["a:1", "b:2"]).with_topics("all"),
    {
        "kafka.bootstrap.servers": "a:1,b:2",
        "kafka.isolation.level": "read_committed",
        "includeHeaders": "true",
        "subscribe": "all",
    },
    [
        (call("with_topics", "orders", "returns"), {"subscribe": "orders,returns"}),
        (call("starting_from", StartPosition.earliest()), {"startingOffsets": "earliest"}),
        (call("starting_from", StartPosition.latest()), {"startingOffsets": "latest"}),
        (
            call("starting_from", StartPosition.offsets({"orders": {0: 23, 1: -2}})),
            {"startingOffsets": OFFSETS},
        ),
        (
            call("starting_from", StartPosition.timestamp(1_500)),
            {"startingTimestamp": "1500", **NOTHING_YOUNGER},
        ),
        (
            call("starting_from", StartPosition.timestamp(datetime(1970, 1, 1, 1, 0, 0, 250_000))),
            {"startingTimestamp": "3600250", **NOTHING_YOUNGER},
        ),
        (
            call(
                "starting_from",
                StartPosition.timestamp(datetime(1970, 1, 1, 1, tzinfo=timezone(timedelta(minutes=30)))),
            ),
            {"startingTimestamp": "1800000", **NOTHING_YOUNGER},
        ),
        (call("with_max_offsets_per_trigger", 3), {"maxOffsetsPerTrigger": "3"}),
        (
            call("with_min_offsets_per_trigger", 4, 5555),
            {"minOffsetsPerTrigger": "4", "maxTriggerDelay": "5555ms"},
        ),
        (
            call("with_min_offsets_per_trigger", 6),
            {"minOffsetsPerTrigger": "6", "maxTriggerDelay": "15m"},
        ),
        (call("with_consumer_setting", "isolation.level", "x"), {"kafka.isolation.level": "x"}),
        (call("with_option", "includeHeaders", False), {"includeHeaders": "false"}),
        # What becomes of keys and values are columns, and no options.
        (call("with_key", Decoder.string()), {}),
        (call("with_value", Decoder.string()), {}),
    ],
    excluded=frozenset({"with_topic_pattern", "with_partitions"}),
)

TABLE = {"contactPoints": "a,b:9142", "keyspace": "shop", "table": "orders"}
CLUSTER: list[tuple[Call, Options]] = [
    (call("with_credentials", "me", "hidden"), {"username": "me", "password": "hidden"}),
    (
        call("with_local_datacenter", "dc1"),
        {"datastax-java-driver.basic.load-balancing-policy.local-datacenter": "dc1"},
    ),
    (call("with_consistency", "QUORUM"), {"consistency": "QUORUM"}),
    (
        call("with_column_mapping", {"orderId": "order_id", "at": "created"}),
        {"columnMapping": "orderId=order_id,at=created"},
    ),
    (call("with_option", "maxBatchSize", 7), {"maxBatchSize": "7"}),
]

CASSANDRA_SINK = Builder(
    CassandraSink.for_table(["a", "b:9142"], "shop", "orders"),
    TABLE,
    [
        *CLUSTER,
        (call("with_retry_timeout", timedelta(minutes=5)), {"retryTimeout": "300000ms"}),
        (
            call("with_write_timestamp", "epoch", "ops.epochs"),
            {"writeTimestamp": "epoch", "progressTable": "ops.epochs"},
        ),
        (call("with_write_timestamp", "server"), {"writeTimestamp": "server"}),
        (
            call("with_write_timestamp_column", "at"),
            {"writeTimestamp": "column at"},
        ),
        (call("with_ttl", timedelta(seconds=8)), {"ttl": "8000ms"}),
        (call("with_ttl_column", "keep"), {"ttl": "column keep"}),
        (call("with_nulls", "delete"), {"nulls": "delete"}),
        (call("with_max_in_flight", 64), {"maxInFlight": "64"}),
        (call("with_distribution", "byPartitionKey"), {"distribution": "byPartitionKey"}),
    ],
    option_keys("cassandra"),
    frozenset({"query", "maxBatchSize", "maxSplitMemorySize"}),
)

CASSANDRA_SOURCE = Builder(
    CassandraSource.for_table("a,b:9142", "shop", "orders"),
    TABLE,
    [
        *CLUSTER,
        (call("with_max_split_memory_size", 10_000), {"maxSplitMemorySize": "10000"}),
        (call("with_page_rows", 11), {"datastax-java-driver.basic.request.page-size": "11"}),
    ],
)

WRITE_AHEAD_SINK = Builder(
    WriteAheadSink.to_http("https://example.com/rows"),
    {"sender": "http", "url": "https://example.com/rows"},
    [
        (call("with_header", "X-Team", "shop"), {"httpHeader.X-Team": "shop"}),
        (call("with_batch_rows", 3), {"httpBatchRows": "3"}),
        (call("with_committer", "files"), {"committer": "files"}),
        (
            call("with_target_moved_from", "https://old.example.com"),
            {"targetMovedFrom": "https://old.example.com"},
        ),
        (call("with_jdbc_option", "batchsize", 4), {"jdbc.batchsize": "4"}),
        (call("with_cassandra_option", "ttl", "30d"), {"cassandra.ttl": "30d"}),
        (call("with_sink_id", "alerts"), {"sinkId": "alerts"}),
        (call("with_log_location", Path("/log")), {"logLocation": "/log"}),
        (call("with_option", "httpRetries", 5), {"httpRetries": "5"}),
    ],
    option_keys("wal"),
    frozenset(
        {
            "httpNullFields",
            "httpRetries",
            "httpTimeout",
            "onForeignQuery",
            "onLostPart",
            "pythonTimeout",
        }
    ),
)
