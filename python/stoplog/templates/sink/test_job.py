# SPDX-License-Identifier: Apache-2.0
"""The job is killed while its sink prepares and commits. Each order is visible once."""

from __future__ import annotations

import job

from stoplog.testing import Step


def orders(number):
    return [{"id": number * 100 + row, "item": "tea", "amount": 4.5} for row in range(100)]


def test_no_order_is_lost_or_repeated_after_crashes(stoplog_pipeline):
    pipeline = stoplog_pipeline(job.build)
    pipeline.survives(orders, steps=[Step.AFTER_RECORD, Step.PART_PUBLISHED])
