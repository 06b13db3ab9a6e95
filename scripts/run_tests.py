"""Run every test there is, each kind even if an earlier one failed, and end with one line of counts.

The interpreter that runs this must have the wheel installed; `make test` sees to that.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import junit

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "build" / "reports"
NO_TESTS_COLLECTED = 5


@dataclass(frozen=True, slots=True)
class Step:
    """One test runner: the command, where it leaves its JUnit XML, and the codes that mean all is well."""

    name: str
    command: list[str]
    reports: Path
    good_exits: frozenset[int] = frozenset({0})

    def run(self) -> junit.Counts:
        """A runner that fails without naming a failed test still counts as one failure."""
        shutil.rmtree(self.reports, ignore_errors=True)
        self.reports.mkdir(parents=True)
        print(f"== {self.name}: {' '.join(self.command)}", flush=True)
        code = subprocess.run(self.command, cwd=ROOT, env=environment(), check=False).returncode
        counts = junit.read(self.reports.glob("*.xml"))
        if code not in self.good_exits and counts.failed == 0:
            print(f"{self.name}: the runner itself ended with exit code {code}.", flush=True)
            counts += junit.Counts(failed=1)
        return counts


def main() -> int:
    total = junit.Counts()
    summary = []
    for step in steps():
        begun = time.monotonic()
        counts = step.run()
        total += counts
        summary.append(f"{step.name:<8} {time.monotonic() - begun:5.0f} s   {counts}")
    print("", *summary, total, sep="\n", flush=True)
    return 1 if total.failed else 0


def steps() -> list[Step]:
    unit = [str(path) for path in (Path("python/stoplog"), Path("python/tests")) if (ROOT / path).exists()]
    found = [
        Step("scala", ["scripts/sbt", "core/test"], ROOT / "scala-core" / "target" / "test-reports"),
        pytest("python", ["--doctest-modules", *unit]),
    ]
    return [*found, pytest("spark", ["tests"])] if (ROOT / "tests").exists() else found


def pytest(name: str, arguments: list[str], python: str = sys.executable) -> Step:
    """A pytest run whose report lies under build/reports/NAME."""
    reports = REPORTS / name
    command = [python, "-m", "pytest", *arguments, f"--junitxml={reports / 'junit.xml'}"]
    return Step(name, command, reports, frozenset({0, NO_TESTS_COLLECTED}))


def environment() -> dict[str, str]:
    """Without a Spark of the machine's own: the one under test is that of the interpreter."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}


if __name__ == "__main__":
    sys.exit(main())
