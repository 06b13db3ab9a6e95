# SPDX-License-Identifier: Apache-2.0
"""The page with the figures, and the plots beside it."""

from __future__ import annotations

import statistics
import textwrap
from collections.abc import Callable, Mapping, Sequence

from bench.engines.chart import Panel, chart
from bench.engines.losses import losses
from bench.engines.measures import FILES, LEFT, MEMORY, OTHER_FILES, large_measures, small_measures
from bench.engines.plan import CORES, HEAP, ROW_BYTES, Plan
from bench.engines.requests import RequestCount
from bench.engines.rounds import Result
from bench.engines.tables import bar, loss_table, panel, request_table, table
from bench.engines.worker import Ran

TITLE = "Benchmarks beside other engines"
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
        ["## Where we lose", "", *losing(results, requests, plan)],
        ["## Many rows in few commits", "", *many_rows(results, plan)],
        ["## Few rows in many commits", "", *many_commits(results, plan)],
        ["## What is left on the disk", "", *left(results, plan)],
        ["## Memory", "", *memory(results)],
        ["## Requests to S3", "", *asked_of_s3(requests, plan)],
        ["## What the figures do not say", "", *limits(plan)],
    ]
    return "\n\n".join("\n".join(lines) for lines in sections) + "\n"


def plots(results: Sequence[Result], requests: Sequence[RequestCount], plan: Plan) -> dict[str, str]:
    """By their names below `docs/images/`."""
    bars = [bar(each.contender.name, [each.per_commit], ",.1f") for each in requests]
    return {
        "peers-rows.svg": chart("Rows", [panel(each, results) for each in large_measures(plan)]),
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
            f"""Written by `make bench-peers`; not edited. stoplog beside the file sink of Apache Flink,
            Spark's own, Delta Lake's and Iceberg's: {named}. Machine: {machine}."""
        ),
        "",
        *prose(
            f"""All write the same rows, the numbers from 0 on: as text a line of {ROW_BYTES} bytes each, as
            Parquet the number and that line, with Snappy, which is the default of all but Iceberg: its
            table is set to it. Each contender has {CORES} tasks and a heap of {HEAP}, and in each of
            {plan.rounds} rounds a process of its own: it warms up by both, writes many rows in few commits,
            then few rows in many. All take turns, each round in another order; figures are medians of the
            rounds. CPU time and memory are those of the whole process tree,
            Python's driver among it."""
        ),
        "",
        *prose(
            """**Each run is checked**: that every row is there once, by readers that are none of the
            writers' own: NumPy over the bytes of text, Arrow over Parquet, delta-rs for which files are a
            Delta table's, and fastavro over the manifests of Iceberg's. A run that fails this writes no
            page."""
        ),
    ]


def losing(results: Sequence[Result], requests: Sequence[RequestCount], plan: Plan) -> list[str]:
    found = losses(results, requests, plan)
    if not found:
        return ["In none of the figures below."]
    return [
        *prose(
            """Every figure of this page by which another is ahead of stoplog in the same format, found by
            the program that wrote it; the greatest distance first, and behind each figure how many times
            better it is. *Rounds overlap*: not every round of the other's is better than our best."""
        ),
        "",
        *loss_table(found),
    ]


def many_rows(results: Sequence[Result], plan: Plan) -> list[str]:
    return [
        *prose(
            f"""{plan.large_rows * plan.large_commits:,} rows without waits: {plan.large_commits}
            micro-batches of {plan.large_rows:,} rows in Spark, a checkpoint every
            {plan.flink_interval_millis:,} ms in Flink. From the start of the query or job until all rows
            are visible. With `rollingPolicy=onCheckpoint` stoplog ends its files with each commit, as Spark's
            sink, Delta Lake, Iceberg and Flink's Parquet do; without, it has two files in the end."""
        ),
        "",
        *table(results, large_measures(plan)),
        "",
        "![Rows per second, and per CPU second](../images/peers-rows.svg)",
        "",
        *prose(
            f"""Of its time stoplog spends {at_the_end(results)} after the last commit: then the driver ends
            the parts that are open and writes their last row groups. Without that its commits took
            {in_commits(results)} in all. A part that the clock ends between two micro-batches costs the same;
            row groups that fill up, or that a large micro-batch ends, are written by tasks
            ([bulk formats](../files/bulk-formats.md))."""
        ),
    ]


def at_the_end(results: Sequence[Result]) -> str:
    return _of_ours(results, lambda ran: ran.seconds - sum(ran.commit_millis) / 1000)


