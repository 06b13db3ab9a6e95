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

# The public names for type checkers: `X as X` marks an exported name (PEP 484).
if TYPE_CHECKING:
    from stoplog.admin import AdminPlan as AdminPlan
    from stoplog.admin import DriverCheck as DriverCheck
    from stoplog.admin import Jvm as Jvm
    from stoplog.admin import OpenRows as OpenRows
    from stoplog.admin import SinkAdmin as SinkAdmin
    from stoplog.admin import administer as administer
    from stoplog.announcement import Announcement as Announcement
    from stoplog.announcement_target import AnnouncedFile as AnnouncedFile
    from stoplog.announcement_target import AnnouncementTarget as AnnouncementTarget
    from stoplog.announcement_target import Delivery as Delivery
    from stoplog.announcement_target import FileChange as FileChange
    from stoplog.announcement_target import Position as Position
    from stoplog.async_io import Retry as Retry
    from stoplog.async_io import RetryAfter as RetryAfter
    from stoplog.async_io import async_map as async_map
    from stoplog.async_io import async_split as async_split
    from stoplog.bucket import BucketAssigner as BucketAssigner
    from stoplog.bucketing import BucketingSink as BucketingSink
    from stoplog.bulk import BulkFormat as BulkFormat
    from stoplog.cassandra import CassandraSink as CassandraSink
    from stoplog.cassandra import CassandraSource as CassandraSource
    from stoplog.compaction import DirectoryCompaction as DirectoryCompaction
    from stoplog.compaction import FileCompactStrategy as FileCompactStrategy
    from stoplog.compaction import compact as compact
    from stoplog.diagnosis import Diagnosis as Diagnosis
    from stoplog.diagnosis import doctor as doctor
    from stoplog.encoder import Encoder as Encoder
    from stoplog.errors import ConnectUnsupported as ConnectUnsupported
    from stoplog.errors import InvalidOptions as InvalidOptions
    from stoplog.errors import JarMissing as JarMissing
    from stoplog.errors import NoSession as NoSession
    from stoplog.errors import NotAStoplogQuery as NotAStoplogQuery
    from stoplog.errors import NotFinished as NotFinished
    from stoplog.errors import SparkUnsupported as SparkUnsupported
    from stoplog.errors import StartRefused as StartRefused
    from stoplog.errors import StoplogError as StoplogError
    from stoplog.errors import VersionMismatch as VersionMismatch
    from stoplog.errors import condition_of as condition_of
    from stoplog.finished import Finished as Finished
    from stoplog.inspection import SinkDirectory as SinkDirectory
    from stoplog.inspection import inspect as inspect
    from stoplog.jdbc import JdbcSink as JdbcSink
    from stoplog.kafka import KafkaSink as KafkaSink
    from stoplog.kafka import KafkaSource as KafkaSource
    from stoplog.live import Following as Following
    from stoplog.live import follow as follow
    from stoplog.metrics import SinkMetrics as SinkMetrics
    from stoplog.metrics import SinkProgress as SinkProgress
    from stoplog.metrics import progress as progress
    from stoplog.output_file import OutputFileConfig as OutputFileConfig
    from stoplog.preflight import Preflight as Preflight
    from stoplog.rolling import DefaultRollingPolicy as DefaultRollingPolicy
    from stoplog.rolling import OnCheckpointRollingPolicy as OnCheckpointRollingPolicy
    from stoplog.rolling import OpenPart as OpenPart
    from stoplog.rolling import RollingPolicy as RollingPolicy
    from stoplog.session import configure as configure
    from stoplog.session import jar as jar
    from stoplog.session import packages as packages
    from stoplog.sink import FileSink as FileSink
    from stoplog.sink import FileSinkBuilder as FileSinkBuilder
    from stoplog.source import FileSource as FileSource
    from stoplog.source import FileSourceBuilder as FileSourceBuilder
    from stoplog.split_source import Split as Split
    from stoplog.split_source import SplitEnumerator as SplitEnumerator
    from stoplog.split_source import SplitSource as SplitSource
    from stoplog.stopping import await_finished as await_finished
    from stoplog.stopping import graceful_stop as graceful_stop
    from stoplog.stopping import stop_after_batch as stop_after_batch
    from stoplog.stream_format import StreamFormat as StreamFormat
    from stoplog.two_phase import CommitOutcome as CommitOutcome
    from stoplog.two_phase import Prepared as Prepared
    from stoplog.two_phase import Staged as Staged
    from stoplog.two_phase import TwoPhaseCommitter as TwoPhaseCommitter
    from stoplog.two_phase import TwoPhaseSink as TwoPhaseSink
    from stoplog.two_phase import TwoPhaseWriter as TwoPhaseWriter
    from stoplog.two_phase import WriterTask as WriterTask
    from stoplog.views import epochs as epochs
    from stoplog.views import incomplete_buckets as incomplete_buckets
    from stoplog.views import open_parts as open_parts
    from stoplog.views import parts as parts
    from stoplog.write_ahead import WriteAheadSink as WriteAheadSink
    from stoplog.write_ahead_target import CheckpointCommitter as CheckpointCommitter
    from stoplog.write_ahead_target import Chunk as Chunk
    from stoplog.write_ahead_target import WriteAheadTarget as WriteAheadTarget

    __version__: str

# Python imports a module on the first use of a name: `import stoplog` imports neither Spark nor pyarrow.
_HOMES = {
    "admin": "AdminPlan DriverCheck Jvm OpenRows SinkAdmin administer",
    "announcement": "Announcement",
    "announcement_target": "AnnouncedFile AnnouncementTarget Delivery FileChange Position",
    "async_io": "Retry RetryAfter async_map async_split",
    "bucket": "BucketAssigner",
    "bucketing": "BucketingSink",
    "bulk": "BulkFormat",
    "cassandra": "CassandraSink CassandraSource",
    "compaction": "DirectoryCompaction FileCompactStrategy compact",
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

_MORE_MODULES = {"testing"}
"""The public modules without a name of the package."""

if not TYPE_CHECKING:
    _NAMES = sorted(name for names in _HOMES.values() for name in names.split())
    # After `from stoplog import *`, the module `inspect` of Python keeps its name.
    __all__ = [name for name in _NAMES if name != "inspect"]

    def __getattr__(name: str) -> object:
        """Imports the module of a public name, or a public module."""
        found = _imported(name)
        globals()[name] = found
        return found

    def __dir__() -> list[str]:
        """Returns the public names, without the modules."""
        return [*_NAMES, "__version__"]


def _imported(name: str) -> object:
    from importlib import import_module

    if name == "__version__":
        from stoplog._shared.version import version

        return version()
    if name in _HOMES or name in _MORE_MODULES:
        return import_module(f"stoplog.{name}")
    homes = {each: home for home, names in _HOMES.items() for each in names.split()}
    if name in homes:
        return getattr(import_module(f"stoplog.{homes[name]}"), name)
    from stoplog._shared.other_names import meant, nearest

    own = None if name.startswith("_") else next(iter(meant("names", name)), None) or nearest(name, homes)
    raise AttributeError(
        f"module 'stoplog' has no attribute {name!r}" + (f": use stoplog.{own}" if own else "")
    )
