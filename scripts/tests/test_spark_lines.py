# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from spark_lines import dated

BEFORE = {"Local mode: HDFS": {"4.1.4": "2026-01-01", "4.2.0": "2026-01-01"}}


def test_passed_tests_date_their_combination() -> None:
    tried = dated(BEFORE, "4.1.4", {"Local mode: HDFS": {"passed"}}, "2026-02-01")
    assert tried == {"Local mode: HDFS": {"4.1.4": "2026-02-01", "4.2.0": "2026-01-01"}}


def test_a_failed_test_removes_the_date() -> None:
    tried = dated(BEFORE, "4.1.4", {"Local mode: HDFS": {"passed", "failed"}}, "2026-02-01")
    assert tried == {"Local mode: HDFS": {"4.2.0": "2026-01-01"}}


def test_a_skipped_test_changes_no_date() -> None:
    assert dated(BEFORE, "4.1.4", {"Local mode: HDFS": {"skipped"}}, "2026-02-01") == BEFORE