def in_commits(results: Sequence[Result]) -> str:
    return _of_ours(results, lambda ran: sum(ran.commit_millis) / 1000)


def _of_ours(results: Sequence[Result], seconds: Callable[[Ran], float]) -> str:
    """The median of each format's rounds, in words."""
    return " and ".join(
        f"{statistics.median(seconds(row.large) for row in each.rounds):.1f} s ({each.contender.files})"
        for each in results
        if each.contender.is_ours
    )


def many_commits(results: Sequence[Result], plan: Plan) -> list[str]:
    return [
        *prose(
            f"""{plan.small_commits} commits of {plan.small_rows:,} rows, one every {plan.interval_millis}
            ms: the trigger of the query, and the interval of Flink's checkpoints, after each of which its
            source lets the next rows through. CPU time is that of the whole job: the engine's own work for
            each commit is in it. Time per commit is the duration of the micro-batch in Spark; in Flink that
            of the checkpoint until all tasks have acknowledged it, before the files are moved to their
            names."""
        ),
        "",
        *table(results, small_measures()),
        "",
        "![CPU time and time per commit](../images/peers-commits.svg)",
    ]


def left(results: Sequence[Result], plan: Plan) -> list[str]:
    return [
        *prose(
            f"""After the {plan.small_commits} commits, in the table and the checkpoint: the files that hold
            the rows, and all others (logs, offsets, checksums); in the last column the files with rows
            after few commits. Flink removes its checkpoint when a job has come to its end."""
        ),
        "",
        *table(results, LEFT),
        "",
        "![Files with rows, and other files](../images/peers-files.svg)",
    ]


def memory(results: Sequence[Result]) -> list[str]:
    return [
        *prose(
            f"""The most that each process has held, added up, over all jobs. The JVM takes as much of its
            heap of {HEAP} as it likes before it collects."""
        ),
        "",
        *table(results, [MEMORY]),
    ]


def asked_of_s3(requests: Sequence[RequestCount], plan: Plan) -> list[str]:
    return [
        *prose(
            f"""{plan.request_commits} commits of {plan.small_rows:,} rows to a table on S3Mock, counted by
            a proxy before the server, from the start of the query until its end. The checkpoint is on the
            local disk, so that only what the sink asks for counts. The rows were checked here as well."""
        ),
        "",
        *request_table(requests),
        "",
        "![Requests to S3 per commit](../images/peers-requests.svg)",
    ]


def limits(plan: Plan) -> list[str]:
    points = [
        """stoplog (`durability=disk`, its default) and Flink bring each commit to the disk (`fsync`) before
        it counts. Spark's own sink, Delta Lake and Iceberg leave local files to the operating system.""",
        """stoplog, and Flink's text, keep a part open across commits, here until the job ends: readers see
        rows when a part is finished. Spark's sink, Delta Lake, Iceberg and Flink's Parquet show the rows
        of each commit at once, and leave its files. stoplog does the same with `rollingPolicy=onCheckpoint`,
        which is a row of its own.""",
        f"""Of the other files of all that run on Spark, {4 * plan.small_commits} are those of its own
        checkpoint: two for each micro-batch, each with a checksum. Spark keeps those of 100 micro-batches
        (`spark.sql.streaming.minBatchesToRetain`), and stoplog as many records, since a query may be
        started again from any of them. Neither grows beyond that, as the logs of the others do.""",
        """Delta Lake and Iceberg are tables: transactions of many writers, updates, deletes and time travel
        are what their logs are for. No plain directory has them. Iceberg's table has no catalog here but its
        directory, and keeps all its metadata, as by default.""",
        """Iceberg has no artifact for the Spark of the others: it runs on the newest one that it has an
        artifact for, in a process of its own as all do.""",
        f"""Spark shuffles into {CORES} partitions here, and Delta Lake gathers its log in {CORES}
        (`snapshotPartitions`): their defaults of 200 and 50 are for larger machines. Flink has object reuse
        switched on.""",
        """One machine, one local disk, one writer. Nothing fails here: what happens then is the matter of
        the [crash matrix](../correctness/crash-matrix.md).""",
    ]
    return [line for point in points for line in prose(point, first="- ", later="  ")]


def prose(text: str, first: str = "", later: str = "") -> list[str]:
    """The words of the text in lines of the page."""
    return textwrap.wrap(
        " ".join(text.split()), _WIDTH, initial_indent=first, subsequent_indent=later, break_on_hyphens=False
    )
