"""The figures that are compared, each with which of two is the better one."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from bench.engines.plan import Plan
from bench.engines.requests import Asked
from bench.engines.rounds import Result, Round


@dataclass(frozen=True, slots=True)
class Measure:
    """A figure of each round.

    Attributes:
        name: with its unit.
        better: whether more of it is better, or less.
        of: the figure of one round.
        shown: how it is written.
    """

    name: str
    better: Literal["more", "less"]
    of: Callable[[Round], float]
    shown: str = ",.0f"

    def values(self, result: Result) -> list[float]:
        return [self.of(row) for row in result.rounds]

    def median(self, result: Result) -> float:
        return statistics.median(self.values(result))


def large_measures(plan: Plan) -> list[Measure]:
    rows = plan.large_rows * plan.large_commits
    return [
        Measure("rows per second", "more", lambda row: rows / row.large.seconds),
        Measure("rows per CPU second", "more", lambda row: rows / row.large.cpu_seconds),
    ]


def small_measures() -> list[Measure]:
    return [
        Measure(
            "CPU ms per commit", "less", lambda row: row.small.cpu_seconds * 1000 / row.small.commits, ",.1f"
        ),
        Measure("ms per commit", "less", lambda row: statistics.median(row.small.commit_millis), ",.0f"),
    ]


FILES = Measure("files with rows", "less", lambda row: row.small_left.files)
OTHER_FILES = Measure("other files", "less", lambda row: row.small_left.other_files)
BYTES = Measure("MB of files with rows", "less", lambda row: row.small_left.bytes / 1e6, ",.2f")
OTHER_BYTES = Measure("kB of other files", "less", lambda row: row.small_left.other_bytes / 1e3, ",.1f")
LARGE_BYTES = Measure("MB after few commits", "less", lambda row: row.large_left.bytes / 1e6, ",.2f")
LEFT = (FILES, BYTES, OTHER_FILES, OTHER_BYTES, LARGE_BYTES)
MEMORY = Measure("peak MiB", "less", lambda row: row.peak_bytes / (1 << 20))


@dataclass(frozen=True, slots=True)
class Loss:
    """A figure by which another is ahead of stoplog.

    Attributes:
        times: how many times better the other is; more than 1.
        apart: whether even its worst round is better than stoplog's best.
    """

    measure: str
    kind: str
    ours: str
    winner: str
    theirs: str
    times: float
    apart: bool


def losses(results: Sequence[Result], requests: Sequence[Asked], plan: Plan) -> list[Loss]:
    """Every figure of ours that is not the best of its format, the greatest distance first."""
    measures = [*large_measures(plan), *small_measures(), *LEFT, MEMORY]
    found = []
    for ours in (each for each in results if each.contender.engine == "stoplog"):
        others = [each for each in results if each.contender.kind == ours.contender.kind and each is not ours]
        found += [loss for measure in measures if (loss := lost(measure, ours, others))]
    return sorted([*found, *lost_requests(requests)], key=lambda loss: -loss.times)


def lost(measure: Measure, ours: Result, others: Sequence[Result]) -> Loss | None:
    sign = 1 if measure.better == "more" else -1
    best = max(others, key=lambda each: sign * measure.median(each))
    own, theirs = measure.median(ours), measure.median(best)
    if sign * theirs <= sign * own:
        return None
    apart = min(sign * v for v in measure.values(best)) > max(sign * v for v in measure.values(ours))
    return Loss(
        measure.name,
        ours.contender.kind,
        format(own, measure.shown),
        best.contender.name,
        format(theirs, measure.shown),
        times(own, theirs),
        apart,
    )


def lost_requests(requests: Sequence[Asked]) -> list[Loss]:
    found = []
    for ours in (each for each in requests if each.contender.engine == "stoplog"):
        best = min(
            (each for each in requests if each.contender.kind == ours.contender.kind),
            key=lambda r: r.per_commit,
        )
        if best.per_commit < ours.per_commit:
            found.append(
                Loss(
                    "requests to S3 per commit",
                    ours.contender.kind,
                    f"{ours.per_commit:.1f}",
                    best.contender.name,
                    f"{best.per_commit:.1f}",
                    times(ours.per_commit, best.per_commit),
                    apart=True,
                )
            )
    return found


def times(one: float, other: float) -> float:
    """How many times the greater is the lesser."""
    low, high = sorted((one, other))
    return high / low if low else float("inf")
