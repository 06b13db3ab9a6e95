# SPDX-License-Identifier: Apache-2.0
"""Crash tests of user pipelines, which are killed at chosen steps and restarted.

The installed package is also a pytest plugin:

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

Laws check functions and classes of the user in a moment, without Spark:

    def test_the_encoder():
        check_encoder(Encoder.from_function(fixed_width), rows, decode=read_fixed_width)
"""

from __future__ import annotations

from stoplog.testing.factory import PipelineFactory
from stoplog.testing.functions import check_encoder, check_stream_format
from stoplog.testing.laws import LawBroken
from stoplog.testing.pipeline import NotReached, Pipeline, PipelineFailed
from stoplog.testing.rows import Reader, Row
from stoplog.testing.sinks import (
    check_announcement_target,
    check_checkpoint_committer,
    check_two_phase,
    check_write_ahead,
)
from stoplog.testing.splits import check_split_source
from stoplog.testing.steps import Step

__all__ = [
    "LawBroken",
    "NotReached",
    "Pipeline",
    "PipelineFactory",
    "PipelineFailed",
    "Reader",
    "Row",
    "Step",
    "check_announcement_target",
    "check_checkpoint_committer",
    "check_encoder",
    "check_split_source",
    "check_stream_format",
    "check_two_phase",
    "check_write_ahead",
]
