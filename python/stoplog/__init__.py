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

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stoplog.admin import AdminAction, AdminPlan, DriverCheck, Jvm, OpenRows, SinkAdmin, administer
    from stoplog.announcement import Announcement
    from stoplog.announcement_target import (
        AnnouncedFile,
        AnnouncementTarget,
        Delivery,
        FileChange,
        Position,
    )
    from stoplog.async_io import Retry, RetryAfter, async_map, async_split
    from stoplog.bucket import BucketAssigner
    from stoplog.bucketing import BucketingSink
    from stoplog.bulk import BulkFormat
    from stoplog.cassandra import CassandraSink, CassandraSource
    from stoplog.compaction import DirectoryCompaction, FileCompactStrategy, PlannedCompaction, compact
    from stoplog.diagnosis import Diagnosis, doctor
    from stoplog.encoder import Encoder
    from stoplog.errors import (
        ConnectUnsupported,
        InvalidOptions,
        JarMissing,
        NoSession,
        NotAStoplogQuery,
        NotFinished,
        SparkUnsupported,
        StartRefused,
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
    from stoplog.rolling import DefaultRollingPolicy, OnCheckpointRollingPolicy, OpenPart, RollingPolicy
    from stoplog.session import configure, jar, packages
    from stoplog.sink import FileSink, FileSinkBuilder
    from stoplog.source import FileSource, FileSourceBuilder
    from stoplog.split_source import Split, SplitEnumerator, SplitSource
    from stoplog.stopping import await_finished, graceful_stop, stop_after_batch
    from stoplog.stream_format import StreamFormat
    from stoplog.two_phase import (
        CommitOutcome,
        Prepared,
        Staged,
        TwoPhaseCommitter,
        TwoPhaseSink,
        TwoPhaseWriter,
        WriterTask,
    )
    from stoplog.views import epochs, incomplete_buckets, open_parts, parts
    from stoplog.write_ahead import WriteAheadSink
    from stoplog.write_ahead_target import CheckpointCommitter, Chunk, WriteAheadTarget

    __version__: str

__all__ = [
    "AdminAction",
    "AdminPlan",
    "AnnouncedFile",
    "Announcement",
    "AnnouncementTarget",
    "BucketAssigner",
    "BucketingSink",
    "BulkFormat",
    "CassandraSink",
    "CassandraSource",
    "CheckpointCommitter",
    "Chunk",
    "CommitOutcome",
    "ConnectUnsupported",
    "DefaultRollingPolicy",
    "Delivery",
    "Diagnosis",
    "DirectoryCompaction",
    "DriverCheck",
    "Encoder",
    "FileChange",
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
    "OpenPart",
    "OpenRows",
    "OutputFileConfig",
    "PlannedCompaction",
    "Position",
    "Preflight",
    "Prepared",
    "Retry",
    "RetryAfter",
    "RollingPolicy",
    "SinkAdmin",
    "SinkDirectory",
    "SinkMetrics",
    "SinkProgress",
    "SparkUnsupported",
    "Split",
    "SplitEnumerator",
    "SplitSource",
    "Staged",
    "StartRefused",
    "StoplogError",
    "StreamFormat",
    "TwoPhaseCommitter",
    "TwoPhaseSink",
    "TwoPhaseWriter",
    "VersionMismatch",
    "WriteAheadSink",
    "WriteAheadTarget",
    "WriterTask",
    "administer",
    "async_map",
    "async_split",
    "await_finished",
    "compact",
    "condition_of",
    "configure",
    "doctor",
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

# Python imports a module on the first use of a name: `import stoplog` imports neither Spark nor pyarrow.
_HOMES = {
    "admin": "AdminAction AdminPlan DriverCheck Jvm OpenRows SinkAdmin administer",
    "announcement": "Announcement",
    "announcement_target": "AnnouncedFile AnnouncementTarget Delivery FileChange Position",
    "async_io": "Retry RetryAfter async_map async_split",
    "bucket": "BucketAssigner",
    "bucketing": "BucketingSink",
    "bulk": "BulkFormat",
    "cassandra": "CassandraSink CassandraSource",
    "compaction": "DirectoryCompaction FileCompactStrategy PlannedCompaction compact",
    "diagnosis": "Diagnosis doctor",
    "encoder": "Encoder",
    "errors": (
        "ConnectUnsupported InvalidOptions JarMissing NoSession NotAStoplogQuery NotFinished "
        "SparkUnsupported StartRefused StoplogError VersionMismatch condition_of"
    ),
    "finished": "Finished",
    "inspection": "SinkDirectory inspect",
    "jdbc": "JdbcSink",
    "kafka": "KafkaSink KafkaSource",
    "live": "Following follow",
    "metrics": "SinkMetrics SinkProgress progress",
    "output_file": "OutputFileConfig",
    "preflight": "Preflight",
    "rolling": "DefaultRollingPolicy OnCheckpointRollingPolicy OpenPart RollingPolicy",
    "session": "configure jar packages",
    "sink": "FileSink FileSinkBuilder",
    "source": "FileSource FileSourceBuilder",
    "split_source": "Split SplitEnumerator SplitSource",
    "stopping": "await_finished graceful_stop stop_after_batch",
    "stream_format": "StreamFormat",
    "two_phase": ("CommitOutcome Prepared Staged TwoPhaseCommitter TwoPhaseSink TwoPhaseWriter WriterTask"),
    "views": "epochs incomplete_buckets open_parts parts",
    "write_ahead": "WriteAheadSink",
    "write_ahead_target": "CheckpointCommitter Chunk WriteAheadTarget",
}
"""The public modules, and the public names that each module defines."""

if not TYPE_CHECKING:  # a type checker knows the names from the imports above

    def __getattr__(name: str) -> object:
        """Imports the module of a public name, or a public module."""
        found = _imported(name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        """Returns the public names, without the modules."""
        return [*__all__, "__version__"]


def _imported(name: str) -> object:
    from importlib import import_module

    if name == "__version__":
        from stoplog._shared.version import version

        return version()
    if name in _HOMES:
        return import_module(f"stoplog.{name}")
    for home, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(f"stoplog.{home}"), name)
    from stoplog._shared.other_names import meant, nearest

    own = None if name.startswith("_") else next(iter(meant("names", name)), None) or nearest(name, __all__)
    raise AttributeError(
        f"module 'stoplog' has no attribute {name!r}" + (f": use stoplog.{own}" if own else "")
    )
