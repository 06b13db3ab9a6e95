# SPDX-License-Identifier: Apache-2.0
"""A long run that was broken off, and goes on where it was, as long as the sources are the same.

The directory of a long run holds the reports of suites in Scala and the names of tests in Python that have
passed. An environment variable tells sbt and pytest of it, which leave these out
(`project/SparkTests.scala`, `tests/support/passed.py`). `end` removes it once all have passed, so that the
next long run begins anew.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import junit

VARIABLE = "STOPLOG_LONG_RUN"
REPORTS = "reports"
SUITES = "suites.txt"  # a class name a line
TESTS = "tests.txt"  # the tests in Python that earlier pieces have passed, one a line
PASSED = "passed-tests.txt"  # those of the piece that runs
STATE = "state"
BEGUN = "begun"
SECONDS = "seconds"


@dataclass(frozen=True, slots=True)
class LongRun:
    """One long run of one state of the sources, in as many pieces as it takes.

    Attributes:
        directory: what it knows of its earlier pieces.
        reports: where sbt writes its reports.
    """

    directory: Path
    reports: tuple[Path, ...]

    def begin(self, state: str) -> junit.Counts:
        """Begins the next piece, or the first one where the sources are others.

        Returns:
            what has passed before.
        """
        if not (self.directory / STATE).is_file() or (self.directory / STATE).read_text() != state:
            shutil.rmtree(self.directory, ignore_errors=True)
            (self.directory / REPORTS).mkdir(parents=True)
            (self.directory / STATE).write_text(state)
        else:
            (self.directory / SECONDS).write_text(str(self._earlier_seconds()))
            self._take_over()
        (self.directory / BEGUN).write_text(str(time.time()))
        kept = sorted((self.directory / REPORTS).iterdir())
        names = _lines(self.directory / TESTS)
        (self.directory / SUITES).write_text("".join(f"{_suite(report)}\n" for report in kept))
        return junit.read(kept) + junit.Counts(passed=len(names))

    def end(self) -> float:
        """All have passed. Answers the seconds that all pieces took."""
        seconds = _number(self.directory / SECONDS) + time.time() - _number(self.directory / BEGUN)
        shutil.rmtree(self.directory)
        return seconds

    def _take_over(self) -> None:
        """What the piece that was broken off has passed."""
        for report in self._written():
            if has_passed(report):
                shutil.copy2(report, self.directory / REPORTS / report.name)
        names = {*_lines(self.directory / TESTS), *_lines(self.directory / PASSED)}
        (self.directory / TESTS).write_text("".join(f"{name}\n" for name in sorted(names)))
        (self.directory / PASSED).unlink(missing_ok=True)

    def _earlier_seconds(self) -> float:
        """Up to the last that the piece has written before it was broken off."""
        begun = _number(self.directory / BEGUN)
        written = [
            path.stat().st_mtime for path in (*self._written(), self.directory / PASSED) if path.exists()
        ]
        return _number(self.directory / SECONDS) + max(
            (end - begun for end in written if end > begun), default=0
        )

    def _written(self) -> Iterator[Path]:
        return (report for folder in self.reports for report in sorted(folder.glob("*.xml")))


def state_of(root: Path) -> str:
    """The sources as git knows them, with what is not committed."""

    def git(*arguments: str, given: str = "") -> str:
        return subprocess.run(
            ["git", *arguments], cwd=root, check=True, capture_output=True, text=True, input=given
        ).stdout

    unknown = git("ls-files", "--others", "--exclude-standard")
    changed = git("diff", "HEAD") + unknown + git("hash-object", "--stdin-paths", given=unknown)
    return f"{git('rev-parse', 'HEAD').strip()}-{hashlib.sha256(changed.encode()).hexdigest()[:12]}"


def has_passed(report: Path) -> bool:
    """Whether all tests of the suite have passed; a report whose writer died says nothing."""
    counts = junit.read([report])
    return counts.failed == 0 and counts.passed > 0


def _suite(report: Path) -> str:
    root = ElementTree.parse(report).getroot()
    return root.get("name", "")


def _lines(path: Path) -> list[str]:
    return path.read_text().splitlines() if path.exists() else []


def _number(path: Path) -> float:
    return float(path.read_text()) if path.exists() else 0.0
