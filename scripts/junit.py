"""Counts of passed and failed tests, out of the JUnit XML that sbt and pytest both write."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Counts:
    """How many tests ended in which way; an error counts as a failure."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def read(reports: Iterable[Path]) -> Counts:
    """Add up every report; a file that is not whole XML (its writer died) counts as one failure."""
    return sum((_read_one(report) for report in reports), Counts())


def _read_one(report: Path) -> Counts:
    try:
        root = ElementTree.parse(report).getroot()
    except ElementTree.ParseError:
        return Counts(failed=1)
    return sum((_suite(suite) for suite in root.iter("testsuite")), Counts())


def _suite(suite: ElementTree.Element) -> Counts:
    failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    skipped = int(suite.get("skipped", 0))
    return Counts(int(suite.get("tests", 0)) - failed - skipped, failed, skipped)
