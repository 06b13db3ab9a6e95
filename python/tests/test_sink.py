# SPDX-License-Identifier: Apache-2.0
"""What sinks and sources ask of Spark."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes import FakeFrame, FakeSession

import stoplog
from stoplog.cassandra import CassandraSink, CassandraSource
from stoplog.jdbc import JdbcSink

SINK = stoplog.FileSink.for_row_format("/data/out", "json").with_sink_id("a").build()
KAFKA = stoplog.KafkaSource.builder("b:9092").with_topics("orders").build()
OPTIONS = {"path": "/data/out", "format": "json", "sinkId": "a"}


SINKS = [
    ("stoplog", SINK),
    ("stoplog-jdbc", JdbcSink.for_table("jdbc:derby:d", "t").build()),
    ("stoplog-kafka", stoplog.KafkaSink.to("b:9092").build()),
    ("stoplog-cassandra", CassandraSink.for_table("a", "shop", "orders").build()),
    ("stoplog-wal", stoplog.WriteAheadSink.to_http("https://example.com").build()),
]
SOURCES: list[tuple[str, Any, tuple[Any, ...]]] = [
    ("stoplog", stoplog.FileSource.for_record_stream_format("text", "/in").build(), ()),
    ("kafka", KAFKA, (("selectExpr", *KAFKA.columns),)),
]
sinks = pytest.mark.parametrize(("name", "sink"), SINKS, ids=[name for name, _ in SINKS])
sources = pytest.mark.parametrize(("name", "source", "more"), SOURCES, ids=[name for name, *_ in SOURCES])


@sinks
def test_write_stream_presets_sparks_writer_and_starts_nothing(name: str, sink: Any) -> None:
    frame: Any = FakeFrame()
    assert sink.write_stream(frame) is frame.writeStream
    preset = [("format", name), ("options", sink.options()), ("outputMode", "append")]
    assert frame.writeStream.calls == preset
    sink.write_stream(frame, checkpoint_location=Path("/data/checkpoint"))
    assert frame.writeStream.calls[3:] == [*preset, ("option", "checkpointLocation", "/data/checkpoint")]


@sinks
def test_write_appends_a_batch(name: str, sink: Any) -> None:
    frame: Any = FakeFrame()
    sink.write(frame)
    assert frame.write.calls == [
        ("format", name),
        ("options", sink.options()),
        ("mode", "append"),
        ("save",),
    ]


@pytest.mark.parametrize("sink", [sink for _, sink in SINKS[:2]], ids=[name for name, _ in SINKS[:2]])
def test_a_batch_may_overwrite_the_directory(sink: Any) -> None:
    frame: Any = FakeFrame()
    sink.write(frame, mode="overwrite")
    assert frame.write.calls[2] == ("mode", "overwrite")


@sources
def test_a_source_sets_sparks_readers(name: str, source: Any, more: tuple[Any, ...]) -> None:
    session: Any = FakeSession()
    source.read(session)
    source.read_stream(session)
    calls = [("format", name), ("options", source.options()), ("load",), *more]
    assert session.read.calls == calls
    assert session.readStream.calls == calls


def test_a_source_accepts_a_schema() -> None:
    session: Any = FakeSession()
    SOURCES[0][1].read(session, "id INT")
    SOURCES[0][1].read_stream(session, "at DATE")
    assert session.read.calls[2] == ("schema", "id INT")
    assert session.readStream.calls[2] == ("schema", "at DATE")


def test_a_table_of_cassandra_is_read_as_a_batch() -> None:
    session: Any = FakeSession()
    source = CassandraSource.for_table("a", "shop", "orders").build()
    source.read(session)
    assert session.read.calls == [("format", "stoplog-cassandra"), ("options", source.options()), ("load",)]


def test_changing_the_returned_options_does_not_change_the_sink() -> None:
    SINK.options()["sinkId"] = "b"
    assert SINK.options() == OPTIONS


@pytest.mark.parametrize(
    ("view", "name"),
    [
        (stoplog.parts, "parts"),
        (stoplog.epochs, "epochs"),
        (stoplog.open_parts, "open"),
        (stoplog.incomplete_buckets, "buckets"),
    ],
)
def test_views_read_the_directory_by_the_connector(view: Any, name: str) -> None:
    session = FakeSession()
    view(session, Path("/data/out"), sink_id="a")
    assert session.read.calls == [
        ("format", "stoplog"),
        ("options", {"view": name, "sinkId": "a"}),
        ("load", "/data/out"),
    ]
