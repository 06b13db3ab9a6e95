# SPDX-License-Identifier: Apache-2.0
"""Runs all contenders in turn, each in a process of its own in each round."""

from __future__ import annotations

import shutil
import statistics
import sys
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
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
    """One contender in one round.

    Attributes:
        fresh: many rows in few commits, as the first job of the process.
        large: many rows in few commits.
        small: few rows in many commits.
        peak_bytes: the memory over all of them.
    """

    fresh: Ran
    large: Ran
    small: Ran
    large_left: Left
    small_left: Left
    peak_bytes: int


@dataclass(frozen=True, slots=True)
class Result:
    contender: Contender
    rounds: tuple[Round, ...]


@dataclass(frozen=True, slots=True)
class Measurement:
    """What is measured in one process.

    Attributes:
        heap: of its JVM; Flink takes that of the plan.
    """

    contender: Contender
    plan: Plan
    heap: str = HEAP


def in_turn(contenders: Sequence[Contender], plan: Plan, folder: Path) -> list[Result]:
    """Each round in another order. All that was written has been found there once, or this raises."""
    planned = in_all_rounds(contenders, plan)
    return results(contenders, planned, measured(planned, folder))


def in_all_rounds(contenders: Sequence[Contender], plan: Plan) -> list[Measurement]:
    """One of each contender for each of its rounds."""
    planned = []
    for number in range(plan.rounds):
        shift = number * 2 % len(contenders)
        turns = (*contenders[shift:], *contenders[:shift])
        planned += [Measurement(each, plan) for each in turns if number < plan.rounds_of(each)]
    return planned


def results(
    contenders: Sequence[Contender], planned: Sequence[Measurement], rounds: Sequence[Round]
) -> list[Result]:
    """The rounds of each contender, in the order of `contenders`."""
    pairs = [(one.contender, row) for one, row in zip(planned, rounds, strict=True)]
    return [Result(each, tuple(row for of, row in pairs if of == each)) for each in contenders]


def measured(planned: Sequence[Measurement], folder: Path) -> list[Round]:
    """One round for each, each in a process of its own, one process after the other.

    What one process has written is read while the next one starts, before that is given any work.
    """
    rounds: list[Future[Round]] = []
    with ThreadPoolExecutor(max_workers=1) as reader:
        for number, one in enumerate(planned):
            rounds.append(_round(one, folder / str(number), reader, rounds[-1:]))
    return [each.result() for each in rounds]


def _round(
    one: Measurement, place: Path, reader: ThreadPoolExecutor, unread: Sequence[Future[Round]]
) -> Future[Round]:
    contender, plan, engine = one.contender, one.plan, one.contender.engine
    own = {**settings(engine), **heap_of(engine, one.heap)}
    with worker(engine, place, own, environment(engine)) as process:
        for before in unread:
            before.result()
        fresh_job = plan.fresh().at(*places(place / "fresh"))
        fresh = process.run(contender, fresh_job)
        large_job = plan.large().at(*places(place / "large"))
        large = process.run(contender, large_job)
        small_job = plan.small().at(*places(place / "small"))
        small = process.run(contender, small_job)
        peak = process.peak_bytes()

    def read() -> Round:
        checked(contender, fresh_job)
        lefts = (checked(contender, large_job), checked(contender, small_job))
        row = Round(fresh, large, small, *lefts, peak)
        print(f"{contender.name}, {one.heap}: {summary(row)}", file=sys.stderr)
        shutil.rmtree(place)
        return row

    return reader.submit(read)


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
        f"fresh {row.fresh.seconds:.1f} s, {row.fresh.cpu_seconds:.1f} CPU s; "
        f"steady {row.large.steady.seconds:.1f} s, {row.large.steady.cpu_seconds:.1f} CPU s; "
        f"{row.small.commits} commits in {row.small.seconds:.1f} s, {row.small.cpu_seconds:.1f} CPU s, "
        f"{millis:.0f} ms each; {row.peak_bytes >> 20} MiB"
    )
