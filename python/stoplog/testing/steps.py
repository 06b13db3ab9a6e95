# SPDX-License-Identifier: Apache-2.0
"""The named steps of the protocol, at which a test can kill the process."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from functools import cache

from stoplog._shared.definitions import shared


class Step(Enum):
    """A step of the protocol at which a crash leaves a different state of the storage.

    The value is the jar's name of the step. Some steps occur only with an option: for markers of complete
    buckets, compaction, a bulk format, announcements, or stoplog's source.

    >>> Step.AFTER_RECORD.value
    'afterRecord'
    """

    # starting
    BEFORE_REPUBLISH = "beforeRepublish"
    BEFORE_CLAIM = "beforeClaim"
    AFTER_CLAIM = "afterClaim"

    # tasks
    PART_OPENED = "partOpened"
    MID_WRITE = "midWrite"
    BEFORE_SYNC = "beforeSync"
    SIDE_WRITTEN = "sideWritten"
    AFTER_SYNC = "afterSync"

    # an epoch's commit
    BEFORE_RECORD = "beforeRecord"
    RECORD_WRITTEN = "recordWritten"
    AFTER_RECORD = "afterRecord"
    MID_PUBLISH = "midPublish"
    PART_PUBLISHED = "partPublished"
    AFTER_PUBLISH = "afterPublish"
    MANIFEST_WRITTEN = "manifestWritten"
    MARKER_WRITTEN = "markerWritten"
    AFTER_MARK = "afterMark"
    AFTER_TRIM = "afterTrim"
    AFTER_DROP = "afterDrop"

    # between epochs, and at the end
    BEFORE_ROLL = "beforeRoll"
    PART_ENDED = "partEnded"
    BEFORE_RELEASE = "beforeRelease"
    AFTER_RELEASE = "afterRelease"
    MID_SWEEP = "midSweep"

    # compaction of small parts
    MID_MERGE = "midMerge"
    BEFORE_COMPACT = "beforeCompact"
    MID_REPLACE = "midReplace"
    AFTER_REPLACE = "afterReplace"
    REPLACEMENT_NOTED = "replacementNoted"
    REPLACEMENT_CALLED_OFF = "replacementCalledOff"
    AFTER_FORGET = "afterForget"

    # a batch job that replaces files
    CUT_TAKEN = "cutTaken"

    # the end of a batch job
    MID_REMOVE = "midRemove"

    # announcements to targets
    BEFORE_DELIVERY = "beforeDelivery"
    AFTER_DELIVERY = "afterDelivery"
    CURSOR_WRITTEN = "cursorWritten"
    ALL_ANNOUNCED = "allAnnounced"

    # a write-ahead sink sends the rows in its log
    BEFORE_SEND = "beforeSend"
    AFTER_SEND = "afterSend"
    AFTER_NOTE = "afterNote"

    # a source's driver
    TARGET_FIXED = "targetFixed"
    GONE_NOTED = "goneNoted"
    SEEN_WRITTEN = "seenWritten"
    STALE_DROPPED = "staleDropped"
    BEFORE_SPLITS = "beforeSplits"
    STATE_WRITTEN = "stateWritten"
    AFTER_SPLITS = "afterSplits"
    SPLITS_DROPPED = "splitsDropped"
    BEFORE_CLEAN = "beforeClean"
    MID_ARCHIVE = "midArchive"
    FILE_CLEANED = "fileCleaned"
    AFTER_CLEAN = "afterClean"

    # a sink into a database
    JDBC_BEFORE_CLAIM = "jdbcBeforeClaim"
    JDBC_AFTER_CLAIM = "jdbcAfterClaim"
    JDBC_AFTER_SWEEP = "jdbcAfterSweep"
    JDBC_BATCH_SENT = "jdbcBatchSent"
    JDBC_TASK_DONE = "jdbcTaskDone"
    JDBC_BEFORE_COMMIT = "jdbcBeforeCommit"
    JDBC_IN_COMMIT = "jdbcInCommit"
    JDBC_AFTER_COMMIT = "jdbcAfterCommit"

    # a command-line tool, in addition to the steps of every driver
    LOG_KEPT = "logKept"
    PART_KEPT = "partKept"
    BEFORE_REWIND = "beforeRewind"

    @property
    def after(self) -> str:
        """Returns the state of the storage after a crash at this step.

        >>> Step.AFTER_RECORD.after
        'the record decides; none of its parts is visible'
        """
        return _texts()[self.value]

    @classmethod
    def named(cls, name: str) -> Step:
        """Returns the step with this name.

        Raises:
            ValueError: there is no such step.

        >>> Step.named("midPublish")
        <Step.MID_PUBLISH>
        """
        for step in cls:
            if step.value == name:
                return step
        raise ValueError(f"There is no step {name!r}. The steps: {', '.join(each.value for each in cls)}")

    @classmethod
    def sample(cls) -> tuple[Step, ...]:
        """Returns four different steps: within rows, between record and files, among files, at the end."""
        return cls.MID_WRITE, cls.AFTER_RECORD, cls.MID_PUBLISH, cls.AFTER_RELEASE

    @classmethod
    def always(cls) -> tuple[Step, ...]:
        """Returns the steps of every query that writes files by stoplog, regardless of its options."""
        return (
            cls.BEFORE_REPUBLISH,
            cls.BEFORE_CLAIM,
            cls.AFTER_CLAIM,
            cls.PART_OPENED,
            cls.MID_WRITE,
            cls.BEFORE_SYNC,
            cls.AFTER_SYNC,
            cls.BEFORE_RECORD,
            cls.RECORD_WRITTEN,
            cls.AFTER_RECORD,
            cls.MID_PUBLISH,
            cls.PART_PUBLISHED,
            cls.AFTER_PUBLISH,
            cls.AFTER_MARK,
            cls.AFTER_TRIM,
            cls.BEFORE_RELEASE,
            cls.AFTER_RELEASE,
        )

    def __repr__(self) -> str:
        return f"<Step.{self.name}>"


@cache
def _texts() -> Mapping[str, str]:
    """Returns the states of the storage at the steps of the core and of the connectors."""
    return {name: text for jar in ("core", "jdbc", "wal") for name, text in shared(jar)["steps"].items()}
