# SPDX-License-Identifier: Apache-2.0
"""Bad bytes stop nothing, and each good row is written once, also after crashes."""

from __future__ import annotations

import job

from stoplog.testing import Step


def lines(number):
    good = ['{"id": %d, "page": "home"}' % (number * 100 + row) for row in range(50)]  # noqa: UP031
    return [*good, "{ this is not json"]


def test_good_rows_are_written_once_after_a_crash(stoplog_pipeline, tmp_path):
    arguments = {"quarantine": str(tmp_path / "quarantine"), "archive": str(tmp_path / "archive")}
    pipeline = stoplog_pipeline(job.build, arguments=arguments)
    pipeline.feed(lines(0))
    pipeline.kill_at(Step.MID_PUBLISH)
    pipeline.feed(lines(1))
    pipeline.run()
    good = [{"id": number * 100 + row, "page": "home"} for number in range(2) for row in range(50)]
    pipeline.assert_each_once(expected=good, key="id")
    notes = [line for file in (tmp_path / "quarantine").rglob("*") if file.is_file() for line in file.open()]
    assert len(notes) == 2
