# SPDX-License-Identifier: Apache-2.0
"""The work and the sink of the job survive crashes. Files stand in for Kafka, so that no broker is needed."""

from __future__ import annotations

import job

from stoplog.testing import Step


def build(spark, source, output):
    records = spark.readStream.option("maxFilesPerTrigger", 1).text(source)
    return job.sink(output).write_stream(job.shaped(records))


def events(number):
    hour = f"2026-01-31T1{number}:00:00Z"
    return [
        "no json",
        *(f'{{"id": {number * 100 + row}, "at": "{hour}", "page": "home"}}' for row in range(100)),
    ]


def test_no_event_is_lost_or_repeated_after_a_crash(stoplog_pipeline):
    pipeline = stoplog_pipeline(build)
    pipeline.feed(events(0))
    pipeline.kill_at(Step.MID_PUBLISH)
    pipeline.feed(events(1))
    pipeline.run()
    assert sorted(row["id"] for row in pipeline.visible()) == list(range(200))
    assert {file.parent.name for file in pipeline.files()} == {"hour=10", "hour=11"}
