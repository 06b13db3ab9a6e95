# SPDX-License-Identifier: Apache-2.0
"""Tests of a user's own pipeline, which is killed where it hurts and started again.

A pytest plugin that is there as soon as the package is installed:

    from stoplog.testing import Step

    def build(spark, source, sink):
        rows = spark.readStream.text(source)
        return rows.writeStream.format("stoplog").option("format", "text").option("path", sink)

    def test_a_crash_loses_nothing(stoplog_pipeline):
        pipeline = stoplog_pipeline(build)
        pipeline.feed(["a", "b"])
        pipeline.kill_at(Step.AFTER_RECORD)
        pipeline.run()
        pipeline.assert_each_once()
"""

from __future__ import annotations

from stoplog.testing.factory import PipelineFactory
from stoplog.testing.pipeline import NotReached, Pipeline, PipelineFailed
from stoplog.testing.rows import Reader, Row
from stoplog.testing.steps import Step

__all__ = ["NotReached", "Pipeline", "PipelineFactory", "PipelineFailed", "Reader", "Row", "Step"]
