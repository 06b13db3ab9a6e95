# SPDX-License-Identifier: Apache-2.0
"""Follow the quick start on every Spark line, in each way that it describes, with nothing but a release.

usage: check_quick_start.py DIST [VERSION ...]  (without versions: all of python/requirements/spark-lines.txt)

For each line an empty environment outside of the checkout gets that pyspark and the wheel of DIST. The jar
comes from the wheel, from the Maven repository of DIST, or from a Spark Connect server.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from empty_environment import CommandFailed, EmptyEnvironment
from quick_start import QuickStart
from quick_start_ways import WAYS, Visit
from spark_lines import lines

OK = "ok"


def main(dist: Path, only: list[str]) -> int:
    """Print each reason in full where it occurs, then the table of all."""
    results = {spark: on_line(spark, dist) for spark in only or lines()}
    print("\n" + "  ".join([f"{'line':<8}", *(f"{way:<10}" for way in WAYS)]))
    for spark, outcomes in results.items():
        marks = (f"{OK if outcomes[way] == OK else 'FAILED':<10}" for way in WAYS)
        print("  ".join([f"{spark:<8}", *marks]))
    total = [outcome for outcomes in results.values() for outcome in outcomes.values()]
    passed = total.count(OK)
    print(f"{passed} passed, {len(total) - passed} failed", flush=True)
    return 0 if passed == len(total) else 1


def on_line(spark: str, dist: Path) -> dict[str, str]:
    """By way: `OK`, or the reason why not."""
    (wheel,) = dist.glob("*.whl")
    with tempfile.TemporaryDirectory(prefix=f"quick-start-{spark}-") as place:
        folder = Path(place)
        try:
            environment = EmptyEnvironment.made_in(folder / "environment")
            environment.shell(folder, QuickStart().install(spark, wheel))
        except (CommandFailed, subprocess.SubprocessError) as error:
            return dict.fromkeys(WAYS, told(spark, "its environment", error))
        return {
            way: outcome(way, Visit(environment, spark, dist / "repo", made(folder / way))) for way in WAYS
        }


def outcome(way: str, visit: Visit) -> str:
    try:
        WAYS[way](visit)
    except (CommandFailed, AssertionError, subprocess.SubprocessError) as error:
        return told(visit.spark, way, error)
    print(f"Spark {visit.spark}, {way}: {OK}", flush=True)
    return OK


def told(spark: str, what: str, error: Exception) -> str:
    print(f"Spark {spark}, {what}: FAILED: {error}", flush=True)
    return str(error)


def made(folder: Path) -> Path:
    folder.mkdir()
    return folder


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), sys.argv[2:]))
