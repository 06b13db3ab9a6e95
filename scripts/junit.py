# SPDX-License-Identifier: Apache-2.0
"""Counts and properties of tests, out of the JUnit XML that sbt and pytest both write."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

LONGEST = 300  # characters of what a failed test said


@dataclass(frozen=True, slots=True)
class Counts:
    """How many tests ended in which way; an error counts as a failure.

    `failures` says which failed, each in one line with the first line of what it said.
    """

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: tuple[str, ...] = field(default=(), compare=False)

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.failures + other.failures,
        )

    def __str__(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"{self.passed} passed, {self.failed} failed{skipped}"


def read(reports: Iterable[Path]) -> Counts:
    """Add up every report; a file that is not whole XML (its writer died) counts as one failure."""
    return sum((_read_one(report) for report in reports), Counts())


def ends_by_property(report: Path, name: str) -> dict[str, set[str]]:
    """Returns how the tests with a property ended, by the value: "passed", "failed" or "skipped".

    Empty if the file is not whole XML.
    """
    found: dict[str, set[str]] = {}
    root = _root(report)
    for case in () if root is None else root.iter("testcase"):
        for each in case.iter("property"):
            if each.get("name") == name:
                found.setdefault(str(each.get("value")), set()).add(_end(case))
    return found


def _end(case: ElementTree.Element) -> str:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    return "passed" if case.find("skipped") is None else "skipped"


def _root(report: Path) -> ElementTree.Element | None:
    """Returns None if the file is not whole XML."""
    try:
        return ElementTree.parse(report).getroot()
    except ElementTree.ParseError:
        return None


def _read_one(report: Path) -> Counts:
    root = _root(report)
    if root is None:
        return Counts(failed=1, failures=(f"{report.name} is torn: its writer died",))
    return sum((_suite(suite) for suite in root.iter("testsuite")), Counts())


def _suite(suite: ElementTree.Element) -> Counts:
    failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
    skipped = int(suite.get("skipped", 0))
    return Counts(int(suite.get("tests", 0)) - failed - skipped, failed, skipped, tuple(_failures(suite)))


def _failures(suite: ElementTree.Element) -> Iterable[str]:
    for case in suite.iter("testcase"):
        for end in (*case.iter("failure"), *case.iter("error")):
            said = next(iter((end.get("message") or end.text or "").strip().splitlines()), "")
            yield f"{case.get('classname')}: {case.get('name')}: {said[:LONGEST]}"
