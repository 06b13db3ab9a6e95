# SPDX-License-Identifier: Apache-2.0
"""Commands that start a Spark session."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Iterator
from typing import TYPE_CHECKING

from stoplog._text.words import counted, size
from stoplog.cli.command import (
    Answer,
    Command,
    ExitCode,
    add_doing,
    add_limit,
    add_pairs,
    key_and_value,
    non_empty,
)
from stoplog.cli.progress import watched
from stoplog.cli.table import limited, table
from stoplog.errors import StoplogError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession

    from stoplog.compaction import PlannedCompaction
    from stoplog.preflight import Preflight


def local_session(command: str, settings: Mapping[str, str]) -> SparkSession:
    """Creates a local session that uses all processors.

    Args:
        command: the command, as called by the user.
        settings: Spark settings, which override the defaults.

    Raises:
        StoplogError: pyspark is missing.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise StoplogError(
            "STOPLOG_TOOL_INCOMPLETE",
            f"stoplog {command} needs Spark. Install pyspark in this environment.",
        ) from None
    from stoplog.session import configure

    builder: SparkSession.Builder = SparkSession.builder
    builder = builder.master("local[*]").appName(f"stoplog {command}")
    builder = builder.config("spark.ui.enabled", "false").config("spark.log.level", "WARN")
    for key, value in settings.items():
        builder = builder.config(key, value)
    return configure(builder).getOrCreate()


def _option(text: str) -> tuple[str, str]:
    key, value = key_and_value(text)
    if key.lower() == "path":  # the names of the jar's options are case-insensitive
        raise ArgumentTypeError("pass the path as the argument PATH")
    return key, value


def _of_check_config(parser: ArgumentParser) -> None:
    parser.add_argument(
        "path",
        metavar="PATH",
        type=non_empty,
        help="the path of the sink; the check writes test files into a hidden directory",
    )
    parser.add_argument(
        "--schema",
        metavar="COLUMNS",
        required=True,
        type=non_empty,
        help="the schema of the rows, such as 'at TIMESTAMP, message STRING'",
    )
    add_pairs(parser, "--option", "an option of the sink, as in the query", _option)
    add_pairs(parser, "--conf", "a setting of Spark, such as spark.jars.packages=…")


def _run_check_config(given: Namespace) -> Answer:
    from stoplog.preflight import check_options

    spark = local_session("check-config", dict(given.conf))
    try:
        rows = spark.createDataFrame([], given.schema)
        found = check_options(rows, {**dict(given.option), "path": given.path})
    finally:
        spark.stop()
    return Answer(
        {"preflight": _data(found)},
        lambda: str(found).splitlines(),
        ExitCode.OK if found.is_ready else ExitCode.FINDINGS,
    )


def _data(found: Preflight) -> dict[str, object]:
    findings = [
        {"level": each.level, "name": each.name, "what": each.what, "now": each.now}
        for each in found.findings
    ]
    return {"path": found.path, "is_ready": found.is_ready, "findings": findings, "names": found.names}


CHECK_CONFIG = Command(
    "check-config",
    "Check options, columns and storage before a query starts.",
    _of_check_config,
    _run_check_config,
)


def _of_compact(parser: ArgumentParser) -> None:
    parser.add_argument(
        "path", metavar="PATH", type=non_empty, help="the directory, including all subdirectories"
    )
    add_doing(parser)
    add_pairs(
        parser,
        "--option",
        "format, header, lineSep, compactTo, compactSmallerThan, compactMinFiles or compactor",
        _option,
    )
    add_pairs(parser, "--conf", "a setting of Spark, such as spark.jars.packages=…")
    add_limit(parser)


def _run_compact(given: Namespace) -> Answer:
    from stoplog.compaction import compaction_of

    spark = local_session("compact", dict(given.conf))
    try:
        compaction = compaction_of(spark, given.path, dict(given.option))
        with watched("compact", "task", lambda: _tasks(spark)):
            merges = compaction.plan() if given.dry_run else compaction.run()
    finally:
        spark.stop()
    data = {"path": given.path, "carried_out": not given.dry_run, "merges": merges}
    code = ExitCode.FAILED if any(merge.problem for merge in merges) else ExitCode.OK
    return Answer({"compact": data}, lambda: _lines_of_compact(merges, given), code)


def _tasks(spark: SparkSession) -> tuple[int, int]:
    """Returns the finished tasks and all tasks of the stages that run now."""
    tracker = spark.sparkContext.statusTracker()
    stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    running = [stage for stage in stages if stage]
    return sum(stage.numCompletedTasks for stage in running), sum(stage.numTasks for stage in running)


def _lines_of_compact(merges: list[PlannedCompaction], given: Namespace) -> Iterator[str]:
    if not merges:
        # The result of a run lacks the groups that others have changed.
        others = "" if given.dry_run else ", or others have changed the files meanwhile"
        yield f"There is nothing to compact{others}."
        return
    done = [merge for merge in merges if not merge.problem]
    failed = [merge for merge in merges if merge.problem]
    if done:
        rows = [_cells(merge) for merge in done[: given.limit or None]]
        yield from limited(table(_HEADS, rows), len(done), given.limit, "merges")
    if failed:
        rows = [(*_cells(merge), merge.problem) for merge in failed[: given.limit or None]]
        yield from limited(table((*_HEADS, "FAILED"), rows), len(failed), given.limit, "failed merges")
        yield f"{counted(len(failed), 'merge')} failed. The files stay unchanged."
        return
    yield "Nothing was changed. Add --yes to carry out the plan." if given.dry_run else "Done."


_HEADS = ("DIRECTORY", "FILES", "BYTES")


def _cells(merge: PlannedCompaction) -> tuple[str, ...]:
    return merge.directory or ".", str(len(merge.names)), size(merge.size_bytes)


COMPACT = Command(
    "compact", "Compact the small files of a directory that no query writes to.", _of_compact, _run_compact
)
