# SPDX-License-Identifier: Apache-2.0
"""Figures for the terminal, and as the page of the guide."""

from __future__ import annotations

from collections.abc import Sequence

from bench.engines.page import prose
from bench.quick.committed import Committed, Compared
from bench.quick.figures import KINDS, Figure


def listed(found: Sequence[Compared]) -> str:
    """A line for each figure."""
    rows = [("", "stoplog", "peer", "ratio", "committed", "")]
    for each in found:
        before = f"{each.before.ratio:,.2f}" if each.before else ""
        rows.append((each.kind.name, *_cells(each.figure), before, each.verdict))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if 0 < column < len(row) - 1 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )


def page(committed: Committed) -> str:
    figures = [committed.figures[kind.key] for kind in KINDS if kind.key in committed.figures]
    return "\n".join(
        [
            "# Benchmarks, the quick ones",
            "",
            *prose(
                """Written by `make bench-quick WRITE=1`; not edited. Without `WRITE=1`, the target
                measures these figures again,
                in about five minutes on two idle cores, and fails if a ratio is worse by more than the
                tolerance. Ratios compare with a peer of the same run, so they hold on another machine.
                A figure without a peer is a count. [The benchmarks](benchmarks.md)
                and the [comparison with other engines](benchmarks-peers.md) describe each measurement,
                with more rounds."""
            ),
            "",
            f"Measured on {committed.provenance}." if figures else "No figures are committed yet.",
            "",
            "| | stoplog | peer | ratio | to reach | tolerance |",
            "|---|---:|---:|---:|---|---:|",
            *map(_line, figures),
            "",
        ]
    )


def _line(figure: Figure) -> str:
    kind = figure.kind
    own, peer, ratio = _cells(figure)
    peers = f"{kind.peer}: {peer}" if kind.peer else ""
    return f"| {kind.name} | {own} | {peers} | {ratio} | {_goal(figure)} | {kind.tolerance:.0%} |"


def _cells(figure: Figure) -> tuple[str, str, str]:
    kind = figure.kind
    own = format(figure.own, kind.shown)
    return (own, format(figure.peer, kind.shown), f"{figure.ratio:,.2f}") if kind.peer else (own, "", own)


def _goal(figure: Figure) -> str:
    kind = figure.kind
    if kind.goal is None:
        return ""
    bound = "≥" if kind.better == "more" else "≤"
    reached = "reached" if kind.is_reached(figure.ratio) else "not reached"
    return f"{bound} {kind.goal:,g}: {reached}"
