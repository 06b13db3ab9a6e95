# SPDX-License-Identifier: Apache-2.0
"""Rolling files for Spark Structured Streaming: exactly one file contains each row.

Builders with Flink's names describe a sink, and Spark's own writers use the sink:

    import stoplog
    from pyspark.sql import SparkSession

    spark = stoplog.configure(SparkSession.builder).getOrCreate()
    sink = (
        stoplog.FileSink.for_row_format("/data/out", stoplog.Encoder.json())
        .with_rolling_policy(stoplog.DefaultRollingPolicy(max_part_size="64m"))
        .build()
    )
    query = sink.write_stream(events, checkpoint_location="/data/checkpoint").start()
    stoplog.follow(query)
"""

from __future__ import annotations

from stoplog._shared.version import version as _version
from stoplog.admin import AdminAction, AdminPlan, DriverCheck, Jvm, OpenRows, SinkAdmin, administer
from stoplog.async_io import Retry, RetryAfter, async_map, async_split
from stoplog.bucket import BucketAssigner
from stoplog.bucketing import BucketingSink
from stoplog.bulk import BulkFormat
from stoplog.cassandra import CassandraSink, CassandraSource
from stoplog.compaction import DirectoryCompaction, FileCompactStrategy, PlannedMerge, compact
from stoplog.encoder import Encoder
from stoplog.errors import (
    ConnectUnsupported,
    InvalidOptions,
    JarMissing,
    NoSession,
    NotAStoplogQuery,
    NotFinished,
    SparkUnsupported,
    StoplogError,
    VersionMismatch,
    condition_of,
)
from stoplog.finished import Finished
from stoplog.inspection import SinkDirectory, inspect
from stoplog.jdbc import JdbcSink
from stoplog.kafka import KafkaSink, KafkaSource
from stoplog.live import Following, follow
from stoplog.metrics import SinkMetrics, SinkProgress, progress
from stoplog.output_file import OutputFileConfig
from stoplog.preflight import Preflight
from stoplog.rolling import DefaultRollingPolicy, OnCheckpointRollingPolicy, RollingPolicy
from stoplog.session import configure, jar, packages
from stoplog.sink import FileSink, FileSinkBuilder
from stoplog.source import FileSource, FileSourceBuilder
from stoplog.stopping import await_finished, graceful_stop, stop_after_batch
from stoplog.stream_format import StreamFormat
from stoplog.views import epochs, incomplete_buckets, open_parts, parts
from stoplog.write_ahead import WriteAheadSink

__version__ = _version()

__all__ = [
    "AdminAction",
    "AdminPlan",
    "BucketAssigner",
    "BucketingSink",
    "BulkFormat",
    "CassandraSink",
    "CassandraSource",
    "ConnectUnsupported",
    "DefaultRollingPolicy",
    "DirectoryCompaction",
    "DriverCheck",
    "Encoder",
    "FileCompactStrategy",
    "FileSink",
    "FileSinkBuilder",
    "FileSource",
    "FileSourceBuilder",
    "Finished",
    "Following",
    "InvalidOptions",
    "JarMissing",
    "JdbcSink",
    "Jvm",
    "KafkaSink",
    "KafkaSource",
    "NoSession",
    "NotAStoplogQuery",
    "NotFinished",
    "OnCheckpointRollingPolicy",
    "OpenRows",
    "OutputFileConfig",
    "PlannedMerge",
    "Preflight",
    "Retry",
    "RetryAfter",
    "RollingPolicy",
    "SinkAdmin",
    "SinkDirectory",
    "SinkMetrics",
    "SinkProgress",
    "SparkUnsupported",
    "StoplogError",
    "StreamFormat",
    "VersionMismatch",
    "WriteAheadSink",
    "administer",
    "async_map",
    "async_split",
    "await_finished",
    "compact",
    "condition_of",
    "configure",
    "epochs",
    "follow",
    "graceful_stop",
    "incomplete_buckets",
    "inspect",
    "jar",
    "open_parts",
    "packages",
    "parts",
    "progress",
    "stop_after_batch",
]
