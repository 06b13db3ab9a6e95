# SPDX-License-Identifier: Apache-2.0
"""Flink's `BucketingSink` by its own names, in a session that has the jar."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

import stoplog
from stoplog.bucketing import (
    AvroKeyValueSinkWriter,
    BasePathBucketer,
    BucketingSink,
    DateTimeBucketer,
    SequenceFileWriter,
)
from support.finished import files, lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from support.place import Place

PAIRS = '["null", {"type": "record", "name": "V", "fields": [{"name": "a", "type": "int"}]}]'
SPACED = '{"type": "record", "name": "V", "namespace": "n", "fields": [{"name": "a", "type": "int"}]}'
HOUR = r"\d{4}-\d{2}-\d{2}--\d{2}"


def test_a_run_publishes_parts_left_open_by_the_run_before(spark: SparkSession, place: Place) -> None:
    def run() -> None:
        rows = spark.readStream.text(str(place.input))
        file_sink = BucketingSink(place.out).set_inactive_bucket_threshold("1d")
        file_sink.set_option("finalizeOnTermination", "never")
        query = file_sink.write_stream(rows, place.checkpoint).trigger(availableNow=True).start()
        query.awaitTermination()
        assert stoplog.await_finished(query, timeout=300).in_time

    place.feed(files=1)
    run()
    assert files(place.out) == []
    in_progress = [path for path in place.out.glob("*--*/*") if path.is_file()]
    assert in_progress
    assert all(
        re.fullmatch(HOUR, path.parent.name)
        and re.fullmatch(r"_part-[0-9a-f]{12}-\d+\.in-progress\.main-.+", path.name)
        for path in in_progress
    )
    first = list(place.rows)
    place.feed(files=1)
    run()
    assert sorted(lines(place.out)) == first
    assert all(re.fullmatch(r"part-[0-9a-f]{12}-\d+", path.name) for path in files(place.out))


@pytest.mark.parametrize(
    ("python", "scala"),
    [
        (lambda sink: sink, lambda sink, _: sink),
        (
            lambda sink: sink.set_bucketer(DateTimeBucketer("yyyy-MM-dd--HHmm")),
            lambda sink, own: sink.setBucketer(own.DateTimeBucketer.apply("yyyy-MM-dd--HHmm")),
        ),
        (
            lambda sink: sink.set_bucketer(BasePathBucketer()).set_writer(
                SequenceFileWriter("gzip", "block")
            ),
            lambda sink, own: sink.setBucketer(
                getattr(getattr(own, "BasePathBucketer$"), "MODULE$")
            ).setWriter(own.SequenceFileWriter("gzip", "block")),
        ),
        (
            lambda sink: sink.set_writer(AvroKeyValueSinkWriter('"long"', PAIRS)),
            lambda sink, own: sink.setWriter(own.AvroKeyValueSinkWriter('"long"', PAIRS, "none")),
        ),
        (
            lambda sink: sink.set_writer(AvroKeyValueSinkWriter(SPACED, SPACED)),
            lambda sink, own: sink.setWriter(own.AvroKeyValueSinkWriter(SPACED, SPACED, "none")),
        ),
    ],
    ids=["defaults", "times", "sequence files", "pairs", "pairs of one record"],
)
def test_python_and_scala_build_the_same_sink(
    spark: SparkSession,
    python: Callable[[BucketingSink], BucketingSink],
    scala: Callable[[Any, Any], Any],
) -> None:
    jvm = spark._jvm.stoplog
    theirs = dict(scala(jvm.BucketingSink("/base/path"), jvm.bucketing).build().options())
    ours = python(BucketingSink("/base/path")).build().options()
    assert _read(ours) == _read(theirs)


def _read(options: dict[str, str]) -> dict[str, Any]:
    """With the schema as it is, however it is spelled."""
    return {key: json.loads(value) if key == "avroSchema" else value for key, value in options.items()}
