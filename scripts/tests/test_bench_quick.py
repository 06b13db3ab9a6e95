# SPDX-License-Identifier: Apache-2.0
"""What `make bench-quick` rests on: when a figure is worse, and what it prints and commits."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bench.quick.committed import Committed, compared, decoded, encoded
from bench.quick.figures import KINDS, Figure
from bench.quick.report import listed, page

LESS = next(kind for kind in KINDS if kind.key == "epoch-noop")
MORE = next(kind for kind in KINDS if kind.key == "text-disk")
COUNT = next(kind for kind in KINDS if kind.key == "state-files")


def committed(*figures: Figure) -> Committed:
    return Committed.of(figures, "a machine; 2026-01-01, commit abc")


@pytest.mark.parametrize(
    ("key", "before", "now", "is_worse"),
    [
        (LESS.key, (100, 100), (114, 100), False),
        (LESS.key, (100, 100), (116, 100), True),
        (LESS.key, (100, 100), (200, 200), False),  # as much slower as its peer: another machine
        (LESS.key, (100, 100), (50, 100), False),
        (MORE.key, (3.0, 3.0), (2.7, 3.0), False),
        (MORE.key, (3.0, 3.0), (2.5, 3.0), True),
        (MORE.key, (3.0, 3.0), (6.0, 3.0), False),
        (COUNT.key, (60, 1), (62, 1), False),
        (COUNT.key, (60, 1), (64, 1), True),
        (COUNT.key, (0, 1), (0, 1), False),
        (COUNT.key, (0, 1), (1, 1), True),
    ],
)
def test_a_figure_is_worse_if_the_ratio_exceeds_the_tolerance(
    key: str, before: tuple[float, float], now: tuple[float, float], is_worse: bool
) -> None:
    (found,) = compared([Figure(key, *now)], committed(Figure(key, *before)))

    assert found.is_worse == is_worse
    assert ("WORSE" in listed([found])) == is_worse


def test_a_figure_without_a_committed_value_is_new() -> None:
    for before in (None, committed(Figure(MORE.key, 1, 1))):
        (found,) = compared([Figure(LESS.key, 200, 100)], before)

        assert (found.is_worse, found.verdict) == (False, "new")


def test_committed_figures_are_read_unchanged() -> None:
    written = committed(Figure(LESS.key, 112.5, 118), Figure(COUNT.key, 60))

    assert decoded(encoded(written)) == written


def test_the_page_states_for_each_figure_whether_the_goal_is_reached() -> None:
    text = page(committed(Figure(LESS.key, 112, 118), Figure(MORE.key, 2.1, 4.2), Figure(COUNT.key, 205)))

    rows = {line.split(" | ")[0].removeprefix("| "): line for line in text.splitlines() if "| " in line}
    assert "| 112 | Spark's noop sink: 118 | 0.95 | ≤ 1: reached | 15% |" in rows[LESS.name]
    assert "| 2.10 | Spark's: 4.20 | 0.50 | ≥ 1: not reached |" in rows[MORE.name]
    assert "| 205 |  | 205 | ≤ 60: not reached | 5% |" in rows[COUNT.name]
    assert "commit abc" in text


def test_kinds_have_unique_names_and_counts_have_no_peer() -> None:
    assert len({kind.key for kind in KINDS}) == len({(kind.name, kind.peer) for kind in KINDS}) == len(KINDS)
    assert replace(COUNT, goal=None).is_reached(10**9)
