# SPDX-License-Identifier: Apache-2.0
"""By what others are ahead of stoplog: found in the figures, so that no line of it is forgotten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.engines.measures import LEFT, MEMORY, Measure, fresh_measures, large_measures, small_measures
from bench.engines.plan import Contender
from bench.engines.requests import RequestCount
from bench.engines.rounds import Result


@dataclass(frozen=True, slots=True)
class Ahead:
    """Who has the better figure.

    Attributes:
        times: how many times better it is; more than 1, and infinite beside a figure of 0.
        apart: whether its worst round is better than stoplog's best.
    """

    name: str
    shown: str
    times: float
    apart: bool


@dataclass(frozen=True, slots=True)
class Loss:
    """A figure of stoplog's that is not the best of its format; the best first."""

    measure: str
    files: str
    ours: str
    ahead: tuple[Ahead, ...]


def losses(results: Sequence[Result], requests: Sequence[RequestCount]) -> list[Loss]:
    """All of them, the greatest distance first."""
    measures = [*fresh_measures(), *large_measures(), *small_measures(), *LEFT, MEMORY]
    found = [
        _loss(measure, ours, results) for ours in results if ours.contender.is_ours for measure in measures
    ]
    found += [_asked_more(ours, requests) for ours in requests if ours.contender.is_ours]
    return sorted((loss for loss in found if loss.ahead), key=lambda loss: -loss.ahead[0].times)


def _loss(measure: Measure, ours: Result, results: Sequence[Result]) -> Loss:
    others = [each for each in results if _rivals(each.contender, ours.contender)]
    own, sign = measure.median(ours), 1 if measure.better == "more" else -1
    best = max(sign * value for value in measure.values(ours))
    ahead = [
        Ahead(
            each.contender.name,
            format(measure.median(each), measure.shown),
            _times(own, measure.median(each)),
            min(sign * value for value in measure.values(each)) > best,
        )
        for each in others
        if sign * measure.median(each) > sign * own
    ]
    return Loss(measure.name, ours.contender.files, format(own, measure.shown), _best_first(ahead))


def _asked_more(ours: RequestCount, requests: Sequence[RequestCount]) -> Loss:
    own = ours.per_commit
    ahead = [
        Ahead(each.contender.name, f"{each.per_commit:.1f}", _times(own, each.per_commit), apart=True)
        for each in requests
        if _rivals(each.contender, ours.contender) and each.per_commit < own
    ]
    return Loss("requests to S3 per commit", ours.contender.files, f"{own:.1f}", _best_first(ahead))


def _rivals(one: Contender, ours: Contender) -> bool:
    return one.kind == ours.kind and one.engine != ours.engine


def _best_first(ahead: Sequence[Ahead]) -> tuple[Ahead, ...]:
    return tuple(sorted(ahead, key=lambda each: -each.times))


def _times(one: float, other: float) -> float:
    low, high = sorted((one, other))
    return high / low if low else float("inf")
