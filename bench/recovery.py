# SPDX-License-Identifier: Apache-2.0
"""How long a stream with many open parts takes to go on after `kill -9`, and to finish them all."""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.open_parts import FEW, Place

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Recovered:
    """With so many open parts: the figure of each name in each round, in seconds."""

    parts: int
    rounds: tuple[dict[str, float], ...]

    def median(self, name: str) -> float:
        return statistics.median(self.values(name))

    def values(self, name: str) -> tuple[float, ...]:
        return tuple(figures[name] for figures in self.rounds)


def recoveries(parts: Sequence[int], rounds: int, folder: Path) -> list[Recovered]:
    return [
        Recovered(count, tuple(recovery(folder / f"{count}-{number}", count) for number in range(rounds)))
        for count in parts
    ]


def recovery(folder: Path, parts: int) -> dict[str, float]:
    """Three lives of one stream, the first two ended by `kill -9`. What they left is read in the end."""
    place = Place(folder, parts)
    figures: dict[str, float] = {}
    for life in ("open", "few", "all"):
        figures |= lived(life, folder, parts)
    place.check()
    shutil.rmtree(folder)
    return figures


def lived(life: str, folder: Path, parts: int) -> dict[str, float]:
    command = [sys.executable, "-m", "bench.recovery_job", life, str(folder), str(parts)]
    # A session of its own, so that the JVM dies with Python and has no chance to tidy up.
    process = subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout
    try:
        line = process.stdout.readline()
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    if not line:
        raise RuntimeError(f"the process that was to {life} {parts} parts failed")
    measured: dict[str, float] = json.loads(line)
    return measured


ROWS = (
    ("open", "the first micro-batch of all, which opens them"),
    ("first_few", f"from the start after `kill -9` to the end of the first micro-batch, of {FEW} rows"),
    ("first_all", "the same with a row for each open part"),
    ("epoch_few", f"a later micro-batch of {FEW} rows"),
    ("epoch_all", "a later micro-batch with a row for each open part"),
    ("finish", "from the stop of the query until all open parts are visible"),
)


def recovery_section(measured: Sequence[Recovered]) -> list[str]:
    return [
        "A stream with this number of open parts, each in a separate bucket, is killed with `kill -9` and",
        "restarted, twice. Its published files are then read as plain text: each row exists once.",
        f"Seconds, the median of {len(measured[-1].rounds)} rounds, in new JVMs each time, with",
        "`durability=disk`; `local[2]`.",
        "",
        *recovery_table(measured),
        "",
        "In the first micro-batch, a JVM also loads and compiles Spark's classes, as the column with the",
        "fewest parts shows.",
    ]


def recovery_table(measured: Sequence[Recovered]) -> list[str]:
    """A column for each number of open parts; of the last one the rounds as well."""
    most = measured[-1]
    heads = "".join(f" {each.parts:,} |" for each in measured)
    lines = [
        f"| {what} |"
        + "".join(f" {each.median(name):.2f} |" for each in measured)
        + f" {' '.join(f'{value:.2f}' for value in most.values(name))} |"
        for name, what in ROWS
    ]
    return [f"| open parts |{heads} rounds |", f"|---|{'---:|' * len(measured)}---|", *lines]
