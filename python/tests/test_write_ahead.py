# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from fakes import FakeFrame

from stoplog import WriteAheadSink
from stoplog.write_ahead import KEYS


def test_a_database_holds_rows_and_notes() -> None:
    sink = WriteAheadSink.to_jdbc("jdbc:derby:d", "t").with_jdbc_option("batchsize", 7).build()
    assert sink.options() == {
        "sender": "jdbc",
        "jdbc.url": "jdbc:derby:d",
        "jdbc.dbtable": "t",
        "committer": "jdbc",
        "jdbc.batchsize": "7",
    }


def test_the_last_committer_counts() -> None:
    base = WriteAheadSink.to_cassandra("10.0.0.1", "shop", "orders")
    assert base.build().options()["committer"] == "cassandra"
    files = base.with_committer("files").with_cassandra_option("ttl", "30d").build().options()
    assert (files["committer"], files["cassandra.ttl"]) == ("files", "30d")


def test_every_other_method_sets_options_that_the_jar_knows() -> None:
    sink = (
        WriteAheadSink.to_http("https://example.com/rows")
        .with_batch_rows(5)
        .with_committer("files")
        .with_sink_id("s")
        .with_log_location("/log")
        .build()
    )
    assert set(sink.options()) <= KEYS


def test_passwords_are_not_shown() -> None:
    builder = (
        WriteAheadSink.to_cassandra("h", "k", "t")
        .with_jdbc_option("password", "p1")
        .with_cassandra_option("password", "p2")
    )
    for text in (repr(builder), repr(builder.build())):
        assert "p1" not in text
        assert "p2" not in text


def test_a_stream_writer_has_all_of_the_sink() -> None:
    frame = FakeFrame()
    WriteAheadSink.to_jdbc("jdbc:derby:d", "t").build().write_stream(frame, "/checkpoint")  # type: ignore[arg-type]
    calls = frame.writeStream.calls
    assert ("format", "stoplog-wal") in calls
    assert ("option", "checkpointLocation", "/checkpoint") in calls
