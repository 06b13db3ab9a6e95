# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from fakes import FakeFrame

from stoplog import InvalidOptions
from stoplog.jdbc import KEYS, JdbcSink


def test_a_builder_is_immutable_and_the_last_call_counts() -> None:
    base = JdbcSink.for_table("jdbc:postgresql://db/shop", "orders")
    upsert = base.with_upsert("a", "b,c").with_batch_size(10).with_batch_size(20)
    assert upsert.build().options() == {
        "url": "jdbc:postgresql://db/shop",
        "dbtable": "orders",
        "writeMode": "upsert",
        "keyColumns": "a,`b,c`",
        "batchsize": "20",
    }
    assert "keyColumns" not in upsert.with_transactions().build().options()
    assert base.build().options() == {"url": "jdbc:postgresql://db/shop", "dbtable": "orders"}


def test_every_method_sets_options_that_the_jar_knows() -> None:
    sink = (
        JdbcSink.for_table("jdbc:derby:d", "t")
        .with_credentials("u", "p")
        .with_upsert("id")
        .with_batch_size(5)
        .with_max_writers(2)
        .with_retries(9, "1s")
        .with_reject_table("bad")
        .with_sink_id("s")
        .with_on_foreign_query("adopt")
        .build()
    )
    assert set(sink.options()) <= KEYS
    assert sink.options()["maxTries"] == "9"
    assert "'p'" not in repr(sink)


def test_two_values_of_one_option_are_refused() -> None:
    builder = JdbcSink.for_table("jdbc:derby:d", "t").with_option("URL", "jdbc:derby:e")
    with pytest.raises(InvalidOptions, match="url is 'jdbc:derby:d' and 'jdbc:derby:e'"):
        builder.build()


def test_a_stream_writer_has_all_of_the_sink() -> None:
    frame = FakeFrame()
    sink = JdbcSink.for_table("jdbc:derby:d", "t").build()
    sink.write_stream(frame, "/checkpoint")  # type: ignore[arg-type]
    calls = frame.writeStream.calls
    assert ("format", "stoplog-jdbc") in calls
    assert ("option", "checkpointLocation", "/checkpoint") in calls
