# SPDX-License-Identifier: Apache-2.0
"""Build, run the checks and all tests, each kind even if an earlier one failed; end with one line of counts.

Two lanes keep two processors busy. One start of sbt builds the jars and then runs the Scala tests; the other
lane checks the sources, waits for the jars, and runs the tests in Python, those that start Spark last.
With STOPLOG_LONG=1 in the environment (`make test-long`) the long tests run as well; such a run goes on where
it was broken off, as long as the sources are the same.
"""

from __future__ import annotations

import os
import shutil
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import connectors
import junit
import kept_classes
import long_run
from steps import ROOT, Outcome, Step, pytest

# sbt goes on with the other tests when some fail.
SBT_PROJECTS = {
    "scala-core": "core",
    "laws": "laws",
    **{f"connectors/{id}": id for id in connectors.ids()},
    "tests/users": "users",
}
# All that sbt compiles, its own build among it.
COMPILED = (
    *("project", "project/project"),
    *SBT_PROJECTS,
    *(str(source.parent.relative_to(ROOT)) for source in sorted(ROOT.glob("tests/servers/*/src"))),
)
# Builds the jars and class paths that the tests in Python need, and writes the file TEST_BED at its end.
BUILD = "testBed"
TEST_BED = ROOT / "build" / "test-bed"
CHECKS = "scalafmtCheckAll scalafmtSbtCheck"
TESTS = " ".join(["all", CHECKS, *(f"{project}/test" for project in SBT_PROJECTS.values())])
SBT_REPORTS = Path("target") / "test-reports"
# Where `make installed-wheel` unpacks the wheel: tests that start Spark import it, and not the checkout.
INSTALLED_WHEEL = ROOT / "build" / "installed"
PYTHON_TESTS = ["--doctest-modules", "python/stoplog", "python/tests"]
END_TO_END = "tests/e2e"
SIDE_BY_SIDE = ("--numprocesses", "2")  # the conftest.py there orders them, longest first
# Two workers keep both processors busy to the end. What is left of Scala then is one JVM: it goes first.
BEHIND_SCALA = ("nice", "-n", "10")
LOOK_SECONDS = 0.2
# A run above the budget fails, so that tests do not become slow unnoticed. Two machines with two cores needed
# 2,679 and 5,239 core seconds for the same tests.
BUDGET_CORE_SECONDS = 8_000
IS_LONG = os.environ.get("STOPLOG_LONG") == "1"
MARKED = "" if IS_LONG else "not long"
LONG_RUN = long_run.LongRun(
    ROOT / "build" / "long", tuple(ROOT / project / SBT_REPORTS for project in SBT_PROJECTS)
)


def main() -> int:
    TEST_BED.unlink(missing_ok=True)
    shutil.rmtree(ROOT / "build" / "repo", ignore_errors=True)
    if kept_classes.bring(ROOT, COMPILED, kept_classes.default_place()):
        print("This clone begins with the classes of the last run that passed, and compiles what differs.")
    earlier = begin_long_run() if IS_LONG else junit.Counts()
    with ThreadPoolExecutor() as lanes:
        scala = lanes.submit(scala_step().run)
        outcomes = [*python_lane(scala), scala.result()]
    total = sum((each.counts for each in outcomes), earlier)
    core_seconds = sum(each.core_seconds for each in outcomes)
    if not IS_LONG and core_seconds > BUDGET_CORE_SECONDS:
        total += over_budget(core_seconds)
    # Last, because a reader of a run sees its end first.
    failures = [f"FAILED {each}" for each in total.failures]
    print("", *outcomes, f"all      {core_seconds:14.0f} core s", *failures, total, sep="\n", flush=True)
    if total.failed:
        return 1
    kept_classes.keep(ROOT, COMPILED, kept_classes.default_place())
    if IS_LONG:
        print(f"All pieces of this long run together took {LONG_RUN.end() / 60:.0f} minutes.")
    return 0


def begin_long_run() -> junit.Counts:
    earlier = LONG_RUN.begin(long_run.state_of(ROOT))
    os.environ[long_run.VARIABLE] = str(LONG_RUN.directory)
    if earlier.passed:
        print(
            f"This run goes on behind {earlier.passed} tests that have passed at this state of the sources."
        )
    return earlier


def over_budget(core_seconds: float) -> junit.Counts:
    message = (
        f"the tests used {core_seconds:.0f} core seconds, over the budget of {BUDGET_CORE_SECONDS}: "
        "make them cheaper, or mark the long ones `long`"
    )
    return junit.Counts(failed=1, failures=(message,))


def scala_step() -> Step:
    reports = tuple(ROOT / project / SBT_REPORTS for project in SBT_PROJECTS)
    return Step("scala", ["scripts/sbt", BUILD, TESTS], reports)


def python_lane(scala: Future[Outcome]) -> Iterator[Outcome]:
    """Quick ones first."""
    yield Step("lint", ["make", "--no-print-directory", "lint-python"]).run()
    yield pytest("python", PYTHON_TESTS, MARKED).run()
    if not is_built(scala):
        return  # The Scala step says why.
    wheel = Step("wheel", ["make", "--no-print-directory", "accept-test-bed", "installed-wheel"]).run()
    yield wheel
    yield pytest("build", ["scripts/tests"], MARKED).run()
    if not wheel.counts.failed:
        spark = pytest("spark", [END_TO_END, *SIDE_BY_SIDE], MARKED)
        command = [*BEHIND_SCALA, *spark.command]
        if IS_LONG:  # then Scala's tests keep both processors busy, and a server behind them would not answer
            scala.result()
        yield replace(spark, command=command, variables={"PYTHONPATH": str(INSTALLED_WHEEL)}).run()


def is_built(scala: Future[Outcome]) -> bool:
    """Waits until sbt has written the jars, or has ended without them."""
    pause = threading.Event()
    while not TEST_BED.exists() and not scala.done():
        pause.wait(LOOK_SECONDS)
    return TEST_BED.exists()


if __name__ == "__main__":
    sys.exit(main())
