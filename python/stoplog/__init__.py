"""Rolling files for Spark Structured Streaming, each row in exactly one of them.

A sink is described with builders that bear the names of Flink's, and used with Spark's own writers:

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

from stoplog._builder import FileSinkBuilder
from stoplog._version import version as _version
from stoplog.bucket import BucketAssigner
from stoplog.bulk import BulkFormat
from stoplog.compaction import DirectoryCompaction, PlannedMerge, compact
from stoplog.encoder import Encoder
from stoplog.ending import await_finished
from stoplog.errors import (
    ConnectUnsupported,
    InvalidOptions,
    JarMissing,
    NoSession,
    StoplogError,
    VersionMismatch,
    condition_of,
)
from stoplog.live import follow
from stoplog.metrics import SinkMetrics, SinkProgress, progress
from stoplog.output_file import OutputFileConfig
from stoplog.rolling import DefaultRollingPolicy, OnCheckpointRollingPolicy, RollingPolicy
from stoplog.session import configure, jar, packages
from stoplog.sink import FileSink
from stoplog.views import epochs, incomplete_buckets, open_parts, parts

__version__ = _version()

__all__ = [
    "BucketAssigner",
    "BulkFormat",
    "ConnectUnsupported",
    "DefaultRollingPolicy",
    "DirectoryCompaction",
    "Encoder",
    "FileSink",
    "FileSinkBuilder",
    "InvalidOptions",
    "JarMissing",
    "NoSession",
    "OnCheckpointRollingPolicy",
    "OutputFileConfig",
    "PlannedMerge",
    "RollingPolicy",
    "SinkMetrics",
    "SinkProgress",
    "StoplogError",
    "VersionMismatch",
    "await_finished",
    "compact",
    "condition_of",
    "configure",
    "epochs",
    "follow",
    "incomplete_buckets",
    "jar",
    "open_parts",
    "packages",
    "parts",
    "progress",
]
