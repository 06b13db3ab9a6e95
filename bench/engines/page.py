# SPDX-License-Identifier: Apache-2.0
"""The page with the figures, and the plots beside it."""

from __future__ import annotations

import statistics
import textwrap
from collections.abc import Callable, Mapping, Sequence

from bench.engines.chart import Panel, chart
from bench.engines.losses import losses
from bench.engines.measures import (
    FILES,
    LEFT,
    MEMORY,
    OTHER_FILES,
    fresh_measures,
    large_measures,
    small_measures,
    thread_measures,
)
from bench.engines.plan import CORES, HEAP, ROW_BYTES, Plan
from bench.engines.requests import RequestCount
from bench.engines.rounds import Result, Round
from bench.engines.tables import bar, loss_table, panel, request_table, spread_table, table

TITLE = "Comparison with other engines"
_WIDTH = 110


def page(
    results: Sequence[Result],
    requests: Sequence[RequestCount],
    plan: Plan,
    versions: Mapping[str, str],
    machine: str,
) -> str:
    sections = [
        [f"# {TITLE}", "", *introduction(plan, versions, machine)],
        ["## Where we lose", "", *losing(results, requests)],
        ["## A fresh process", "", *fresh(results, plan)],
        ["## Many rows in few commits", "", *many_rows(results, plan)],
        ["## Few rows in many commits", "", *many_commits(results, plan)],
        ["## What is left on the disk", "", *left(results, plan)],
        ["## Memory", "", *memory(results)],
        ["## Requests to S3", "", *asked_of_s3(requests, plan)],
        ["## What the figures do not say", "", *limits(plan)],
    ]
    return "\n\n".join("\n".join(lines) for lines in sections) + "\n"


def plots(results: Sequence[Result], requests: Sequence[RequestCount]) -> dict[str, str]:
    """By their names below `docs/images/`."""
    bars = [bar(each.contender.name, [each.per_commit], ",.1f") for each in requests]
    return {
        "peers-rows.svg": chart("Rows", [panel(each, results) for each in large_measures()]),
        "peers-commits.svg": chart("Commits", [panel(each, results) for each in small_measures()]),
        "peers-files.svg": chart("Files", [panel(each, results) for each in (FILES, OTHER_FILES)]),
        "peers-requests.svg": chart(
            "Requests to S3", [Panel("Requests to S3 per commit (less is better)", bars)]
        ),
    }


def introduction(plan: Plan, versions: Mapping[str, str], machine: str) -> list[str]:
    named = ", ".join(f"{name} {version}" for name, version in versions.items())
    return [
        *prose(
            f"""Written by `make bench-peers`; not edited. Compares stoplog with the file sinks of
            Apache Flink, Spark, Delta Lake and Iceberg: {named}. Machine: {machine}."""
        ),
        "",
        *prose(
            f"""All engines write the same rows, the numbers from 0 on: in text a line of
            {ROW_BYTES} bytes each, in Parquet the number and the same line, compressed with Snappy.
            Each contender has {CORES} tasks and a heap of {HEAP}, and in each of
            {plan.rounds} rounds a separate process; Flink's text, `onCheckpoint` and Delta Lake take part in
            {plan.other_rounds} of the rounds. The process writes many rows in few commits twice,
            and then few rows in many commits. The first job is the *fresh process*. The other two jobs
            report their *steady state*: Spark compiles code for each query, so the first {plan.dropped}
            micro-batches of each query are left out. Flink reports whole jobs. The engines take turns, in
            another order in each round. Figures are medians of the rounds.
            CPU time and memory cover the whole process tree, including Python's driver."""
        ),
        "",
        *prose(
            """**Each run is checked**: each row must exist once, as seen by independent readers: NumPy
            for text, Arrow for Parquet, delta-rs for the files of a Delta table, and fastavro for
            Iceberg's manifests. A run that fails this check writes no page."""
        ),
    ]


def losing(results: Sequence[Result], requests: Sequence[RequestCount]) -> list[str]:
    found = losses(results, requests)
    if not found:
        return ["In none of the figures below."]
    return [
        *prose(
            """All figures of this page in which another engine is better than stoplog in the same
            format, the largest difference first, with the ratio after each figure. *Rounds overlap*:
            not every round of the other engine is better than our best round."""
        ),
        "",
        *loss_table(found),
    ]


def fresh(results: Sequence[Result], plan: Plan) -> list[str]:
    return [
        *prose(
            f"""{plan.large_rows * plan.fresh_commits:,} rows as the first job of a process: what executors
            cost that are restarted or autoscaled. From the start of the query or job until all rows are
            visible; the start of the process does not count. Minimum, median and maximum of
            {plan.rounds} processes, or {plan.other_rounds}."""
        ),
        "",
        *spread_table(results, fresh_measures()),
    ]


