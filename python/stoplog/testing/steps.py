# SPDX-License-Identifier: Apache-2.0
"""The named steps of the protocol, at which a test can let the process die."""

from __future__ import annotations

from enum import Enum


class Step(Enum):
    """A place in the protocol where a crash leaves something different on storage.

    The value is the jar's name of the step. Some are passed only with an option that asks for what they are
    of: markers of complete buckets, compaction, a bulk format, stoplog's source.

    Attributes:
        after: what is on storage when the process dies here.

    >>> Step.AFTER_RECORD.value
    'afterRecord'
    >>> Step.AFTER_RECORD.after
    'the record decides; none of its parts is visible'
    """

    after: str

    def __new__(cls, name: str, after: str) -> Step:
        step = object.__new__(cls)
        step._value_ = name
        step.after = after
        return step

    # starting
    BEFORE_REPUBLISH = "beforeRepublish", "the newest record may name parts that are still hidden"
    BEFORE_CLAIM = "beforeClaim", "everything in the newest record is published; no claim"
    AFTER_CLAIM = "afterClaim", "a claim; older drivers are fenced; nothing else changed"

    # tasks
    PART_OPENED = "partOpened", "a new or cut-back part without a row of this epoch"
    MID_WRITE = "midWrite", "some rows of this epoch behind the valid length of open parts"
    BEFORE_SYNC = "beforeSync", "all rows of the task written, none known to be durable"
    SIDE_WRITTEN = "sideWritten", "rows beside an open part durable, the part's own bytes maybe not"
    AFTER_SYNC = "afterSync", "all rows of the task durable, in no record"

    # an epoch's commit
    BEFORE_RECORD = "beforeRecord", "all tasks' rows durable, in no record"
    RECORD_WRITTEN = "recordWritten", "the record under a temporary name, not yet in the log"
    AFTER_RECORD = "afterRecord", "the record decides; none of its parts is visible"
    MID_PUBLISH = (
        "midPublish",
        "a part half-way to its final name: visible already on local disks and on S3, not yet on HDFS",
    )
    PART_PUBLISHED = "partPublished", "one more of the record's parts visible"
    AFTER_PUBLISH = "afterPublish", "all parts visible; nothing of what follows is done"
    MANIFEST_WRITTEN = (
        "manifestWritten",
        "all parts visible and listed in a manifest; no marker of their buckets",
    )
    MARKER_WRITTEN = "markerWritten", "one more bucket with its marker; its listener knows nothing of it"
    LISTENER_CALLED = "listenerCalled", "the bucket's listener has been told; the record is not marked"
    AFTER_MARK = "afterMark", "the record is marked as published"
    AFTER_TRIM = "afterTrim", "old records dropped"
    AFTER_DROP = "afterDrop", "side files that the record no longer names are deleted"

    # between epochs, and at the end
    BEFORE_ROLL = "beforeRoll", "parts due by the clock, still open in the newest record"
    PART_ENDED = "partEnded", "the driver has written the end of a part; no record says that it has ended"
    BEFORE_RELEASE = "beforeRelease", "the query has ended; its parts are still open"
    AFTER_RELEASE = "afterRelease", "the release record decides; its parts may still be hidden"
    MID_SWEEP = "midSweep", "some orphans deleted"

    # small parts give way to one
    MID_MERGE = "midMerge", "some of the rows of several finished parts in one that no record names"
    BEFORE_COMPACT = (
        "beforeCompact",
        "the merged part is durable; no record names it, and its rows are visible",
    )
    MID_REPLACE = "midReplace", "the record decides; some of the parts that it replaces are out of sight"
    AFTER_REPLACE = "afterReplace", "all that is replaced is out of sight; the merged part is not visible"
    AFTER_FORGET = (
        "afterForget",
        "the merged part is visible and what it replaces deleted; the record is not marked",
    )

    # a batch job is over
    MID_REMOVE = "midRemove", "a batch job is carried out and marked; some of its own directory is removed"

    # a write-ahead sink sends what is in its log
    BEFORE_SEND = "beforeSend", "the record decides; a chunk in the log, none of it sent"
    AFTER_SEND = "afterSend", "a chunk sent and acknowledged; no note of that"
    AFTER_NOTE = "afterNote", "a chunk sent and noted; it is still in the log"

    # a source's driver
    TARGET_FIXED = "targetFixed", "what is there is what the trigger availableNow reads; nobody wrote it down"
    GONE_NOTED = "goneNoted", "a note of files that are gone; the newest record does not know of it"
    SEEN_WRITTEN = "seenWritten", "all that has been read, written anew; no record names it"
    STALE_DROPPED = "staleDropped", "one less of the state files that the newest record does not name"
    BEFORE_SPLITS = "beforeSplits", "files found, in no record of splits"
    STATE_WRITTEN = "stateWritten", "a record or another state file under a temporary name"
    AFTER_SPLITS = "afterSplits", "the record of splits decides; the engine has not heard of it"
    SPLITS_DROPPED = "splitsDropped", "one old record of splits less"
    BEFORE_CLEAN = "beforeClean", "the micro-batch is committed; a file that it has read to the end is there"
    MID_ARCHIVE = "midArchive", "a file that was read has two names: its own and the one in the archive"
    FILE_CLEANED = "fileCleaned", "one more file that was read is deleted or archived; no record says so"
    AFTER_CLEAN = "afterClean", "all that the micro-batch has read is put away; no record says so"

    # a sink into a database
    JDBC_BEFORE_CLAIM = "jdbcBeforeClaim", "the sink's own tables are there; the run does not own its row"
    JDBC_AFTER_CLAIM = "jdbcAfterClaim", "older drivers are fenced; staged rows of dead attempts are there"
    JDBC_AFTER_SWEEP = "jdbcAfterSweep", "older drivers are fenced, and nothing is staged"
    JDBC_BATCH_SENT = "jdbcBatchSent", "one more batch of a task committed: staged, or in the target by key"
    JDBC_TASK_DONE = "jdbcTaskDone", "all rows of a task committed as above; the driver has not heard of it"
    JDBC_BEFORE_COMMIT = "jdbcBeforeCommit", "all tasks' rows staged, none of them in the target"
    JDBC_IN_COMMIT = "jdbcInCommit", "rows moved to the target in a transaction that is still open"
    JDBC_AFTER_COMMIT = "jdbcAfterCommit", "the epoch is in the target; Spark has not heard of it"

    # a tool of the command line, beside the steps of every driver
    LOG_KEPT = "logKept", "one more record of a log that is to begin anew has a copy aside"
    PART_KEPT = "partKept", "one more finished part that is to go out of sight has a copy aside"
    BEFORE_REWIND = "beforeRewind", "all that is to go out of sight has a copy; the log is as it was"

    @classmethod
    def named(cls, name: str) -> Step:
        """The step of that name.

        Raises:
            ValueError: there is none.

        >>> Step.named("midPublish")
        <Step.MID_PUBLISH>
        """
        for step in cls:
            if step.value == name:
                return step
        raise ValueError(f"There is no step {name!r}. The steps: {', '.join(each.value for each in cls)}")

    @classmethod
    def sample(cls) -> tuple[Step, ...]:
        """Four that differ most: in the rows, between record and files, among the files, at the end."""
        return cls.MID_WRITE, cls.AFTER_RECORD, cls.MID_PUBLISH, cls.AFTER_RELEASE

    @classmethod
    def always(cls) -> tuple[Step, ...]:
        """Those that each query passes which writes files by stoplog, whatever its options."""
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
