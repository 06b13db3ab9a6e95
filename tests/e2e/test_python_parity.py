# SPDX-License-Identifier: Apache-2.0
"""Holds the Python package and the jar together, in a session that has the jar."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

import stoplog
from stoplog import FileSink, FileSource, InvalidOptions, cassandra, jdbc, kafka, write_ahead
from stoplog._jvm.bridge import require_bridge
from stoplog._shared.definitions import option_keys, shared
from stoplog.testing import Step

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("facade", "artifact", "keys"),
    [
        ("stoplog.FileSink", "stoplog", option_keys("core")),
        ("stoplog.FileSource", "stoplog", option_keys("core", "source")),
        ("stoplog.cassandra.CassandraSink", cassandra.FORMAT, option_keys("cassandra")),
        ("stoplog.jdbc.JdbcSink", jdbc.FORMAT, option_keys("jdbc")),
        ("stoplog.kafka.KafkaSink", kafka.FORMAT, option_keys("kafka")),
        ("stoplog.wal.WriteAheadSink", write_ahead.FORMAT, option_keys("wal")),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("stoplog.") else "",
)
def test_python_and_the_jar_have_the_same_options(facade: str, artifact: str, keys: frozenset[str]) -> None:
    assert require_bridge("this test", "").option_keys(facade, artifact) == keys


def test_python_and_the_jar_have_the_same_steps(spark: SparkSession) -> None:
    jars = spark.sparkContext._jvm.stoplog.fault.Step.all()
    named = [jars.apply(number) for number in range(jars.length())]
    of_jar = {(step.name(), step.after()) for step in named}
    of_connectors = {pair for jar in ("jdbc", "wal") for pair in shared(jar)["steps"].items()}
    assert of_jar | of_connectors == {(step.value, step.after) for step in Step}


def test_the_jar_contains_the_definitions_of_python() -> None:
    own = Path(stoplog.__file__).parent / "shared" / "core.json"
    with ZipFile(stoplog.jar()) as jar:
        assert jar.read("stoplog/shared/core.json") == own.read_bytes()


@pytest.mark.usefixtures("spark")
def test_the_jar_rejects_all_invalid_options_at_once() -> None:
    builder = (
        FileSink.for_row_format("/data/out", "json")
        .with_option("maxPartSize", "many")
        .with_option("sinkIdd", "clicks")
    )
    with pytest.raises(InvalidOptions, match=r"(?s)maxPartSize.*sinkIdd|sinkIdd.*maxPartSize") as error:
        builder.build()
    assert error.value.condition == "STOPLOG_INVALID_OPTIONS"
    assert "JVM stacktrace" not in str(error.value)


@pytest.mark.usefixtures("spark")
def test_the_jar_rejects_invalid_options_of_a_source() -> None:
    builder = (
        FileSource.for_record_stream_format("json", "/data/in")
        .with_max_bytes_per_trigger("many")
        .with_option("maxFilePerTrigger", 3)
    )
    with pytest.raises(InvalidOptions, match=r"(?s)did you mean maxFilesPerTrigger.*") as error:
        builder.build()
    assert "maxBytesPerTrigger" in str(error.value)
