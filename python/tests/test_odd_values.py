# SPDX-License-Identifier: Apache-2.0
"""Values of a wrong type or without content: each is refused in the line that gives it, by its name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from enum import Enum, IntEnum
from typing import Any, cast

import pytest
from fakes import FakeFrame

import stoplog
from stoplog import (
    BucketAssigner,
    BulkFormat,
    CassandraSink,
    DefaultRollingPolicy,
    Encoder,
    FileCompactStrategy,
    FileSink,
    FileSource,
    JdbcSink,
    KafkaSink,
    KafkaSource,
    Retry,
    RetryAfter,
    RollingPolicy,
    StreamFormat,
    TwoPhaseSink,
    WriteAheadSink,
    administer,
    inspect,
)
from stoplog.bucketing import AvroKeyValueSinkWriter, BucketingSink, DateTimeBucketer
from stoplog.kafka import Decoder, StartPosition

Make = Callable[[], object]


def loose(thing: object) -> Any:
    """The same without types: a program that no checker has seen."""
    return cast("Any", thing)


class Shop(TwoPhaseSink):
    def writer(self, task: object) -> Any: ...

    def committer(self) -> Any: ...


SINK = loose(FileSink.for_row_format("/out", "json"))
SOURCE = loose(FileSource.for_record_stream_format("text", "/in"))
JDBC = loose(JdbcSink.for_table("jdbc:derby:d", "t"))
CASSANDRA = loose(CassandraSink.for_table("a", "k", "t"))
KAFKA = loose(KafkaSink.to("b:9092"))
SHOP = loose(Shop())
RECORDS = loose(KafkaSource.builder("b:9092"))
WAL = loose(WriteAheadSink.to_http("https://example.com"))


def rejection_of(make: Make, kind: type[Exception]) -> str:
    with pytest.raises(kind) as error:
        make()
    assert type(error.value) is kind
    return str(error.value)


@pytest.mark.parametrize(
    ("make", "option"),
    [
        (lambda: loose(JdbcSink.for_table)(None, "t"), "url"),
        (lambda: loose(JdbcSink.for_table)("jdbc:derby:d", 3), "dbtable"),
        (lambda: loose(CassandraSink.for_table)("a", None, "t"), "keyspace"),
        (lambda: loose(CassandraSink.with_query)("a", None), "query"),
        (lambda: loose(WriteAheadSink.to_http)(None), "url"),
        (lambda: loose(WriteAheadSink.to_sender)(None), "sender"),
        (lambda: loose(WriteAheadSink.to_jdbc)("u", None), "jdbc.dbtable"),
        (lambda: WAL.with_header("X", None), "httpHeader.X"),
        (lambda: loose(BucketAssigner.custom)(None), "bucketAssigner"),
        (lambda: loose(RollingPolicy.custom)(None), "rollingPolicy"),
        (lambda: loose(Encoder.custom)(str), "format"),
        (lambda: loose(BulkFormat.custom)(None), "format"),
        (lambda: loose(StreamFormat.custom)(None), "format"),
        (lambda: loose(BulkFormat.parquet)(metadata={"owner": None}), "metadata.owner"),
        (lambda: loose(StartPosition.group)(None), "group_id"),
        (lambda: loose(Decoder.json)(None), "schema"),
        (lambda: loose(Decoder.avro)({"type": "long"}), "schema"),
        (lambda: loose(Decoder.sql)(None), "expression"),
        (lambda: RECORDS.with_topic_pattern(None), "regex"),
        (lambda: loose(Encoder.simple_string_encoder)(None), "charset_name"),
        (lambda: BucketingSink("/o").set_in_progress_prefix(loose(None)), "inProgressPrefix"),
        (lambda: BucketingSink("/o").set_bucketer(DateTimeBucketer(loose(None))).build(), "bucketFormat"),
        (lambda: SINK.with_option(None, 1), "the name of an option"),
        (lambda: SOURCE.with_option(3, 1), "the name of an option"),
        (lambda: KAFKA.with_option(None, 1), "the name of an option"),
        (lambda: RECORDS.with_option(None, 1), "the name of an option"),
        (lambda: BucketingSink("/o").set_option(loose(None), 1), "the name of an option"),
        (lambda: WAL.with_header(None, "a"), "the name of an option"),
        (lambda: loose(BulkFormat.parquet)({1: 2}), "the name of an option"),
        (lambda: loose(CassandraSink.for_table)(None, "k", "t"), "the name of a node"),
        (lambda: loose(CassandraSink.for_table)([1], "k", "t"), "the name of a node"),
        (lambda: loose(KafkaSink.to)(None), "the name of a broker"),
        (lambda: loose(KafkaSource.builder)([1]), "the name of a broker"),
        (lambda: RECORDS.with_topics(None), "the name of a topic"),
        (lambda: JDBC.with_upsert(None), "the name of a column"),
        (lambda: SINK.with_partition_by(b"day"), "the name of a column"),
        (lambda: CASSANDRA.with_column_mapping({"a": None}), "a column"),
        (lambda: loose(FileSink.for_row_format)(None, "json"), "a path"),
        (lambda: loose(FileSource.for_record_stream_format)("text", ["/a", "/b"]), "a path"),
        (lambda: KAFKA.with_log_location(3), "a path"),
        (lambda: SINK.build().write_stream(FakeFrame(), b"/checkpoint"), "a path"),
        (lambda: SHOP.write_stream(FakeFrame(), b"/checkpoint"), "a path"),
        (lambda: WAL.with_log_location(b"/log"), "a path"),
        (lambda: SOURCE.with_quarantine(None), "a path"),
        (lambda: SOURCE.with_read_quarantined(None), "a path"),
        (lambda: inspect(loose(b"/out")), "a path"),
        (lambda: administer(loose(None)), "a path"),
        (lambda: stoplog.compact(loose(None), loose(b"/out")), "a path"),
    ],
)
def test_a_string_argument_is_requested_by_name(make: Make, option: str) -> None:
    said = rejection_of(make, TypeError)
    assert said.startswith(f"{option} must be a string, and "), said
    assert "is of type " in said


@pytest.mark.parametrize(
    ("make", "argument"),
    [
        (lambda: loose(BucketAssigner.custom)("a.B", ["x"]), "parameters"),
        (lambda: SOURCE.with_file_enumerator("a.B", "x"), "parameters"),
        (lambda: loose(BulkFormat.parquet)("x"), "options"),
        (lambda: loose(BulkFormat.orc)(metadata=["x"]), "metadata"),
        (lambda: CASSANDRA.with_column_mapping(["a"]), "columns"),
        (lambda: RECORDS.with_partitions(["a"]), "partitions"),
        (lambda: loose(StartPosition.offsets)(["a"]), "offsets"),
        (lambda: loose(StartPosition.offsets)(None), "offsets"),
        (lambda: CASSANDRA.with_column_mapping(None), "columns"),
        (lambda: loose(StartPosition.offsets)({"orders": [0]}), "orders"),
        (lambda: loose(Decoder.json)("id BIGINT", "FAILFAST"), "options"),
    ],
)
def test_a_mapping_argument_is_requested_by_name(make: Make, argument: str) -> None:
    assert rejection_of(make, TypeError).startswith(
        f"{argument} must be a mapping, such as a dict, and is of type "
    )


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: JDBC.with_upsert(), "with_upsert needs the name of at least one column"),
        (lambda: JDBC.with_upsert([]), "with_upsert needs the name of at least one column"),
        (
            lambda: SOURCE.with_partition_columns(),
            "with_partition_columns needs the name of at least one column",
        ),
        (lambda: RECORDS.with_topics(), "with_topics needs the name of at least one topic"),
        (lambda: KafkaSink.to([]), "to needs the name of at least one broker"),
        (lambda: CassandraSink.for_table([], "k", "t"), "for_table needs the name of at least one node"),
        (lambda: SINK.with_partition_by(""), "the name of a column must not be empty"),
        (lambda: RECORDS.with_topics("a", ""), "the name of a topic must not be empty"),
        (lambda: SINK.with_option("", "x"), "the name of an option must not be empty"),
        (lambda: FileSink.for_row_format("", "json"), "a path must not be empty"),
        (lambda: inspect(""), "a path must not be empty"),
        (lambda: SINK.build().write_stream(FakeFrame(), ""), "a path must not be empty"),
        (lambda: SHOP.write_stream(FakeFrame(), ""), "a path must not be empty"),
    ],
)
def test_an_empty_name_is_rejected(make: Make, sentence: str) -> None:
    assert rejection_of(make, ValueError) == sentence


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: loose(FileSink.for_row_format)("/out", Encoder),
            "for_row_format needs an Encoder or a string, and got the class Encoder: "
            "create one with a method of Encoder",
        ),
        (
            lambda: loose(FileSink.for_row_format)("/out", Encoder.json),
            "for_row_format needs an Encoder or a string, and got the function json: call it, as json(…)",
        ),
        (
            lambda: loose(FileSink.for_row_format)("/out", ["json"]),
            "for_row_format needs an Encoder or a string, not ['json']: create one with a method of Encoder",
        ),
        (
            lambda: loose(FileSink.for_bulk_format)("/out", None),
            "for_bulk_format needs a BulkFormat or a string, not None: "
            "create one with a method of BulkFormat",
        ),
        (
            lambda: loose(FileSource.for_record_stream_format)(BulkFormat.parquet(), "/in"),
            "for_record_stream_format needs a StreamFormat or a string, not BulkFormat(format='parquet'): "
            "create one with a method of StreamFormat",
        ),
        (
            lambda: SINK.with_bucket_assigner(BucketAssigner),
            "with_bucket_assigner needs a BucketAssigner, and got the class BucketAssigner: "
            "create one with a method of BucketAssigner, or use with_bucket_by for a SQL expression",
        ),
        (
            lambda: RECORDS.with_value(int),
            "with_value needs a Decoder, and got the class int: "
            "create one with a method of Decoder, such as Decoder.string()",
        ),
        (
            lambda: RECORDS.with_value(Decoder.string),
            "with_value needs a Decoder, and got the function string: call it, as string(…)",
        ),
        (
            lambda: loose(StartPosition.timestamp)(date(2026, 1, 1)),
            "time must be a datetime or an int of milliseconds, not datetime.date(2026, 1, 1)",
        ),
        (
            lambda: loose(StartPosition.timestamp)(True),
            "time must be a datetime or an int of milliseconds, not True",
        ),
        (
            lambda: FileCompactStrategy(checkpoints=loose("5")),
            "checkpoints must be an int, not '5'",
        ),
        (
            lambda: RetryAfter(loose("120")),
            "seconds must be a number, not '120': write float(…) for the text of a header",
        ),
        (
            lambda: Retry(retry_on=loose([ValueError])),
            "retry_on must be exception classes or a function of an exception, not [<class 'ValueError'>]",
        ),
        (lambda: RECORDS.with_partitions({"orders": "0"}), "partition must be an int, not '0'"),
        (
            lambda: loose(StartPosition.offsets)({"orders": {"0": 1}}),
            "partition must be an int, not '0'",
        ),
        (lambda: loose(StartPosition.offsets)({"orders": {0: "1"}}), "offset must be an int, not '1'"),
        (lambda: Retry(max_attempts=loose("3")), "max_attempts must be an int, not '3'"),
        (
            lambda: stoplog.configure(loose("a session")),
            "configure needs SparkSession.builder before getOrCreate(), and got a str",
        ),
        (
            lambda: stoplog.follow(loose("a writer")),
            "a streaming query is needed, and got a str: pass the result of start()",
        ),
        (
            lambda: AvroKeyValueSinkWriter(loose({"type": "long"}), '"string"'),
            "key_schema must be a string, and is of type dict",
        ),
    ],
)
def test_a_wrong_type_is_rejected_with_a_suggestion(make: Make, sentence: str) -> None:
    assert rejection_of(make, TypeError) == sentence


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: AvroKeyValueSinkWriter("long", '"string"'),
            "key_schema is not an Avro schema in JSON: Expecting value: line 1 column 1 (char 0)",
        ),
        (
            lambda: AvroKeyValueSinkWriter('"long"', '{"type":"record","fields":[]}'),
            "value_schema is not an Avro schema in JSON: a record has no name",
        ),
        (
            lambda: CASSANDRA.with_column_mapping({"a,b": "c"}),
            "the name of a mapped column must not contain a comma or an equals sign: 'a,b'",
        ),
        (lambda: FileCompactStrategy(checkpoints=0), "checkpoints=0 must be more than 0"),
        (lambda: FileCompactStrategy(size_threshold=-1), "size_threshold=-1 must be more than 0"),
    ],
)
def test_a_wrong_value_is_rejected_with_the_name_of_the_argument(make: Make, sentence: str) -> None:
    with pytest.raises(ValueError, match=r"must|JSON") as error:
        make()
    assert str(error.value) == sentence


class Word(str, Enum):
    JSON = "json"


class Place(str, Enum):
    CHECKPOINT = "/data/checkpoint"


class Number(IntEnum):
    ROWS = 5000


def test_a_member_of_an_enum_counts_as_the_value() -> None:
    sink = FileSink.for_row_format("/out", Word.JSON).with_option("x", Word.JSON).with_sink_id(Word.JSON)
    assert sink.build().options() == {"path": "/out", "format": "json", "x": "json", "sinkId": "json"}
    assert all(type(value) is str for value in sink.build().options().values())
    assert repr(sink.build()) == "FileSink(path='/out', format='json', x='json', sinkId='json')"
    assert DefaultRollingPolicy(max_records=Number.ROWS).options()["maxRecordsPerPart"] == "5000"
    assert SINK.with_option("rows", Number.ROWS).build().options()["rows"] == "5000"


@pytest.mark.parametrize("sink", [SINK.build(), SHOP])
def test_the_checkpoint_of_a_query_may_be_a_member_of_an_enum(sink: Any) -> None:
    frame = FakeFrame()
    sink.write_stream(frame, Place.CHECKPOINT)
    assert frame.writeStream.calls[-1] == ("option", "checkpointLocation", "/data/checkpoint")


def test_names_may_come_in_a_list() -> None:
    assert JDBC.with_upsert(["day", "id"]).build() == JDBC.with_upsert("day", "id").build()
    assert RECORDS.with_topics(["a", "b"]).build() == RECORDS.with_topics("a", "b").build()
    partitions = RECORDS.with_partitions({"orders": range(2)}).build()
    assert partitions.options()["assign"] == '{"orders": [0, 1]}'
