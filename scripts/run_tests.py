# SPDX-License-Identifier: Apache-2.0
"""Run the checks and all tests, each kind even if an earlier one failed; end with one line of counts.

The interpreter that runs this must have the wheel installed; `make test` sees to that.
With STOPLOG_LONG=1 in the environment (`make test-long`) the long tests run as well.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import junit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

ROOT = Path(__file__).resolve().parent.parent
REPORTS = ROOT / "build" / "reports"
EVERY_TEST = ""
# One start of sbt for all; its `all` goes on with the others when one of them fails.
SBT_PROJECTS = {
    "scala-core": "core",
    "laws": "laws",
    "connectors/async": "async",
    "connectors/cassandra": "cassandra",
    "connectors/jdbc": "jdbc",
    "connectors/kafka": "kafka",
    "connectors/wal": "wal",
}
SBT_TASKS = " ".join(
    [
        "all scalafmtCheckAll scalafmtSbtCheck mimaReportBinaryIssues",
        *(f"{id}/test" for id in SBT_PROJECTS.values()),
    ]
)
SBT_REPORTS = Path("target") / "test-reports"
# Doctests are those of the checkout: the plugin of the wheel must not have imported the wheel before.
OF_CHECKOUT = ("-p", "no:stoplog.testing.plugin")
KEPT_LINES = 20_000
WORDS = 12
REMOVALS = 5
# A test that starts and kills processes waits most of the time.
SIDE_BY_SIDE = ("--numprocesses", "2", "--dist", "worksteal")


@dataclass(frozen=True, slots=True)
class Step:
    """One runner: its command, where its JUnit XML lies if it has any, the Python of Spark's workers."""

    name: str
    command: list[str]
    reports: tuple[Path, ...]
    python: str = sys.executable

    def run(self) -> junit.Counts:
        """A runner that fails without naming a failed test still counts as one failure."""
        for directory in self.reports:
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir(parents=True)
        print(f"== {self.name}: {' '.join(self.command)}", flush=True)
        code, said = self._said()
        counts = junit.read(report for directory in self.reports for report in directory.glob("*.xml"))
        if code != 0 and counts.failed == 0:
            words = (f"the runner itself ended with exit code {code}", *last_words(said))
            counts += junit.Counts(failed=1, failures=tuple(f"{self.name}: {each}" for each in words))
        return counts

    def _said(self) -> tuple[int, deque[str]]:
        """The exit code, and the last lines of what goes to the screen meanwhile."""
        lines: deque[str] = deque(maxlen=KEPT_LINES)
        with (
            temporary_directory() as temporary,
            subprocess.Popen(
                self.command,
                cwd=ROOT,
                env=environment(self.python, temporary),
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
            ) as process,
        ):
            for line in process.stdout or ():
                print(line, end="", flush=True)
                lines.append(line.rstrip())
        return process.returncode, lines


def last_words(said: Iterable[str]) -> list[str]:
    """What a runner that named no failed test said of its end: its errors, or else its last lines."""
    lines = [line for line in said if line]
    errors = [line for line in lines if line.startswith("[error]")]
    return (errors or lines)[-WORDS:]


def main() -> int:
    total = junit.Counts()
    summary = []
    for step in steps():
        begun = time.monotonic()
        counts = step.run()
        total += counts
        summary.append(f"{step.name:<8} {time.monotonic() - begun:5.0f} s   {counts}")
    # Last, because whoever looks at a run sees its end first.
    print("", *summary, *(f"FAILED {each}" for each in total.failures), total, sep="\n", flush=True)
    return 1 if total.failed else 0


def steps() -> list[Step]:
    """Quick ones first."""
    marked = EVERY_TEST if os.environ.get("STOPLOG_LONG") == "1" else "not long"
    return [
        Step("lint", ["make", "--no-print-directory", "lint-python"], (REPORTS / "lint",)),
        Step(
            "scala",
            ["scripts/sbt", SBT_TASKS],
            tuple(ROOT / project / SBT_REPORTS for project in SBT_PROJECTS),
        ),
        pytest("build", ["scripts/tests"], marked),
        pytest(
            "python", [*OF_CHECKOUT, "--doctest-modules", *existing("python/stoplog", "python/tests")], marked
        ),
        *(pytest("spark", [folder, *SIDE_BY_SIDE], marked) for folder in existing("tests")),
    ]


def pytest(name: str, arguments: list[str], marked: str, python: str = sys.executable) -> Step:
    """A pytest run of the tests with these marks, whose report lies under build/reports/NAME."""
    reports = REPORTS / name
    report = [f"--junitxml={reports / 'junit.xml'}", "--durations=20", "--durations-min=5"]
    command = [python, "-m", "pytest", *arguments, "-m", marked, *report]
    return Step(name, command, (reports,), python)


def existing(*folders: str) -> list[str]:
    return [folder for folder in folders if (ROOT / folder).exists()]


@contextlib.contextmanager
def temporary_directory(pause: Callable[[], None] = lambda: time.sleep(1)) -> Iterator[str]:
    """For all that tests leave behind, those most of all that are killed; it is removed in the end.

    Its path is short: a Unix socket, which servers have in there, has a name of 107 letters at most.

    Args:
        pause: servers outlive their tests a little, and write meanwhile.
    """
    directory = tempfile.mkdtemp(prefix="stoplog-")
    try:
        yield directory
    finally:
        for _ in range(REMOVALS):
            shutil.rmtree(directory, ignore_errors=True)
            if not Path(directory).exists():
                break
            pause()


def environment(python: str, temporary: str | None = None) -> dict[str, str]:
    """Without a Spark of the machine's own: the one under test is that of the interpreter, on loopback.

    Args:
        python: of Spark's workers.
        temporary: where temporary files go, instead of where they go by themselves.
    """
    own = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
    directory = temporary or tempfile.gettempdir()
    return own | {
        "PYSPARK_PYTHON": python,
        "SPARK_LOCAL_IP": "127.0.0.1",
        "TMPDIR": directory,
        # Java does not know TMPDIR. JAVA_TOOL_OPTIONS would have each JVM write a line to its standard error.
        "SPARK_SUBMIT_OPTS": f"-Djava.io.tmpdir={directory}",
    }


if __name__ == "__main__":
    sys.exit(main())
