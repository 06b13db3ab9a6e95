# SPDX-License-Identifier: Apache-2.0
"""Builders for Cassandra, and the writers and readers that they set."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, cast

import pytest
from fakes import FakeFrame

from stoplog.cassandra import KEYS, CassandraSink, CassandraSource
from stoplog.errors import InvalidOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

TABLE = {"contactPoints": "a,b", "keyspace": "shop", "table": "orders"}


def test_every_method_sets_options_that_there_are() -> None:
    sink = (
        CassandraSink.for_table(["a", "b"], "shop", "orders")
        .with_credentials("me", "hidden")
        .with_local_datacenter("dc1")
        .with_consistency("QUORUM")
        .with_retry_timeout(timedelta(minutes=5))
        .with_column_mapping({"orderId": "order_id", "at": "created"})
        .with_write_timestamp("epoch", epoch_table="ops.epochs")
        .with_ttl("30d")
        .with_nulls("delete")
        .with_max_in_flight(64)
        .with_max_batch_rows(1)
        .with_distribution("byPartitionKey")
        .with_option("maxBatchSize", "8k")
        .build()
    )
    assert sink.options() == TABLE | {
        "username": "me",
        "password": "hidden",
        "localDatacenter": "dc1",
        "consistency": "QUORUM",
        "retryTimeout": "300000ms",
        "columnMapping": "orderId=order_id,at=created",
        "writeTimestamp": "epoch",
        "epochTable": "ops.epochs",
        "ttl": "30d",
        "nulls": "delete",
        "maxInFlight": "64",
        "maxBatchRows": "1",
        "distribution": "byPartitionKey",
        "maxBatchSize": "8k",
    }
    source = (
        CassandraSource.for_table("a,b", "shop", "orders").with_max_split_memory_size("1g").with_page_rows(9)
    )
    assert source.build().options() == TABLE | {"maxSplitMemorySize": "1g", "pageRows": "9"}
    assert {*sink.options(), *source.build().options()} <= KEYS


def test_what_belongs_together_is_replaced_together() -> None:
    table = CassandraSink.for_table("a,b", "shop", "orders")
    by_column = table.with_write_timestamp("epoch", "e").with_write_timestamp_column("at").build()
    assert by_column.options() == TABLE | {"writeTimestamp": "column", "writeTimestampColumn": "at"}
    assert table.with_ttl("1h").with_ttl_column("keep").build().options() == TABLE | {"ttlColumn": "keep"}


def test_the_password_is_not_shown() -> None:
    builder = CassandraSink.for_table("a", "shop", "orders").with_credentials("me", "hidden")
    assert "hidden" not in repr(builder)
    assert "hidden" not in repr(builder.build())


def test_contradictions_are_told() -> None:
    builder = CassandraSink.for_table("a", "shop", "orders").with_ttl("1h").with_option("TTL", "2h")
    with pytest.raises(InvalidOptions, match="ttl is '1h' and '2h'"):
        builder.build()


def test_a_stream_writer_has_all_options() -> None:
    frame = FakeFrame()
    sink = CassandraSink.for_table("a,b", "shop", "orders").build()
    sink.write_stream(cast("DataFrame", frame), "/checkpoint")
    assert ("format", "stoplog-cassandra") in frame.writeStream.calls
    assert ("option", "checkpointLocation", "/checkpoint") in frame.writeStream.calls
