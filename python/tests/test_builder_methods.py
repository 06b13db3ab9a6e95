# SPDX-License-Identifier: Apache-2.0
"""What each method of a builder sets, and nothing else."""

from __future__ import annotations

import re
from inspect import signature
from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from builder_calls import BUILDERS
from builder_case import Builder, Call, Options
from fakes import Recorder

from stoplog import (
    BulkFormat,
    CassandraSink,
    Encoder,
    FileSink,
    FileSource,
    InvalidOptions,
    RollingPolicy,
    StreamFormat,
    WriteAheadSink,
)
from stoplog.kafka import Decoder, KafkaSourceBuilder

if TYPE_CHECKING:
    from collections.abc import Callable

builders = pytest.mark.parametrize("builder", BUILDERS.values(), ids=BUILDERS.keys())
calls = pytest.mark.parametrize(
    ("builder", "call", "options"),
    [
        pytest.param(builder, call, options, id=f"{name}: {call}")
        for name, builder in BUILDERS.items()
        for call, options in builder.calls
    ],
)


def arguments(start: Any, call: Call) -> dict[str, Any]:
    """Of the call, by their names."""
    return signature(getattr(start, call.method)).bind(*call.arguments, **call.named).arguments


def numbers(start: Any, call: Call) -> list[str]:
    """Which of the arguments are numbers, sizes or spans of time."""
    types = signature(getattr(start, call.method)).parameters
    number = re.compile(r"(int|Size|Duration)( \| None)?|.*\| int")
    return [name for name in arguments(start, call) if number.fullmatch(types[name].annotation)]


@builders
def test_a_new_builder_has_the_base_options_only(builder: Builder) -> None:
    assert builder.start.build().options() == builder.base


@calls
def test_a_method_sets_options_to_the_arguments(builder: Builder, call: Call, options: Options) -> None:
    before = repr(builder.start)
    assert call.on(builder.start).build().options() == builder.options(options)
    assert repr(builder.start) == before, "a builder is not changed by its methods"


@calls
def test_a_repeated_call_changes_nothing(builder: Builder, call: Call, options: Options) -> None:
    assert call.on(call.on(builder.start)) == call.on(builder.start)


@builders
def test_a_call_replaces_the_options_of_earlier_calls_about_the_same_subject(builder: Builder) -> None:
    for (first, _), (second, options) in permutations(builder.calls, 2):
        if subject(first) == subject(second):
            assert second.on(first.on(builder.start)).build().options() == builder.options(options)


@builders
def test_calls_about_different_subjects_add_up(builder: Builder) -> None:
    one_of_each = {subject(call): (call, options) for call, options in builder.calls}.values()
    built = builder.start
    for call, _ in one_of_each:
        built = call.on(built)
    assert built.build().options() == builder.options(*(options for _, options in one_of_each))


@pytest.mark.parametrize(
    ("builder", "call", "name"),
    [
        pytest.param(builder, call, name, id=f"{title}: {call.method} {name}")
        for title, builder in BUILDERS.items()
        for call, _ in builder.calls
        for name in numbers(builder.start, call)
    ],
)
def test_an_argument_of_a_wrong_type_is_named(builder: Builder, call: Call, name: str) -> None:
    wrong = Call(call.method, (), {**arguments(builder.start, call), name: 1.5})
    with pytest.raises(TypeError, match=rf"^{name} must be .* not 1\.5"):
        wrong.on(builder.start)


@builders
def test_every_method_is_in_the_table(builder: Builder) -> None:
    methods = {name for name in dir(builder.start) if re.fullmatch("[a-z][a-z_]*", name)} - {"build"}
    assert {call.method for call, _ in builder.calls} | builder.excluded == methods


@pytest.mark.parametrize("name", [name for name, builder in BUILDERS.items() if builder.keys])
def test_every_option_has_a_method(name: str) -> None:
    builder = BUILDERS[name]
    of_methods = {key for call, options in builder.calls if call.method != "with_option" for key in options}
    prefixes = {key.partition(".")[0] for key in of_methods}  # announce.<name> is the option announce
    assert builder.keys & {*builder.base, *of_methods, *prefixes} == builder.keys - builder.by_name


