# SPDX-License-Identifier: Apache-2.0
"""Compacts small files of old directories in a batch command."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from stoplog._jvm.bridge import require_bridge
from stoplog._text.values import Pairs, Size, Value, count_text, if_given, path_text, size_text, text_of

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class PlannedCompaction:
    """Files of one directory that are compacted into one file.

    Attributes:
        directory: the directory, under the path; empty for the path itself.
        names: the names of the files.
        size_bytes: the total size of the files.
        problem: the reason of a failed compaction, whose files stay unchanged; otherwise empty.

    >>> PlannedCompaction("day=1", ("a.parquet", "b.parquet"), 2048).size_bytes
    2048
    """

    directory: str
    names: tuple[str, ...]
    size_bytes: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class FileCompactStrategy:
    """PyFlink's strategy for `FileSinkBuilder.enable_compact`: the first of two limits starts a compaction.

    The strategy has no number of threads: merges are tasks of the query.

    Attributes:
        checkpoints: the number of epochs for which the oldest small part of a bucket waits; 100 by default.
        size_threshold: small parts with this total size are merged at once; bytes, or a string such as
            `"128m"`. The default is the size at which the policy closes parts. Parts below a quarter of this
            size are small, whereas Flink merges files of any size.

    >>> FileCompactStrategy.builder().set_size_threshold(1024).build()
    FileCompactStrategy(checkpoints=None, size_threshold=1024)
    """

    checkpoints: int | None = None
    size_threshold: Size | None = None

    def __post_init__(self) -> None:
        # An invalid value fails at the construction, with the name of the argument.
        if_given(count_text, "checkpoints", self.checkpoints)
        if_given(size_text, "size_threshold", self.size_threshold)

    @staticmethod
    def builder() -> FileCompactStrategyBuilder:
        """Creates a builder, as in PyFlink."""
        return FileCompactStrategyBuilder()


@dataclass(frozen=True, slots=True)
class FileCompactStrategyBuilder:
    """Builds a `FileCompactStrategy`; immutable: each method returns a new builder."""

    _strategy: FileCompactStrategy = FileCompactStrategy()

    def enable_compaction_on_checkpoint(
        self, num_checkpoints_before_compaction: int
    ) -> FileCompactStrategyBuilder:
        """Sets the number of epochs for which small parts wait."""
        return FileCompactStrategyBuilder(
            replace(self._strategy, checkpoints=num_checkpoints_before_compaction)
        )

    def set_size_threshold(self, size_threshold: Size) -> FileCompactStrategyBuilder:
        """Sets the total size at which small parts are compacted at once."""
        return FileCompactStrategyBuilder(replace(self._strategy, size_threshold=size_threshold))

    def build(self) -> FileCompactStrategy:
        """Returns the strategy."""
        return self._strategy


@dataclass(frozen=True, slots=True)
class DirectoryCompaction:
    """The compaction of the small files of a directory."""

    _spark: SparkSession
    _path: str
    _options: Pairs

    def plan(self) -> list[PlannedCompaction]:
        """Returns the compactions that `run` would make now. Changes nothing.

        Example:
            sum(len(merge.names) for merge in stoplog.compact(spark, "/data/old").plan())
        """
        bridge = require_bridge("stoplog.compact()", _ON_CONNECT)
        return _merges(bridge.planned_merges(self._spark, self._path, dict(self._options)))

    def run(self) -> list[PlannedCompaction]:
        """Runs the compactions. Returns the completed compactions, and failed compactions with a `problem`.

        Unreadable files are kept unchanged. The next run completes a run that died. Of two concurrent runs,
        one compacts each group; the other skips the group.

        Example:
            stoplog.compact(spark, "/data/old", compactTo="256m").run()
        """
        bridge = require_bridge("stoplog.compact()", _ON_CONNECT)
        return _merges(bridge.run_merges(self._spark, self._path, dict(self._options)))


def compact(spark: SparkSession, path: str | os.PathLike[str], **options: Value) -> DirectoryCompaction:
    """Prepares the compaction of a directory's small files, written by any program.

    No query may write to the files, and no table format may refer to the files by name. Directories of Delta
    Lake, Iceberg, Hudi or Spark's own streaming sink are rejected with `STOPLOG_FOREIGN_TABLE`. Files that a
    stoplog sink may still compact are skipped.

    Args:
        spark: a classic session.
        path: the directory, including all subdirectories.
        options: `format` if the file names do not imply the format, `header` for CSV, `lineSep` for lines
            without line feeds, `compactTo`, `compactSmallerThan`, `compactMinFiles`, `compactor`.

    Example:
        compaction = stoplog.compact(spark, "/data/old", compactTo="256m")
        print(compaction.plan())
        compaction.run()
    """
    return compaction_of(spark, path, options)


def compaction_of(
    spark: SparkSession, path: str | os.PathLike[str], options: Mapping[str, Value]
) -> DirectoryCompaction:
    """Prepares the compaction with options of any name; the jar checks the names.

    Args:
        spark: a classic session.
        path: the directory, including all subdirectories.
        options: see `compact`.

    Example:
        compaction_of(spark, "/data/old", {"compactTo": "256m"}).run()
    """
    pairs = tuple((key, text_of(key, value)) for key, value in options.items())
    return DirectoryCompaction(spark, path_text(path), pairs)


def _merges(of_jar: Any) -> list[PlannedCompaction]:
    return [
        PlannedCompaction(
            str(each.directory()),
            tuple(str(name) for name in each.namesAsList()),
            int(each.sizeBytes()),
            str(each.problem()),
        )
        for each in of_jar
    ]


_ON_CONNECT = "Run it in a classic session on the cluster instead."
