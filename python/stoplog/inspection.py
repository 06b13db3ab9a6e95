# SPDX-License-Identifier: Apache-2.0
"""Inspects sinks and their logs without Spark: the output of the command line `stoplog` as objects."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence

from stoplog._inspect import check as _check
from stoplog._inspect import explain as _explain
from stoplog._inspect import show as _show
from stoplog._inspect import status as _status
from stoplog._inspect.check import CheckReport, Finding, FindingKind, Severity
from stoplog._inspect.explain import Explanation, PartState
from stoplog._inspect.liveness import DriverLife, DriverState
from stoplog._inspect.rolling import RollForecast, RollingFacts
from stoplog._inspect.show import RecordView
from stoplog._inspect.sinks import SinkKind, SinkSummary, chosen, selected, sink_ids, summary
from stoplog._inspect.status import BucketStatus, OpenPartStatus, SinkStatus
from stoplog._inspect.tables import Table, tables_of
from stoplog._inspect.targets import TargetStatus
from stoplog._jvm.tools import Jvm
from stoplog._log.records import RecordKind
from stoplog._report.figures import figures
from stoplog._report.report import SinkReport
from stoplog._storage import NO_OPTIONS, open_storage
from stoplog._text import redaction
from stoplog._text.values import path_text, whole

__all__ = [
    "BucketStatus",
    "CheckReport",
    "DriverLife",
    "DriverState",
    "Explanation",
    "Finding",
    "FindingKind",
    "OpenPartStatus",
    "PartState",
    "RecordKind",
    "RecordView",
    "RollForecast",
    "RollingFacts",
    "Severity",
    "SinkDirectory",
    "SinkKind",
    "SinkReport",
    "SinkStatus",
    "SinkSummary",
    "TargetStatus",
    "inspect",
]


def now_millis() -> int:
    """Returns the clock of this machine, in milliseconds since 1970-01-01T00:00:00Z."""
    return time.time_ns() // 1_000_000


class SinkDirectory:
    """A directory that sinks write to.

    The object caches nothing: each call reads the directory without changes.

    Example:
        directory = stoplog.inspect("/data/out")
        for finding in directory.check().findings:
            print(finding.kind.value, finding.message)
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        fs_options: Mapping[str, str] = NO_OPTIONS,
        *,
        clock: Callable[[], int] | None = None,
    ) -> None:
        """
        Args:
            path: a local path, or a URI that pyarrow or fsspec supports: `s3://…`, `s3a://…`, `hdfs://…`,
                `webhdfs://…` and others.
            fs_options: the options of the file system in pyarrow or fsspec, such as `endpoint_override`.
            clock: the current time for ages, in milliseconds; the clock of this machine by default.

        Raises:
            CannotRead: pyarrow is missing, or rejects the path or the options.
        """
        self._storage = open_storage(path, fs_options)
        self._clock = clock or now_millis

    def __repr__(self) -> str:
        return f"SinkDirectory({redaction.text(self.path)!r})"

    @property
    def path(self) -> str:
        """Returns the directory as named by the user."""
        return self._storage.root

    def sinks(self) -> list[SinkSummary]:
        """Returns the sinks with a log here, by name. For an unreadable log, the summary contains the reason.

        Example:
            [sink.sink_id for sink in stoplog.inspect("/data/out").sinks()]
        """
        now = self._clock()
        return [summary(self._storage, sink_id, now) for sink_id in sink_ids(self._storage)]

    def status(self, sink_id: str | None = None) -> SinkStatus:
        """Returns the finished, decided and open parts of the sink, with the close times of open parts.

        Args:
            sink_id: may be omitted if there is a single sink.

        Raises:
            NotFound, WhichSink: there is no such sink, or several.
            UnreadableRecord: the newest record is torn, or written by a newer release.
            CannotRead: the file system rejects a request.

        Example:
            stoplog.inspect("/data/out").status().open
        """
        return _status.status(self._storage, chosen(self._storage, sink_id), self._clock())

    def epoch(self, number: int, sink_id: str | None = None) -> RecordView:
        """Returns the record of an epoch. Raises the errors of `status`, and `NotFound` for a trimmed record.

        Example:
            stoplog.inspect("/data/out").epoch(17).record.publish
        """
        return _show.epoch(self._storage, chosen(self._storage, sink_id), whole("number", number))

    def record(self, seq: int, sink_id: str | None = None) -> RecordView:
        """Returns a record by its sequence number. Raises the errors of `epoch`.

        Example:
            stoplog.inspect("/data/out").record(0).record.kind
        """
        return _show.record(self._storage, chosen(self._storage, sink_id), whole("seq", seq))

    def newest_record(self, sink_id: str | None = None) -> RecordView:
        """Returns the newest record with the whole state of the sink. Raises the errors of `epoch`.

        Example:
            stoplog.inspect("/data/out").newest_record().record.state
        """
        return _show.newest(self._storage, chosen(self._storage, sink_id))

    def explain(self, part: str | os.PathLike[str], sink_id: str | None = None) -> Explanation:
        """Explains why a file is visible or invisible to readers.

        Args:
            part: the name, path or URI of the file, finished or not.
            sink_id: the sink whose log is searched; all sinks by default.

        Raises:
            NotFound, UnreadableRecord, CannotRead: see `status`.

        Example:
            print(stoplog.inspect("/data/out").explain("part-6f1c2f3e8a4b-3.json").message)
        """
        found = selected(self._storage, sink_id)
        return _explain.explain(self._storage, found, path_text(part), self._clock())

    def check(
        self,
        sink_id: str | None = None,
        *,
        options: Mapping[str, str] = NO_OPTIONS,
        jvm: Jvm | None = None,
        watch: Callable[[int, int], object] | None = None,
    ) -> CheckReport:
        """Compares the directory with its logs; safe while a query is running.

        With the options of targets, also compares Iceberg and Delta tables with the logs and the files.

        Args:
            sink_id: the sink whose log is checked; all sinks by default.
            options: the targets of announcements, as the query has them: `announce.<name>` and its settings.
                Only tables need a JVM.
            jvm: the jars of the tables, such as stoplog-iceberg and its dependencies, and Hadoop settings.
            watch: called for each record of a log, with the number of records that were read and the number
                of all records of the log; for a display of the progress.

        Raises:
            NotFound: there is no such sink, or no sink at all.
            CannotRead: the file system or a catalog rejects a request. Problems of a log are findings.
            ToolFailed: `STOPLOG_INVALID_OPTIONS` if the options have no target with a table; or Java or a jar
                is missing.

        Example:
            assert stoplog.inspect("/data/out").check().is_healthy
        """
        watched = watch or _check.unwatched
        tables = self._tables(options, jvm or Jvm()) if options else _check.no_tables
        return _check.check(self._storage, selected(self._storage, sink_id), self._clock(), watched, tables)

    def _tables(self, options: Mapping[str, str], jvm: Jvm) -> Callable[[], Sequence[Table]]:
        request = {"command": "tables", "path": self.path, "options": dict(options)}
        return lambda: tables_of(jvm.ask(request), self.path)

    def report(self, sink_id: str | None = None) -> SinkReport:
        """Returns a page about the sink: sizes of files, roll reasons, delays, open parts, buckets.

        The call lists the directory once, and reads the newest records of the log.

        Args:
            sink_id: may be omitted if there is a single sink.

        Raises:
            NotFound, WhichSink, UnreadableRecord, CannotRead: see `status`.

        Example:
            stoplog.inspect("/data/out").report().save("report.html")
        """
        return SinkReport(figures(self._storage, chosen(self._storage, sink_id), self._clock()))


def inspect(path: str | os.PathLike[str], fs_options: Mapping[str, str] = NO_OPTIONS) -> SinkDirectory:
    """Opens a directory that sinks write to, for inspection without Spark.

    Example:
        stoplog.inspect("/data/out").status().buckets
    """
    return SinkDirectory(path, fs_options)
