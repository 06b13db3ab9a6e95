# SPDX-License-Identifier: Apache-2.0
"""Every method of every builder, called with arguments of its own, and the options that come of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

from stoplog import (
    BucketAssigner,
    DefaultRollingPolicy,
    FileCompactStrategy,
    FileSink,
    FileSource,
    KafkaSink,
    KafkaSource,
    OnCheckpointRollingPolicy,
    OutputFileConfig,
    RollingPolicy,
    WriteAheadSink,
    cassandra,
    jdbc,
    kafka,
    write_ahead,
)
from stoplog._shared import option_keys
from stoplog.cassandra import CassandraSink, CassandraSource
from stoplog.jdbc import JdbcSink
from stoplog.kafka import Decoder, StartPosition

Options = dict[str, str | None]
"""`None` stands for one that is not set any more."""


@dataclass(frozen=True)
class Call:
    """One call of a method."""

    method: str
    arguments: tuple[Any, ...]
    named: dict[str, Any]

    def on(self, builder: Any) -> Any:
        return getattr(builder, self.method)(*self.arguments, **self.named)

    def __str__(self) -> str:
        return f"{self.method}{self.arguments or self.named}"


def call(method: str, *arguments: Any, **named: Any) -> Call:
    return Call(method, arguments, named)


@dataclass(frozen=True)
class Builder:
    """A builder with nothing set but what its first method asks for.

    Attributes:
        start: the builder.
        base: what is set from the beginning.
        calls: what is set besides after each of the calls.
        keys: the options that the jar knows.
        by_name: those of them that have no method.
        excluded: methods that are refused after those that the start has called.
    """

    start: Any
    base: dict[str, str]
    calls: list[tuple[Call, Options]]
    keys: frozenset[str] = frozenset()
    by_name: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()

    def options(self, *rows: Options) -> dict[str, str]:
        """What is set from the beginning and by rows of the table."""
        found: Options = {**self.base}
        for row in rows:
            found |= row
        return {key: value for key, value in found.items() if value is not None}


FILE_SINK = Builder(
    FileSink.for_row_format(Path("/out"), "json"),
    {"path": "/out", "format": "json"},
    [
        (
            call(
                "with_bucket_assigner", BucketAssigner.date_time_bucket_assigner("yyyy", "Asia/Tokyo", "at")
            ),
            {
                "bucketAssigner": "dateTime",
                "bucketFormat": "yyyy",
                "bucketTimeZone": "Asia/Tokyo",
                "bucketColumn": "at",
            },
        ),
        (
            call("with_bucket_assigner", BucketAssigner.base_path_bucket_assigner()),
            {"bucketAssigner": "basePath"},
        ),
        (call("with_bucket_assigner", BucketAssigner.custom("a.B")), {"bucketAssigner": "a.B"}),
        (
            call("with_bucket_assigner", BucketAssigner.custom("a.B", {"Zone": "UTC", "deep": True})),
            {"bucketAssigner": "a.B", "bucketAssigner.Zone": "UTC", "bucketAssigner.deep": "true"},
        ),
        (call("with_bucket_by", "year(ts)"), {"bucketBy": "year(ts)"}),
        (call("with_partition_by", "day", "a,b"), {"partitionBy": "day,`a,b`"}),
        (
            call("with_rolling_policy", DefaultRollingPolicy(7777, 8888, timedelta(seconds=9), 10)),
            {
                "rollingPolicy": "default",
                "maxPartSize": "7777",
                "rolloverInterval": "8888ms",
                "inactivityInterval": "9000ms",
                "maxRecordsPerPart": "10",
            },
        ),
        (call("with_rolling_policy", OnCheckpointRollingPolicy()), {"rollingPolicy": "onCheckpoint"}),
        (call("with_rolling_policy", RollingPolicy.custom("a.C")), {"rollingPolicy": "a.C"}),
        (
            call("with_rolling_policy", RollingPolicy.custom("a.C", {"limit": 5})),
            {"rollingPolicy": "a.C", "rollingPolicy.limit": "5"},
        ),
        (
            call("with_rolling_policy", DefaultRollingPolicy(event_time_interval="10m")),
            {"rollingPolicy": "default", "eventTimeInterval": "10m"},
        ),
        (call("with_event_time_column", "at"), {"eventTimeColumn": "at"}),
        (call("with_bucket_check_interval", 1111), {"bucketCheckInterval": "1111ms"}),
        (
            call("with_output_file_config", OutputFileConfig("pre", ".end")),
            {"partPrefix": "pre", "partSuffix": ".end"},
        ),
        (call("with_output_file_config", OutputFileConfig(part_suffix=".log")), {"partSuffix": ".log"}),
        (call("with_compression", "zstd"), {"compression": "zstd"}),
        (call("with_max_open_parts", 12), {"maxOpenParts": "12"}),
        (call("with_distribution", "byBucket"), {"distribution": "byBucket"}),
        (call("with_distribution", 4), {"distribution": "4"}),
        (call("with_sink_id", "clicks"), {"sinkId": "clicks"}),
        (call("with_on_foreign_query", "adopt"), {"onForeignQuery": "adopt"}),
        (call("with_on_restart", "finish"), {"onRestart": "finish"}),
        (call("with_finalize_on_termination", "always"), {"finalizeOnTermination": "always"}),
        (call("with_on_lost_part", "skip"), {"onLostPart": "skip"}),
        (call("with_on_bad_row", "reject", "_bad"), {"onBadRow": "reject", "rejectPath": "_bad"}),
        (call("with_on_bad_row", "fail"), {"onBadRow": "fail"}),
        (
            call("with_bucket_complete", "watermark", 1313, "empty", "a.D"),
            {
                "bucketComplete": "watermark",
                "bucketCompleteDelay": "1313ms",
                "bucketMarker": "empty",
                "bucketListener": "a.D",
            },
        ),
        (call("with_bucket_complete", "none"), {"bucketComplete": "none"}),
        (
            call(
                "with_compaction", smaller_than=1414, to="15m", after_epochs=16, min_files=17, compactor="a.E"
            ),
            {
                "compaction": "smallParts",
                "compactSmallerThan": "1414",
                "compactTo": "15m",
                "compactAfterEpochs": "16",
                "compactMinFiles": "17",
                "compactor": "a.E",
            },
        ),
        (call("with_compaction"), {"compaction": "smallParts"}),
        (
            call("enable_compact", FileCompactStrategy(checkpoints=18, size_threshold="19m"), "a.F"),
            {
                "compaction": "smallParts",
                "compactAfterEpochs": "18",
                "compactTo": "19m",
                "compactor": "a.F",
            },
        ),
        (call("with_manifest", "json", "30d"), {"manifest": "json", "manifestRetention": "30d"}),
        (call("with_manifest", "none"), {"manifest": "none"}),
        (call("with_on_schema_change", "additive"), {"onSchemaChange": "additive"}),
        (call("with_durability", "process"), {"durability": "process"}),
        (call("with_option", "inProgress", "bucket"), {"inProgress": "bucket"}),
        (call("with_option", "useTruncate", False), {"useTruncate": "false"}),
    ],
    option_keys("core"),
    frozenset(
        {
            # Of encoders, bulk writers and views.
            "encoder", "bulkWriter", "lineSep", "nullValue", "timeZone", "sink", "logLocation", "view",
            # Hadoop's ways, and names of files that few change.
            "inProgress", "inProgressPrefix", "inProgressSuffix", "pendingPrefix", "pendingSuffix",
            "useTruncate", "validLengthPrefix", "validLengthSuffix",
        }
    ),
)  # fmt: skip

FILE_SOURCE = Builder(
    FileSource.for_record_stream_format("text", Path("/in")),
    {"path": "/in", "format": "text"},
    [
        (call("monitor_continuously", timedelta(seconds=3)), {"monitorInterval": "3000ms"}),
        (call("process_static_file_set"), {"monitorInterval": None}),
        (call("with_max_files_per_trigger", 4), {"maxFilesPerTrigger": "4"}),
        (call("with_max_bytes_per_trigger", 5555), {"maxBytesPerTrigger": "5555"}),
        (call("with_max_rows_per_trigger", 6), {"maxRowsPerTrigger": "6"}),
        (call("with_on_changed_file", "tail"), {"onChangedFile": "tail"}),
        (call("with_file_enumerator", "nonSplitting"), {"fileEnumerator": "nonSplitting"}),
        (
            call("with_file_enumerator", "a.B", {"suffix": ".txt"}),
            {"fileEnumerator": "a.B", "fileEnumerator.suffix": ".txt"},
        ),
        (call("set_file_enumerator", "nonSplitting"), {"fileEnumerator": "nonSplitting"}),
        (call("with_partition_columns", "day", "a,b"), {"partitionColumns": "day,`a,b`"}),
        (call("with_on_merged_part", "read"), {"onMergedPart": "read"}),
        (call("with_path_glob_filter", "*.log"), {"pathGlobFilter": "*.log"}),
        (call("with_min_file_age", 7777), {"minFileAge": "7777ms"}),
        (call("with_stable_for", 8888), {"stableFor": "8888ms"}),
        (call("with_ready_marker", "_READY"), {"readyMarker": "_READY"}),
        (
            call("with_dates", "yyyy", since="2026-01-01", until="2026-02-01", within=9999),
            {
                "datePattern": "yyyy",
                "dateFrom": "2026-01-01",
                "dateUntil": "2026-02-01",
                "dateWithin": "9999ms",
            },
        ),
        (call("with_dates", "yyyy/MM"), {"datePattern": "yyyy/MM"}),
        (
            call("with_quarantine", Path("/quarantine")),
            {"onCorrupt": "quarantine", "quarantinePath": "/quarantine"},
        ),
        (call("with_option", "cleanSource", "delete"), {"cleanSource": "delete"}),
        (call("with_option", "recursiveFileLookup", False), {"recursiveFileLookup": "false"}),
    ],
    option_keys("core", "source"),
    frozenset(
        {
            # Of formats.
            "source", "columns", "paths", "charset", "lineSep", "lengthPrefix", "maxRecordSize",
            # What few change.
            "recursiveFileLookup", "ignoreMissingFiles", "cleanSource", "sourceArchiveDir",
            "wholeListingInterval", "dateTimeZone",
        }
    ),
)  # fmt: skip

JDBC_SINK = Builder(
    JdbcSink.for_table("jdbc:derby:d", "t"),
    {"url": "jdbc:derby:d", "dbtable": "t"},
    [
        (call("with_credentials", "me", "hidden"), {"user": "me", "password": "hidden"}),
        (call("with_upsert", "id", "a,b"), {"writeMode": "upsert", "keyColumns": "id,`a,b`"}),
        (call("with_transactions"), {"writeMode": "transactional"}),
        (call("with_batch_size", 3), {"batchsize": "3"}),
        (call("with_max_writers", 4), {"numPartitions": "4"}),
        (call("with_retries", 5, timedelta(seconds=6)), {"maxTries": "5", "retryWait": "6000ms"}),
        (call("with_retries", 7), {"maxTries": "7", "retryWait": "500ms"}),
        (call("with_reject_table", "bad"), {"onBadRow": "reject", "rejectTable": "bad"}),
        (call("with_sink_id", "orders"), {"sinkId": "orders"}),
        (call("with_on_foreign_query", "adopt"), {"onForeignQuery": "adopt"}),
        (call("with_option", "ssl", True), {"ssl": "true"}),
    ],
    jdbc.KEYS,
    frozenset({"driver", "dialect", "distribution", "queryTimeout", "epochsTable"}),
)

KAFKA_SINK = Builder(
    KafkaSink.to(["a:1", "b:2"]),
    {"kafka.bootstrap.servers": "a:1,b:2"},
    [
        (call("with_topic", "orders"), {"topic": "orders"}),
        (call("with_delivery", "at-least-once"), {"delivery": "at-least-once"}),
        (call("with_partitioner", "a.P"), {"partitioner": "a.P"}),
        (call("with_transaction_timeout", 60_000), {"transactionTimeout": "60000ms"}),
        (call("with_on_lost_transaction", "skip"), {"onLostTransaction": "skip"}),
        (call("with_transactional_id_prefix", "team"), {"transactionalIdPrefix": "team"}),
        (call("with_log_location", Path("/log")), {"logLocation": "/log"}),
        (call("with_sink_id", "orders"), {"sinkId": "orders"}),
        (call("with_on_foreign_query", "adopt"), {"onForeignQuery": "adopt"}),
        (call("with_producer_setting", "linger.ms", 5), {"kafka.linger.ms": "5"}),
        (call("with_option", "compress", True), {"compress": "true"}),
    ],
    kafka.KEYS,
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
    (call("with_local_datacenter", "dc1"), {"localDatacenter": "dc1"}),
    (call("with_consistency", "QUORUM"), {"consistency": "QUORUM"}),
    (
        call("with_column_mapping", {"orderId": "order_id", "at": "created"}),
        {"columnMapping": "orderId=order_id,at=created"},
    ),
    (call("with_option", "requestTimeout", 7), {"requestTimeout": "7"}),
]

CASSANDRA_SINK = Builder(
    CassandraSink.for_table(["a", "b:9142"], "shop", "orders"),
    TABLE,
    [
        *CLUSTER,
        (call("with_retry_timeout", timedelta(minutes=5)), {"retryTimeout": "300000ms"}),
        (
            call("with_write_timestamp", "epoch", "ops.epochs"),
            {"writeTimestamp": "epoch", "epochTable": "ops.epochs"},
        ),
        (call("with_write_timestamp", "server"), {"writeTimestamp": "server"}),
        (
            call("with_write_timestamp_column", "at"),
            {"writeTimestamp": "column", "writeTimestampColumn": "at"},
        ),
        (call("with_ttl", timedelta(seconds=8)), {"ttl": "8000ms"}),
        (call("with_ttl_column", "keep"), {"ttlColumn": "keep"}),
        (call("with_nulls", "delete"), {"nulls": "delete"}),
        (call("with_max_in_flight", 64), {"maxInFlight": "64"}),
        (call("with_max_batch_rows", 9), {"maxBatchRows": "9"}),
        (call("with_distribution", "byPartitionKey"), {"distribution": "byPartitionKey"}),
    ],
    cassandra.KEYS,
    frozenset(
        {"query", "requestTimeout", "serialConsistency", "maxBatchSize", "maxSplitMemorySize", "pageRows"}
    ),
)

CASSANDRA_SOURCE = Builder(
    CassandraSource.for_table("a,b:9142", "shop", "orders"),
    TABLE,
    [
        *CLUSTER,
        (call("with_max_split_memory_size", 10_000), {"maxSplitMemorySize": "10000"}),
        (call("with_page_rows", 11), {"pageRows": "11"}),
    ],
)

WRITE_AHEAD_SINK = Builder(
    WriteAheadSink.to_http("https://example.com/rows"),
    {"sender": "http", "url": "https://example.com/rows"},
    [
        (call("with_header", "X-Team", "shop"), {"httpHeader.X-Team": "shop"}),
        (call("with_batch_rows", 3), {"httpBatchRows": "3"}),
        (call("with_committer", "files"), {"committer": "files"}),
        (call("with_jdbc_option", "batchsize", 4), {"jdbc.batchsize": "4"}),
        (call("with_cassandra_option", "ttl", "30d"), {"cassandra.ttl": "30d"}),
        (call("with_sink_id", "alerts"), {"sinkId": "alerts"}),
        (call("with_log_location", Path("/log")), {"logLocation": "/log"}),
        (call("with_option", "httpRetries", 5), {"httpRetries": "5"}),
    ],
    write_ahead.KEYS,
    frozenset({"httpRetries", "httpTimeout", "onForeignQuery", "onLostPart"}),
)

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
