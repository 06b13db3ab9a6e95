# SPDX-License-Identifier: Apache-2.0
"""Sinks and their logs, looked at without Spark: what the command line `stoplog` prints, as objects."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping

from stoplog import _redaction
from stoplog._inspect import check as _check
from stoplog._inspect import explain as _explain
from stoplog._inspect import show as _show
from stoplog._inspect import status as _status
from stoplog._inspect.check import CheckReport, Finding, FindingKind, Severity
from stoplog._inspect.explain import Explanation, PartState
from stoplog._inspect.liveness import DriverLife, DriverState
from stoplog._inspect.rolling import RollForecast, RollingFacts
from stoplog._inspect.show import RecordView
from stoplog._inspect.sinks import SinkKind, SinkSummary, asked, chosen, sink_ids, summary
from stoplog._inspect.status import BucketStatus, OpenPartStatus, SinkStatus
from stoplog._log.records import RecordKind
from stoplog._report.figures import figures
from stoplog._report.report import SinkReport
from stoplog._storage import NO_OPTIONS, open_storage
from stoplog._values import path_text, whole

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
    "inspect",
]


def now_millis() -> int:
    """The clock of this machine, in milliseconds since 1970-01-01T00:00:00Z."""
    return time.time_ns() // 1_000_000


class SinkDirectory:
    """A directory that sinks write to. Nothing is kept: each call looks anew, and changes nothing.

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
            path: local, or a URI that pyarrow or fsspec reads: `s3://…`, `s3a://…`, `hdfs://…`,
                `webhdfs://…` and others.
            fs_options: of the file system in pyarrow or fsspec, such as `endpoint_override`.
            clock: what ages are counted from, in milliseconds; that of this machine if left out.

        Raises:
            CannotRead: pyarrow is missing, or refuses the path or the options.
        """
        self._storage = open_storage(path, fs_options)
        self._clock = clock or now_millis

    def __repr__(self) -> str:
        return f"SinkDirectory({_redaction.text(self.path)!r})"

    @property
    def path(self) -> str:
        """The directory as it was named."""
        return self._storage.root

    def sinks(self) -> list[SinkSummary]:
        """The sinks that have a log here, by name. One whose log cannot be read says why.

        Example:
            [sink.sink_id for sink in stoplog.inspect("/data/out").sinks()]
        """
        now = self._clock()
        return [summary(self._storage, sink_id, now) for sink_id in sink_ids(self._storage)]

    def status(self, sink_id: str | None = None) -> SinkStatus:
        """The finished, decided and open parts of the sink, with the time at which each open one closes.

        Args:
            sink_id: may be left out where there is one alone.

        Raises:
            NotFound, WhichSink: there is no such sink, or several.
            UnreadableRecord: its newest record is torn, or of a newer release.
            CannotRead: the file system refuses.

        Example:
            stoplog.inspect("/data/out").status().open
        """
        return _status.status(self._storage, chosen(self._storage, sink_id), self._clock())

    def epoch(self, number: int, sink_id: str | None = None) -> RecordView:
        """The record of an epoch. Raises as `status` does; `NotFound` also for one that is no longer kept.

        Example:
            stoplog.inspect("/data/out").epoch(17).record.publish
        """
        return _show.epoch(self._storage, chosen(self._storage, sink_id), whole("number", number))

    def record(self, seq: int, sink_id: str | None = None) -> RecordView:
        """A record by its place in the log. Raises as `epoch` does.

        Example:
            stoplog.inspect("/data/out").record(0).record.kind
        """
        return _show.record(self._storage, chosen(self._storage, sink_id), whole("seq", seq))

    def newest_record(self, sink_id: str | None = None) -> RecordView:
        """The newest record: all that the sink has to remember. Raises as `epoch` does.

        Example:
            stoplog.inspect("/data/out").newest_record().record.state
        """
        return _show.newest(self._storage, chosen(self._storage, sink_id))

    def explain(self, part: str | os.PathLike[str], sink_id: str | None = None) -> Explanation:
        """Explains why readers see a file, or do not.

        Args:
            part: its name or path, finished or not.
            sink_id: whose log is asked; all of them if left out.

        Raises:
            NotFound, UnreadableRecord, CannotRead: as `status` does.

        Example:
            print(stoplog.inspect("/data/out").explain("part-6f1c2f3e8a4b-3.json").message)
        """
        found = asked(self._storage, sink_id)
        return _explain.explain(self._storage, found, path_text(part), self._clock())

    def check(self, sink_id: str | None = None) -> CheckReport:
        """Compares the directory with its logs; safe beside a query that is at work.

        Args:
            sink_id: whose log is checked; all of them if left out.

        Raises:
            NotFound: there is no such sink, or none at all.
            CannotRead: the file system refuses. What is wrong with a log is a finding.

        Example:
            assert stoplog.inspect("/data/out").check().is_healthy
        """
        return _check.check(self._storage, asked(self._storage, sink_id), self._clock())

    def report(self, sink_id: str | None = None) -> SinkReport:
        """A page about the sink: sizes of files, roll reasons, delays, open parts, buckets.

        What is on it is read now: the directory is listed once, and of the log the newest records are read.

        Args:
            sink_id: may be left out where there is one alone.

        Raises:
            NotFound, WhichSink, UnreadableRecord, CannotRead: as `status` does.

        Example:
            stoplog.inspect("/data/out").report().save("report.html")
        """
        return SinkReport(figures(self._storage, chosen(self._storage, sink_id), self._clock()))


def inspect(path: str | os.PathLike[str], fs_options: Mapping[str, str] = NO_OPTIONS) -> SinkDirectory:
    """A directory that sinks write to, to look at without Spark.

    Example:
        stoplog.inspect("/data/out").status().buckets
    """
    return SinkDirectory(path, fs_options)
