# SPDX-License-Identifier: Apache-2.0
"""Small files of old directories, merged by a batch command."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stoplog._jvm import require_bridge
from stoplog._values import Pairs, Size, Value, count_text, if_given, path_text, size_text, text_of

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class PlannedMerge:
    """Files of one directory that become one.

    Attributes:
        directory: under the path; empty for the path itself.
        names: of the files.
        size_bytes: of all of them.

    >>> PlannedMerge("day=1", ("a.parquet", "b.parquet"), 2048).size_bytes
    2048
    """

    directory: str
    names: tuple[str, ...]
    size_bytes: int


@dataclass(frozen=True, slots=True)
class FileCompactStrategy:
    """PyFlink's strategy for `FileSinkBuilder.enable_compact`: the first of two limits starts a merge.

    It has no number of threads: merges are tasks of the query.

    Attributes:
        checkpoints: the number of epochs for which the oldest small part of a bucket waits; 100 by default.
        size_threshold: small parts that have this size together are merged at once; bytes, or a string such
            as `"128m"`. By default the size at which the policy closes parts. Small are parts below a quarter
            of it, while Flink merges files of any size.

    >>> FileCompactStrategy.builder().set_size_threshold(1024).build()
    FileCompactStrategy(checkpoints=None, size_threshold=1024)
    """

    checkpoints: int | None = None
    size_threshold: Size | None = None

    def __post_init__(self) -> None:
        # A wrong value fails here, in the line that gave it and by its name here.
        if_given(count_text, "checkpoints", self.checkpoints)
        if_given(size_text, "size_threshold", self.size_threshold)

    @staticmethod
    def builder() -> FileCompactStrategyBuilder:
        """PyFlink's way to a strategy."""
        return FileCompactStrategyBuilder()


@dataclass(frozen=True, slots=True)
class FileCompactStrategyBuilder:
    """Builds a `FileCompactStrategy`; immutable: each method returns a new builder."""

    _strategy: FileCompactStrategy = FileCompactStrategy()

    def enable_compaction_on_checkpoint(
        self, num_checkpoints_before_compaction: int
    ) -> FileCompactStrategyBuilder:
        """Sets the number of epochs that small parts wait."""
        return FileCompactStrategyBuilder(
            replace(self._strategy, checkpoints=num_checkpoints_before_compaction)
        )

    def set_size_threshold(self, size_threshold: Size) -> FileCompactStrategyBuilder:
        """Sets the size at which small parts are merged at once."""
        return FileCompactStrategyBuilder(replace(self._strategy, size_threshold=size_threshold))

    def build(self) -> FileCompactStrategy:
        """The strategy as set so far."""
        return self._strategy


@dataclass(frozen=True, slots=True)
class DirectoryCompaction:
    """The small files of a directory, as `compact` merges them."""

    _spark: SparkSession
    _path: str
    _options: Pairs

    def plan(self) -> list[PlannedMerge]:
        """The merges that `run` would make now. Reads, and changes nothing.

        Example:
            sum(len(merge.names) for merge in stoplog.compact(spark, "/data/old").plan())
        """
        bridge = require_bridge("stoplog.compact()", _ON_CONNECT)
        return _merges(bridge.planned_merges(self._spark, self._path, dict(self._options)))

    def run(self) -> list[PlannedMerge]:
        """Merges, and returns the merges that it has made. Files that cannot be read stay as they are.

        A run that died is carried on by the next one. Of two at once the older one fails with
        `STOPLOG_FENCED` and has doubled nothing.

        Example:
            stoplog.compact(spark, "/data/old", compactTo="256m").run()
        """
        bridge = require_bridge("stoplog.compact()", _ON_CONNECT)
        return _merges(bridge.run_merges(self._spark, self._path, dict(self._options)))


def compact(spark: SparkSession, path: str | os.PathLike[str], **options: Value) -> DirectoryCompaction:
    """The small files of a directory, to be merged; any program may have written them.

    No query may write to them, and no table format may know them by their names: directories of Delta
    Lake, Iceberg, Hudi or Spark's own streaming sink are refused with `STOPLOG_FOREIGN_TABLE`. Files
    that a stoplog sink may still merge itself are left to it.

    Args:
        spark: a classic session.
        path: the directory, with all directories below it.
        options: `format` where names do not tell it, `header` for CSV, `lineSep` where lines end with no line
            feed, `compactTo`, `compactSmallerThan`, `compactMinFiles`, `compactor`.

    Example:
        compaction = stoplog.compact(spark, "/data/old", compactTo="256m")
        print(compaction.plan())
        compaction.run()
    """
    return compaction_of(spark, path, options)


def compaction_of(
    spark: SparkSession, path: str | os.PathLike[str], options: Mapping[str, Value]
) -> DirectoryCompaction:
    """`compact` with options of any name: what they may be called, the jar says.

    Args:
        spark: a classic session.
        path: the directory, with all directories below it.
        options: as those of `compact`.

    Example:
        compaction_of(spark, "/data/old", {"compactTo": "256m"}).run()
    """
    pairs = tuple((key, text_of(key, value)) for key, value in options.items())
    return DirectoryCompaction(spark, path_text(path), pairs)


def _merges(of_jar: Any) -> list[PlannedMerge]:
    return [
        PlannedMerge(
            str(each.directory()), tuple(str(name) for name in each.namesAsList()), int(each.sizeBytes())
        )
        for each in of_jar
    ]


_ON_CONNECT = "Run it in a classic session on the cluster instead."
