"""Run the end-to-end tests with the same wheel on every Spark line, each in an environment of its own.

usage: spark_lines.py WHEEL [VERSION ...]     (without versions: all of python/requirements/spark-lines.txt)
"""

from __future__ import annotations

import subprocess
import sys
import venv

import junit
from run_tests import ROOT, pytest

REQUIREMENTS = ROOT / "python" / "requirements"


def main(wheel: str, only: list[str]) -> int:
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


def run(spark: str, wheel: str) -> junit.Counts:
    try:
        python = environment_for(spark, wheel)
    except subprocess.CalledProcessError as error:
        print(f"Spark {spark}: no environment: {error}", flush=True)
        return junit.Counts(failed=1)
    return pytest(f"spark-{spark}", ["tests"], python).run()


def environment_for(spark: str, wheel: str) -> str:
    """The interpreter of `.venv-spark-<version>`, made once per set of pins; the wheel is laid anew."""
    folder = ROOT / f".venv-spark-{spark}"
    python = str(folder / "bin" / "python")
    stamp = folder / ".ready"
    pins = (REQUIREMENTS / "test.txt").read_text()
    if not stamp.exists() or stamp.read_text() != pins:
        venv.create(folder, clear=True, with_pip=True)
        pip(python, "-r", str(REQUIREMENTS / "test.txt"), f"pyspark=={spark}")
        stamp.write_text(pins)
    pip(python, "--no-deps", "--force-reinstall", wheel)
    return python


def pip(python: str, *arguments: str) -> None:
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
