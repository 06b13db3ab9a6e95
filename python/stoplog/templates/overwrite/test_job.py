# SPDX-License-Identifier: Apache-2.0
"""The job dies while it replaces a day. The day is replaced as a whole, or not at all."""

from __future__ import annotations

import job

from stoplog.testing import Step

DAY = "2026-01-31"


def build(spark, source, output):
    """Runs the job for each file that arrives, as a scheduler does each night."""
    sales = spark.readStream.schema(job.SCHEMA).option("maxFilesPerTrigger", 1).json(source)
    return sales.writeStream.foreachBatch(lambda rows, _: job.replace(job.shaped(rows), output, DAY))


def sales(amount):
    return [{"day": DAY, "shop": shop, "amount": amount} for shop in ("north", "south") for _ in range(2)]


def amounts(pipeline):
    return [float(row["amount"]) for row in pipeline.visible()]


def test_a_crash_leaves_the_old_rows_or_the_new_rows(stoplog_pipeline):
    pipeline = stoplog_pipeline(build)
    pipeline.feed(sales(1))
    pipeline.run()
    assert amounts(pipeline) == [2, 2]
    pipeline.feed(sales(5))
    pipeline.kill_at(Step.BEFORE_RECORD)
    assert amounts(pipeline) == [2, 2]
    pipeline.run()
    assert amounts(pipeline) == [10, 10]
