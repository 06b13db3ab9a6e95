# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import junit
from junit import Counts


def report(folder: Path, name: str, body: str) -> Path:
    path = folder / name
    path.write_text(f'<?xml version="1.0"?>{body}')
    return path


def test_errors_count_as_failures_and_skipped_tests_did_not_pass(tmp_path: Path) -> None:
    suite = report(tmp_path, "a.xml", '<testsuite tests="7" failures="1" errors="2" skipped="1"/>')
    assert junit.read([suite]) == Counts(passed=3, failed=3, skipped=1)


def test_suites_of_both_runners_are_added_up(tmp_path: Path) -> None:
    scala = report(tmp_path, "scala.xml", '<testsuite tests="2" failures="0" errors="0" skipped="0"/>')
    python = report(tmp_path, "pytest.xml", '<testsuites><testsuite tests="3" failures="1"/></testsuites>')
    assert str(junit.read([scala, python])) == "4 passed, 1 failed"


def test_a_report_whose_writer_died_is_a_failure(tmp_path: Path) -> None:
    assert junit.read([report(tmp_path, "torn.xml", "<testsuite tests=")]) == Counts(failed=1)


def test_a_missing_report_has_no_tests() -> None:
    assert str(junit.read([])) == "0 passed, 0 failed"


def test_skipped_tests_are_named_only_if_there_are_any() -> None:
    assert str(Counts(passed=1, skipped=2)) == "1 passed, 0 failed, 2 skipped"


def test_failed_tests_are_named_with_the_message(tmp_path: Path) -> None:
    failure = '<failure message="3 was not 4&#10;more"/>'
    case = f'<testcase classname="stoplog.A" name="keeps rows">{failure}</testcase>'
    suite = report(tmp_path, "a.xml", f'<testsuite tests="1" failures="1">{case}</testsuite>')
    assert junit.read([suite]).failures == ("stoplog.A: keeps rows: 3 was not 4",)


def test_outcomes_are_grouped_by_a_property(tmp_path: Path) -> None:
    suite = report(
        tmp_path,
        "a.xml",
        "<testsuite>"
        '<testcase><properties><property name="tried" value="a"/></properties></testcase>'
        '<testcase><properties><property name="tried" value="a"/></properties><error/></testcase>'
        '<testcase><properties><property name="tried" value="b"/></properties><skipped/></testcase>'
        '<testcase><properties><property name="other" value="c"/></properties></testcase>'
        "</testsuite>",
    )
    assert junit.ends_by_property(suite, "tried") == {"a": {"passed", "failed"}, "b": {"skipped"}}


def test_a_torn_report_has_no_properties(tmp_path: Path) -> None:
    assert junit.ends_by_property(report(tmp_path, "torn.xml", "<testsuite tests="), "tried") == {}