@pytest.mark.parametrize(
    ("name", "facade", "artifact"),
    [
        ("file sink", "stoplog.FileSink", "stoplog"),
        ("file source", "stoplog.FileSource", "stoplog"),
        ("JDBC sink", "stoplog.jdbc.JdbcSink", "stoplog-jdbc"),
        ("Kafka sink", "stoplog.kafka.KafkaSink", "stoplog-kafka"),
        ("Cassandra sink", "stoplog.cassandra.CassandraSink", "stoplog-cassandra"),
        ("Cassandra source", "stoplog.cassandra.CassandraSource", "stoplog-cassandra"),
        ("write-ahead sink", "stoplog.wal.WriteAheadSink", "stoplog-wal"),
    ],
)
def test_the_jar_checks_the_options(
    name: str, facade: str, artifact: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bridge = Recorder()
    monkeypatch.setattr("stoplog._options.builder.find_bridge", lambda: bridge)
    BUILDERS[name].start.build()
    assert bridge.calls == [("validate", facade, artifact, BUILDERS[name].base)]


@pytest.mark.parametrize(
    ("start", "options"),
    [
        (
            lambda: WriteAheadSink.to_jdbc("jdbc:derby:d", "t"),
            {"sender": "jdbc", "jdbc.url": "jdbc:derby:d", "jdbc.dbtable": "t", "committer": "jdbc"},
        ),
        (
            lambda: WriteAheadSink.to_cassandra(["a", "b"], "shop", "orders"),
            {
                "sender": "cassandra",
                "cassandra.contactPoints": "a,b",
                "cassandra.keyspace": "shop",
                "cassandra.table": "orders",
                "committer": "cassandra",
            },
        ),
        (
            lambda: WriteAheadSink.to_jdbc("u", "t").with_committer("files"),
            {"sender": "jdbc", "jdbc.url": "u", "jdbc.dbtable": "t", "committer": "files"},
        ),
        (
            lambda: WriteAheadSink.to_cassandra("a", "k", "t").with_committer("files"),
            {
                "sender": "cassandra",
                "cassandra.contactPoints": "a",
                "cassandra.keyspace": "k",
                "cassandra.table": "t",
                "committer": "files",
            },
        ),
        (lambda: WriteAheadSink.to_sender("a.Sender"), {"sender": "a.Sender"}),
        (
            lambda: FileSink.for_bulk_format(
                Path("/out"), BulkFormat.orc({"orc.stripe.size": 5}, {"owner": "me"})
            ),
            {"path": "/out", "format": "orc", "orc.stripe.size": "5", "metadata.owner": "me"},
        ),
        (
            lambda: FileSink.for_bulk_format("/out", BulkFormat.custom("a.B")),
            {"path": "/out", "format": "a.B"},
        ),
        (
            lambda: FileSink.for_row_format("/out", Encoder.text("\r\n", "-")),
            {"path": "/out", "format": "text", "lineSep": "\r\n", "nullValue": "-"},
        ),
        (
            lambda: FileSink.for_row_format("/out", Encoder.custom("a.B", {"separator": ";"})),
            {"path": "/out", "format": "a.B", "format.separator": ";"},
        ),
        (
            lambda: FileSink.for_bulk_format("/out", BulkFormat.custom("a.B", {"level": 3})),
            {"path": "/out", "format": "a.B", "format.level": "3"},
        ),
        (
            lambda: FileSource.for_record_stream_format(StreamFormat.custom("a.B", {"Unit": "m"}), "/in"),
            {"path": "/in", "format": "a.B", "format.Unit": "m"},
        ),
        (
            lambda: FileSource.for_record_stream_format("text", "/a", Path('/b "c"')),
            {"paths": r'["/a", "/b \"c\""]', "format": "text"},
        ),
        (
            lambda: FileSource.for_bulk_file_format(BulkFormat.parquet(), "/a", "/b"),
            {"paths": '["/a", "/b"]', "format": "parquet"},
        ),
        (
            lambda: FileSource.for_bulk_file_format(BulkFormat.custom("a.B", {"level": 1}), "/in"),
            {"path": "/in", "format": "a.B", "format.level": "1"},
        ),
        (
            lambda: CassandraSink.with_query(["a", "b"], "INSERT INTO k.t (a) VALUES (?)"),
            {"contactPoints": "a,b", "query": "INSERT INTO k.t (a) VALUES (?)"},
        ),
        (
            lambda: FileSource.for_bulk_file_format("binaryFile", Path("/in")),
            {"path": "/in", "format": "binaryFile"},
        ),
        (
            lambda: FileSource.for_record_stream_format(StreamFormat.text_line_format("UTF-16", "|"), "/in"),
            {"path": "/in", "format": "text", "charset": "UTF-16", "lineSep": "|"},
        ),
        (
            lambda: FileSource.for_record_stream_format(
                StreamFormat.length_delimited("int32le", 5000), "/in"
            ),
            {"path": "/in", "format": "lengthDelimited", "lengthPrefix": "int32le", "maxRecordSize": "5000"},
        ),
    ],
)
def test_other_ways_to_start(start: Callable[[], Any], options: dict[str, str]) -> None:
    assert start().build().options() == options


@pytest.mark.parametrize(
    ("built", "options"),
    [
        (
            BUILDERS["JDBC sink"]
            .start.with_option("keycolumns", "id")
            .with_option("versionColumn", "at")
            .with_transactions(),
            BUILDERS["JDBC sink"].base,
        ),
        (
            BUILDERS["file source"].start.with_option("MonitorInterval", "3s").process_static_file_set(),
            BUILDERS["file source"].base,
        ),
    ],
)
def test_a_method_that_removes_an_option_removes_the_option_of_any_call(
    built: Any, options: dict[str, str]
) -> None:
    assert built.build().options() == options


def test_a_finder_of_files_excludes_the_option_of_a_class_that_finds_files() -> None:
    start = BUILDERS["file source"].start
    for builder in (
        start.with_file_finder(len).with_option("fileEnumerator", "nonSplitting"),
        start.with_option("fileenumerator", "nonSplitting").with_file_finder(len),
    ):
        with pytest.raises(
            InvalidOptions, match="with_file_finder and the option fileEnumerator: remove one"
        ):
            builder.build()


@pytest.mark.parametrize(
    ("start", "error", "said"),
    [
        (lambda: FileSource.for_record_stream_format("text"), ValueError, "no path was named"),
        (lambda: FileSource.for_bulk_file_format(BulkFormat.orc()), ValueError, "no path was named"),
        (
            lambda: FileSource.for_bulk_file_format(BulkFormat.sequence_file(), "/in"),
            ValueError,
            "'sequencefile' is not a format of a source",
        ),
        (
            lambda: FileSource.for_bulk_file_format(StreamFormat.json(), "/in"),  # type: ignore[arg-type]
            TypeError,
            "for_bulk_file_format needs a BulkFormat or a string",
        ),
    ],
)
def test_an_invalid_start_of_a_source_is_rejected_with_the_reason(
    start: Callable[[], Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        start()


@pytest.mark.parametrize(
    "builder",
    [
        *(
            BUILDERS[name].start.with_credentials("me", "hidden")
            for name in ("JDBC sink", "Cassandra source")
        ),
        BUILDERS["file sink"].start.with_option("fs.s3a.secret.key", "hidden"),
        BUILDERS["file sink"].start.with_rolling_policy(RollingPolicy.custom("a.B", {"token": "hidden"})),
        BUILDERS["Kafka sink"].start.with_producer_setting("sasl.jaas.config", "hidden"),
        BUILDERS["Kafka source"].start.with_consumer_setting("sasl.jaas.config", "hidden"),
        BUILDERS["write-ahead sink"].start.with_jdbc_option("password", "hidden"),
        BUILDERS["write-ahead sink"].start.with_header("X-Key", "hidden"),
    ],
    ids=lambda builder: type(builder).__name__,
)
def test_secrets_are_passed_on_and_not_shown(builder: Any) -> None:
    assert "hidden" not in f"{builder!r} {builder.build()!r}"
    assert "hidden" in builder.build().options().values()


@pytest.mark.parametrize(
    ("decoder", "expression"),
    [
        (Decoder.binary(), "key"),
        (Decoder.string(), "CAST(key AS STRING)"),
        (Decoder.json("`it's` INT"), r"from_json(CAST(key AS STRING), '`it\'s` INT')"),
        (Decoder.avro('{"type": {}}'), """from_avro(key, '{"type": {}}')"""),
        (
            Decoder.json("id INT", {"mode": "FAILFAST", "locale": "de"}),
            "from_json(CAST(key AS STRING), 'id INT', map('locale', 'de', 'mode', 'FAILFAST'))",
        ),
        (Decoder.avro('"long"', {"a\\": "b'c"}), r"""from_avro(key, '"long"', map('a\\', 'b\'c'))"""),
        (Decoder.sql("hex({}) || {}"), "hex(key) || key"),
    ],
)
def test_a_decoder_is_an_expression_of_the_column(decoder: Decoder, expression: str) -> None:
    assert decoder.of("key") == expression


def test_a_kafka_source_decodes_keys_and_values() -> None:
    kept = ("topic", "partition", "offset", "timestamp", "timestampType", "headers")
    builder: KafkaSourceBuilder = BUILDERS["Kafka source"].start
    assert builder.build().columns == ("key AS key", "value AS value", *kept)
    decoded = builder.with_key(Decoder.string()).with_value(Decoder.json("id INT")).build()
    assert decoded.columns == (
        "CAST(key AS STRING) AS key",
        "from_json(CAST(value AS STRING), 'id INT') AS value",
        *kept,
    )


def subject(call: Call) -> str:
    """What a call is about: methods that are about the same thing replace one another."""
    if call.method == "with_option":
        return f"with_option {call.arguments[0]}"
    return ALTERNATIVES.get(call.method, call.method)


ALTERNATIVES = {
    "enable_compact": "with_compaction",
    "process_static_file_set": "monitor_continuously",
    "set_file_enumerator": "with_file_enumerator",
    "with_file_finder": "with_file_enumerator",
    "with_transactions": "with_upsert",
    "with_write_timestamp_column": "with_write_timestamp",
    "with_ttl_column": "with_ttl",
}
