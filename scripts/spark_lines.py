# SPDX-License-Identifier: Apache-2.0
"""Run the end-to-end tests with the same wheel on every Spark line, each in an environment of its own.

usage: spark_lines.py WHEEL [VERSION ...]     (without versions: all of python/requirements/spark-lines.txt)
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path

import junit
from run_tests import END_TO_END, SIDE_BY_SIDE
from steps import ROOT, environment, pytest

REQUIREMENTS = ROOT / "python" / "requirements"
MARKED = "spark_lines"  # those that are too long for each commit among them


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
    if counts.passed + counts.failed == 0:
        print(f"Spark {spark}: no test ran.", flush=True)
        return junit.Counts(failed=1)
    return counts


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
