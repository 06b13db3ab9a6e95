# SPDX-License-Identifier: Apache-2.0
"""The page with the figures."""

from __future__ import annotations

from collections.abc import Sequence

from bench.peers import NOOP, TEXT
from bench.rounds import LINE_BYTES, Measured, Plan
from bench.state import Growth


def intro(plan: Plan) -> list[str]:
    return [
        "# Benchmarks",
        "",
        "Written by `make bench`; not edited. All sinks take turns in one session (`local[2]`), in another",
        f"order in each round, after a warm-up round. By default there are {plan.rounds} rounds; a figure is",
        "the median of the rounds' medians. Each section names its machine, date and commit.",
    ]


def latency_section(latency: Sequence[Measured]) -> list[str]:
    return [f"Lines are {LINE_BYTES} bytes.", "", *latency_table(latency)]


def throughput_section(throughput: Sequence[Measured]) -> list[str]:
    return [
        *throughput_table(throughput),
        "",
        "Spark's text sink does not force its files to disk.",
        "Compare this sink with `durability=process`; `durability=disk`, the default, also survives",
        "a power loss.",
    ]


def growth_section(growth: Sequence[Growth]) -> list[str]:
    return [
        *growth_table(growth),
        "",
        "The query was stopped, so the rows of open parts are not visible yet. The sink keeps about a",
        "hundred records, for any number of epochs.",
    ]


def latency_table(latency: Sequence[Measured]) -> list[str]:
    floor = next(row.median for row in latency if row.peer == NOOP.name)
    rows = [
        f"| {row.peer} | {row.median:.1f} | {row.median - floor:+.1f} | {spread(row.rounds, '.0f')} |"
        for row in latency
    ]
    return ["| sink | ms per batch | above noop | rounds |", "|---|---:|---:|---|", *rows]


def throughput_table(throughput: Sequence[Measured]) -> list[str]:
    text = next(row.median for row in throughput if row.peer == TEXT.name)
    rows = [
        f"| {row.peer} | {row.median:,.0f} | {row.median / text:.2f} | {spread(row.rounds, ',.0f')} |"
        for row in throughput
    ]
    return ["| sink | rows per second | ratio to Spark text | rounds |", "|---|---:|---:|---|", *rows]


def pair_table(speeds: Sequence[Measured], names: Sequence[str]) -> list[str]:
    """Rows per second of the peers `stoplog <name>` and `Spark <name>`; Spark's may be missing."""
    found = {each.peer: each for each in speeds}
    rows = []
    for name in names:
        ours, theirs = found[f"stoplog {name}"], found.get(f"Spark {name}")
        rows.append(
            f"| {name} | {ours.median:,.0f} | "
            + (f"{theirs.median:,.0f} | {ours.median / theirs.median:.2f}" if theirs else "none | ")
            + f" | {spread(ours.rounds, ',.0f')} | {spread(theirs.rounds, ',.0f') if theirs else ''} |"
        )
    return [
        "| format | stoplog | Spark | ratio | rounds of stoplog | rounds of Spark |",
        "|---|---:|---:|---:|---|---|",
        *rows,
    ]


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