def many_rows(results: Sequence[Result], plan: Plan) -> list[str]:
    on_spark = [each for each in results if each.contender.engine != "Flink"]
    return [
        *prose(
            f"""{plan.large_rows * plan.large_commits:,} rows without waits: {plan.large_commits}
            micro-batches of {plan.large_rows:,} rows in Spark, a checkpoint every
            {plan.flink_interval_millis:,} ms in Flink. In Spark, the first {plan.dropped} micro-batches are
            left out. With `rollingPolicy=onCheckpoint` stoplog ends its files with each commit, like
            Spark's sink, Delta Lake, Iceberg and Flink's Parquet; otherwise it ends with two files."""
        ),
        "",
        *table(results, large_measures()),
        "",
        "![Rows per second, and per CPU second](../images/peers-rows.svg)",
        "",
        *prose(
            f"""In a fresh process, stoplog spends {at_the_end(results)} after the last commit, when the
            driver ends the open parts and writes their last row groups. Its commits alone took
            {in_commits(results)} in all. A part that the clock ends between two micro-batches costs the
            same. Tasks write row groups that are full, or that a large micro-batch ends
            ([bulk formats](../files/bulk-formats.md))."""
        ),
        "",
        *prose(
            """CPU seconds of the same micro-batches by kind of thread. A sink influences the user time of
            the executors. C2 and C1 are the compilers of the JVM, and the rest is mostly the driver.
            Minimum, median and maximum of the rounds."""
        ),
        "",
        *spread_table(on_spark, thread_measures()),
    ]


def at_the_end(results: Sequence[Result]) -> str:
    return _of_ours(results, lambda row: row.fresh.seconds - sum(row.fresh.commit_millis) / 1000)


def in_commits(results: Sequence[Result]) -> str:
    return _of_ours(results, lambda row: sum(row.fresh.commit_millis) / 1000)


def _of_ours(results: Sequence[Result], seconds: Callable[[Round], float]) -> str:
    """The median of each format's rounds, in words."""
    return " and ".join(
        f"{statistics.median(seconds(row) for row in each.rounds):.1f} s ({each.contender.files})"
        for each in results
        if each.contender.is_ours
    )


def many_commits(results: Sequence[Result], plan: Plan) -> list[str]:
    return [
        *prose(
            f"""{plan.small_commits} commits of {plan.small_rows:,} rows, one every {plan.interval_millis}
            ms: the trigger of the query, and the interval of Flink's checkpoints, after each of which its
            source lets the next rows through. The trigger caps the rows per second, so the table has
            none. CPU time covers all threads, including the engine's own
            work for each commit. Time per commit is the duration of the micro-batch in Spark. In Flink,
            it is the duration of the checkpoint until all tasks have acknowledged the checkpoint,
            before the files are renamed."""
        ),
        "",
        *table(results, small_measures()),
        "",
        "![CPU time and time per commit](../images/peers-commits.svg)",
    ]


def left(results: Sequence[Result], plan: Plan) -> list[str]:
    return [
        *prose(
            f"""After the {plan.small_commits} commits, in the table and the checkpoint: the files with
            rows, and all other files (logs, offsets, checksums). The last column has the files with
            rows after few commits. Flink removes its checkpoint at the end of a job."""
        ),
        "",
        *table(results, LEFT),
        "",
        "![Files with rows, and other files](../images/peers-files.svg)",
    ]


def memory(results: Sequence[Result]) -> list[str]:
    return [
        *prose(
            f"""The maximum memory of each process, added up, over all jobs. A JVM may fill its heap of
            {HEAP} before it collects garbage."""
        ),
        "",
        *table(results, [MEMORY]),
    ]


def asked_of_s3(requests: Sequence[RequestCount], plan: Plan) -> list[str]:
    return [
        *prose(
            f"""{plan.request_commits} commits of {plan.small_rows:,} rows to a table on S3Mock, counted by
            a proxy in front of the server, from the start of the query until its end. The checkpoint is
            on the local disk, so only requests of the sink count. The rows were checked as well."""
        ),
        "",
        *request_table(requests),
        "",
        "![Requests to S3 per commit](../images/peers-requests.svg)",
    ]


def limits(plan: Plan) -> list[str]:
    points = [
        """stoplog (`durability=disk`, its default) and Flink force each commit to disk (`fsync`) before
        it is complete. Spark's own sink, Delta Lake and Iceberg do not call `fsync` for local files.""",
        """stoplog, and Flink's text, keep a part open across commits, here until the job ends: readers see
        rows when a part is finished. Spark's sink, Delta Lake, Iceberg and Flink's Parquet show the
        rows of each commit at once, in separate files. stoplog does the same with
        `rollingPolicy=onCheckpoint`, in a separate row of the tables.""",
        f"""Of the other files of all engines on Spark, {4 * plan.small_commits} belong to Spark's
        checkpoint: two for each micro-batch, each with a checksum. Spark keeps the files of 100
        micro-batches
        (`spark.sql.streaming.minBatchesToRetain`), and stoplog keeps 100 records. Neither grows
        further, unlike the logs of the other engines.""",
        """Delta Lake and Iceberg are tables: their logs also serve transactions of many writers,
        updates, deletes and time travel. Iceberg's table here has only its directory as catalog, and
        keeps all its metadata, as by default.""",
        """Iceberg has no artifact for the Spark version of the other engines, so it runs on the newest
        version with an artifact.""",
        f"""Spark shuffles into {CORES} partitions here, and Delta Lake reads its log with {CORES}
        (`snapshotPartitions`): their defaults of 200 and 50 are for larger machines. In Flink, object
        reuse is enabled.""",
        """One machine, one local disk, one writer. No process fails here; for failures, see the
        [crash matrix](../correctness/crash-matrix.md).""",
    ]
    return [line for point in points for line in prose(point, first="- ", later="  ")]


def prose(text: str, first: str = "", later: str = "") -> list[str]:
    """The words of the text in lines of the page."""
    return textwrap.wrap(
        " ".join(text.split()), _WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False
    )
