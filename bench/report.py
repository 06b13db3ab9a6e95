"""The page with the figures."""

from __future__ import annotations

from collections.abc import Sequence

from peers import NOOP, TEXT
from rounds import LINE_BYTES, Latency, Plan, Throughput
from state import Growth


def page(
    plan: Plan,
    latency: Sequence[Latency],
    throughput: Sequence[Throughput],
    growth: Sequence[Growth],
    machine: str,
) -> str:
    return "\n".join(
        [
            "# Benchmarks",
            "",
            "Written by `make bench`; not edited. All sinks take turns in one Spark session (`local[2]`), each round in",
            f"another order, after a round that is not counted; {plan.rounds} rounds, the median of each, and then",
            f"the median of those. Lines are {LINE_BYTES} bytes. Machine: {machine}.",
            "",
            f"## Time per micro-batch of {plan.small_rows:,} rows",
            "",
            *latency_table(latency),
            "",
            f"## Throughput in micro-batches of {plan.large_rows:,} rows",
            "",
            *throughput_table(throughput),
            "",
            "Spark's text sink makes nothing durable: its files are where the operating system has left them. The line",
            "to compare it with is `durability=process`; `durability=disk`, the default, also survives a power loss.",
            "",
            "## What is left on the storage",
            "",
            *growth_table(growth),
            "",
            "The query was stopped and not finished: the rows of its open part are not in a visible file yet.",
            "",
        ]
    )


def latency_table(latency: Sequence[Latency]) -> list[str]:
    floor = next(row.median for row in latency if row.peer == NOOP.name)
    rows = [
        f"| {row.peer} | {row.median:.1f} | {row.median - floor:+.1f} | {spread(row.millis, '.0f')} |"
        for row in latency
    ]
    return ["| sink | ms per batch | above noop | rounds |", "|---|---:|---:|---|", *rows]


def throughput_table(throughput: Sequence[Throughput]) -> list[str]:
    text = next(row.median for row in throughput if row.peer == TEXT.name)
    rows = [
        f"| {row.peer} | {row.median:,.0f} | {row.median / text:.2f} | {spread(row.rows_per_second, ',.0f')} |"
        for row in throughput
    ]
    return ["| sink | rows per second | ratio to Spark text | rounds |", "|---|---:|---:|---|", *rows]


def growth_table(growth: Sequence[Growth]) -> list[str]:
    rows = [
        f"| {row.peer} | {row.epochs} | {row.visible_files} | {row.state_files} | {row.state_bytes:,} |"
        for row in growth
    ]
    return [
        "| sink | epochs | visible files | files of state | bytes of state |",
        "|---|---:|---:|---:|---:|",
        *rows,
    ]


def spread(values: Sequence[float], pattern: str) -> str:
    return " ".join(format(value, pattern) for value in values)
