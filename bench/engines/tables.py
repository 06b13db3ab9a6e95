# SPDX-License-Identifier: Apache-2.0
"""Results as tables of the page and bars of its plots."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from math import isfinite

from bench.engines.chart import Bar, Panel
from bench.engines.losses import Ahead, Loss
from bench.engines.measures import Measure
from bench.engines.requests import RequestCount
from bench.engines.rounds import Result

_FEW = 2  # measures in a table that has room for each round of the first


def table(results: Sequence[Result], measures: Sequence[Measure]) -> list[str]:
    heads = [f"{each.name} | to stoplog" for each in measures]
    rounds = [f"rounds: {measures[0].name}"] if len(measures) <= _FEW else []
    return [
        f"| | {' | '.join([*heads, *rounds])} |",
        "|---|" + "---:|" * (2 * len(heads)) + "---|" * len(rounds),
        *(_line(result, _ours(result, results), measures) for result in results),
    ]


def spread_table(results: Sequence[Result], measures: Sequence[Measure]) -> list[str]:
    """The minimum, the median and the maximum of all rounds."""
    return [
        f"| | {' | '.join(each.name for each in measures)} |",
        "|---|" + "---:|" * len(measures),
        *(
            f"| {result.contender.name} | {' | '.join(_spread(each, result) for each in measures)} |"
            for result in results
        ),
    ]


def loss_table(found: Sequence[Loss]) -> list[str]:
    return [
        "| | format | stoplog | ahead of it |",
        "|---|---|---:|---|",
        *(
            f"| {each.measure} | {each.files} | {each.ours} | {'; '.join(map(_in_front, each.ahead))} |"
            for each in found
        ),
    ]


def request_table(requests: Sequence[RequestCount]) -> list[str]:
    return [
        "| | requests per commit | objects with rows | other objects | all requests of the job |",
        "|---|---:|---:|---:|---|",
        *(
            f"| {each.contender.name} | {each.per_commit:.1f} | {each.objects:,} | {each.other_objects:,} "
            f"| {_in_words(each.requests)} |"
            for each in requests
        ),
    ]


def panel(measure: Measure, results: Sequence[Result]) -> Panel:
    title = f"{measure.name[0].upper()}{measure.name[1:]} ({measure.better} is better)"
    return Panel(title, [bar(each.contender.name, measure.values(each), measure.shown) for each in results])


def bar(name: str, values: Sequence[float], shown: str) -> Bar:
    middle = statistics.median(values)
    return Bar(name, middle, min(values), max(values), format(middle, shown), name.startswith("stoplog"))


def _line(result: Result, ours: Result, measures: Sequence[Measure]) -> str:
    cells = [result.contender.name]
    for each in measures:
        own, other = each.median(ours), each.median(result)
        cells += [format(other, each.shown), f"{other / own:.2f}" if own else ""]
    if len(measures) <= _FEW:
        cells.append(" ".join(format(value, measures[0].shown) for value in measures[0].values(result)))
    return f"| {' | '.join(cells)} |"


def _spread(measure: Measure, result: Result) -> str:
    values = measure.values(result)
    return " / ".join(
        format(each, measure.shown) for each in (min(values), measure.median(result), max(values))
    )


def _ours(result: Result, results: Sequence[Result]) -> Result:
    """stoplog in the same format."""
    return next(
        each for each in results if each.contender.is_ours and each.contender.kind == result.contender.kind
    )


def _in_front(one: Ahead) -> str:
    """With how many times better it is, where that is a number."""
    times = [f"{one.times:.2f}"] if isfinite(one.times) else []
    notes = ", ".join([*times, *([] if one.apart else ["rounds overlap"])])
    return f"{one.name} {one.shown}" + (f" ({notes})" if notes else "")


def _in_words(requests: Mapping[str, int]) -> str:
    """The most frequent first."""
    ordered = sorted(requests.items(), key=lambda pair: (-pair[1], pair[0]))
    return ", ".join(f"{count:,} {name}" for name, count in ordered)
