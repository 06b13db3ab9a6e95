# SPDX-License-Identifier: Apache-2.0
"""Run the end-to-end tests with the same wheel on every Spark line, each in an environment of its own.

usage: spark_lines.py WHEEL [VERSION ...]     (without versions: all of python/requirements/spark-lines.txt)

Writes the date to `tests/tried.json` for each combination of platform, store and Spark line whose tests have
passed. `make docs` writes the table of the compatibility page from this file.
"""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
import venv
from pathlib import Path

import junit
from run_tests import END_TO_END, SIDE_BY_SIDE
from steps import REPORTS, ROOT, environment, pytest

REQUIREMENTS = ROOT / "python" / "requirements"
MARKED = "spark_lines"  # those that are too long for each commit among them
TRIED = ROOT / "tests" / "tried.json"
PASSED = {"passed"}

Tried = dict[str, dict[str, str]]
"""The last date by combination (`platform: store`) and version of Spark."""


def main(wheel: Path, only: list[str]) -> int:
    results = {spark: run(spark, wheel) for spark in only or lines()}
    print(f"\n{'line':<8} {'passed':>7} {'failed':>7} {'skipped':>8}")
    for spark, counts in results.items():
        print(f"{spark:<8} {counts.passed:>7} {counts.failed:>7} {counts.skipped:>8}")
    total = sum(results.values(), junit.Counts())
    print(total, flush=True)
    return 1 if total.failed else 0


def lines() -> list[str]:
    text = (REQUIREMENTS / "spark-lines.txt").read_text()
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def run(spark: str, wheel: Path) -> junit.Counts:
    """A line that cannot be set up, or on which no test ran, is not shown to work: it counts as failed."""
    try:
        python = environment_for(spark, wheel)
    except subprocess.CalledProcessError as error:
        print(f"Spark {spark}: its environment could not be made: {error}", flush=True)
        return junit.Counts(failed=1)
    counts = pytest(f"spark-{spark}", [END_TO_END, *SIDE_BY_SIDE], MARKED, str(python)).run().counts
    report = REPORTS / f"spark-{spark}" / "junit.xml"
    if report.exists():
        ends = junit.ends_by_property(report, "tried")
        tried = dated(json.loads(TRIED.read_text()), spark, ends, datetime.date.today().isoformat())
        TRIED.write_text(json.dumps(tried, indent=2, sort_keys=True) + "\n")
    if counts.passed + counts.failed == 0:
        print(f"Spark {spark}: no test ran.", flush=True)
        return junit.Counts(failed=1)
    return counts


def dated(before: Tried, spark: str, ends: dict[str, set[str]], today: str) -> Tried:
    """Adds today to the combinations whose tests have all passed; removes those with a failed test."""
    tried = {combination: dict(dates) for combination, dates in before.items()}
    for combination, all_ends in ends.items():
        dates = tried.setdefault(combination, {})
        if all_ends == PASSED:
            dates[spark] = today
        elif "failed" in all_ends:
            dates.pop(spark, None)
    return tried


def environment_for(spark: str, wheel: Path) -> Path:
    """The interpreter of `.venv-spark-<version>`, made once per set of pins; the wheel is laid in anew."""
    folder = ROOT / f".venv-spark-{spark}"
    python = folder / "bin" / "python"
    stamp = folder / ".ready"
    pins = (REQUIREMENTS / "test.txt").read_text()
    if not stamp.exists() or stamp.read_text() != pins:
        print(f"Setting up {folder.name} ...", flush=True)
        venv.create(folder, clear=True, with_pip=True)
        pip(python, "-r", str(REQUIREMENTS / "test.txt"), f"pyspark=={spark}")
        start(python)
        stamp.write_text(pins)
    pip(python, "--no-deps", "--no-index", "--force-reinstall", str(wheel))
    return python


def pip(python: Path, *arguments: str) -> None:
    subprocess.run([python, "-m", "pip", "install", "--quiet", *arguments], check=True)


def start(python: Path) -> None:
    """Start this Spark once: if it needs a newer Java than there is, it says so here, not in each test."""
    program = "from pyspark.sql import SparkSession as S; S.builder.master('local[1]').getOrCreate().stop()"
    subprocess.run([python, "-c", program], env=environment(str(python)), check=True)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
