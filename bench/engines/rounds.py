# SPDX-License-Identifier: Apache-2.0
"""Runs all contenders in turn, each in a process of its own in each round."""

from __future__ import annotations

import shutil
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.engines.exactly_once import files_of_table, require_each_once
from bench.engines.plan import HEAP, Contender, Engine, Job, Plan
from bench.engines.spark_sinks import environment, settings
from bench.engines.worker import Ran, worker


@dataclass(frozen=True, slots=True)
class Left:
    """What table and checkpoint are when the job has ended: the files with rows, and all others."""

    files: int
    bytes: int
    other_files: int
    other_bytes: int


@dataclass(frozen=True, slots=True)
class Round:
    """One contender in one round: many rows in few commits, few rows in many, and its memory over both."""

    large: Ran
    small: Ran
    large_left: Left
    small_left: Left
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class Result:
    contender: Contender
    rounds: tuple[Round, ...]


def in_turn(contenders: Sequence[Contender], plan: Plan, folder: Path) -> list[Result]:
    """Each round in another order. All that was written has been found there once, or this raises."""
    found: dict[str, list[Round]] = {each.name: [] for each in contenders}
    for number in range(plan.rounds):
        shift = number * 2 % len(contenders)
        for contender in (*contenders[shift:], *contenders[:shift]):
            place = folder / f"{number}-{contender.word}"
            found[contender.name].append(one_round(contender, plan, place))
            print(
                f"round {number + 1}: {contender.name}: {summary(found[contender.name][-1])}", file=sys.stderr
            )
            shutil.rmtree(place)
    return [Result(each, tuple(found[each.name])) for each in contenders]


def one_round(contender: Contender, plan: Plan, place: Path, heap: str = HEAP) -> Round:
    engine = contender.engine
    with worker(engine, place, {**settings(engine), **heap_of(engine, heap)}, environment(engine)) as process:
        for number, job in enumerate(plan.warming()):
            process.run(contender, job.at(*places(place / f"warm-{number}")))
        large_job = plan.large().at(*places(place / "large"))
        large = process.run(contender, large_job)
        small_job = plan.small().at(*places(place / "small"))
        small = process.run(contender, small_job)
        peak = process.peak_bytes()
    return Round(large, small, checked(contender, large_job), checked(contender, small_job), peak)


def heap_of(engine: Engine, heap: str) -> dict[str, str]:
    return {} if engine == "Flink" else {"spark.driver.memory": heap}


def places(folder: Path) -> tuple[str, str]:
    """Of a job's table and state."""
    return str((folder / "out").absolute()), str((folder / "state").absolute())


def checked(contender: Contender, job: Job) -> Left:
    """What a job has left; raises if that is not each row once."""
    files = files_of_table(contender, Path(job.out))
    require_each_once(contender, files, job.all_rows)
    everything = [
        file.stat().st_size
        for place in (job.out, job.state)
        for file in Path(place).rglob("*")
        if file.is_file()
    ]
    own = [size for file in files if (size := file.stat().st_size)]  # an empty file has no rows
    return Left(len(own), sum(own), len(everything) - len(own), sum(everything) - sum(own))


def summary(row: Round) -> str:
    millis = statistics.median(row.small.commit_millis)
    return (
        f"{row.large.seconds:.1f} s, {row.large.cpu_seconds:.1f} CPU s; "
        f"{row.small.commits} commits in {row.small.seconds:.1f} s, {row.small.cpu_seconds:.1f} CPU s, "
        f"{millis:.0f} ms each; {row.peak_bytes >> 20} MiB"
    )
