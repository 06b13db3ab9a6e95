# SPDX-License-Identifier: Apache-2.0
"""The job is killed at moments that lose or repeat rows elsewhere. Here each row stays once."""

from __future__ import annotations

import job

from stoplog.testing import Step


def rows(number):
    return [{"id": number * 100 + row, "at": "2026-01-31T10:00:00Z", "page": "Home"} for row in range(100)]


def test_no_row_is_lost_or_repeated_after_crashes(stoplog_pipeline):
    pipeline = stoplog_pipeline(job.build)
    pipeline.survives(rows, steps=[Step.AFTER_RECORD, Step.MID_PUBLISH], key="id")
    assert {row["page"] for row in pipeline.visible()} == {"home"}
