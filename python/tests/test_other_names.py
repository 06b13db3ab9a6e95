# SPDX-License-Identifier: Apache-2.0
"""Names from Spark, Delta Lake, Flink and Kafka Connect: each error contains the name in this project."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from builder_calls import BUILDERS

import stoplog
from stoplog._shared import definitions
from stoplog._shared.definitions import option_keys
from stoplog.cli.commands import COMMANDS
from stoplog.cli.main import main
from stoplog.jdbc import JdbcSink

SINK = stoplog.FileSink.for_row_format("/out", "json")
SOURCE = stoplog.FileSource.for_record_stream_format("json", "/in")
JDBC = JdbcSink.for_table("jdbc:h2:a", "t")
KAFKA_SOURCE = stoplog.KafkaSource.builder("localhost:9092")
NAMES: dict[str, dict[str, Any]] = definitions.shared("names")

OF_OPTIONS = [
    (SINK, "maxFileSize", "maxPartSize"),
    (SINK, "maxRecordsPerFile", "maxRecordsPerPart"),
    (SINK, "mergeSchema", "onSchemaChange"),
    (SINK, "overwriteSchema", "onSchemaChange"),
    (SINK, "deadLetterPath", "onBadRow"),
    (SINK, "badRecordsPath", "onBadRow"),
    (SINK, "delta.targetFileSize", "maxPartSize"),
    (SINK, "optimizeWrite", "distribution"),
    (SINK, "txnAppId", "sinkId"),
    (SINK, "sink.rolling-policy.file-size", "maxPartSize"),
    (SINK, "sink.rolling-policy.rollover-interval", "rolloverInterval"),
    (SINK, "sink.partition-commit.trigger", "bucketComplete"),
    (SINK, "auto-compaction", "compaction"),
    (SINK, "flush.size", "maxRecordsPerPart"),
    (SINK, "rotate.interval.ms", "eventTimeInterval"),
    (SINK, "ROTATE.SCHEDULE.INTERVAL.MS", "rolloverInterval"),
    (SINK, "errors.tolerance", "onBadRow"),
    (SINK, "compressionCodec", "compression"),
    (SINK, "hdfs.rollSize", "maxPartSize"),
    (SINK, "hdfs.idleTimeout", "inactivityInterval"),
    (SINK, "target-file-size-bytes", "maxPartSize"),
    (SINK, "partitioner.class", "partitionBy or bucketBy"),
    (SINK, "write.spark.fanout.enabled", "maxOpenParts"),
    (SINK, "target_file_size", "maxPartSize"),
    (SINK, "compression_codec", "compression"),
    (SINK, "checkpoint_location", "checkpointLocation"),
    (SINK, "partitionColumns", "partitionBy"),
    (SINK, "fileNamePrefix", "partPrefix"),
    (SINK, "outputMode", "outputMode(…) of the writer"),
    (SINK, "num_shards", "distribution"),
    (SINK, "write.parquet.row-group-size-bytes", "parquet.block.size"),
    (SINK, "rotateInterval", "rolloverInterval"),
    (SINK, "flushInterval", "rolloverInterval"),
    (SINK, "flush.interval", "rolloverInterval"),
    (SINK, "rolling-policy.file-size", "maxPartSize"),
    (SINK, "batchSize", "maxRecordsPerPart"),
    (SINK, "dynamicPartitionOverwrite", "partitionOverwriteMode=dynamic"),
    (SINK, "overwriteMode", "partitionOverwriteMode"),
    (SOURCE, "cloudFiles.schemaLocation", "schema(…)"),
    (SOURCE, "fs.scan.interval.ms", "monitorInterval"),
    (SOURCE, "input_file_pattern", "pathGlobFilter"),
    (JDBC, "pk.fields", "keyColumns"),
    (JDBC, "primary_key", "keyColumns"),
    (JDBC, "table-name", "dbtable"),
    (KAFKA_SOURCE, "starting_offsets", "startingOffsets"),
    (KAFKA_SOURCE, "auto.offset.reset", "startingOffsets"),
    (KAFKA_SOURCE, "isolation.level", "kafka.isolation.level"),
    (SOURCE, "cloudFiles.format", "format"),
    (SOURCE, "cloudFiles.maxFilesPerTrigger", "maxFilesPerTrigger"),
    (SOURCE, "ignoreChanges", "onReplacedPart"),
    (SOURCE, "ignoreCorruptFiles", "quarantinePath"),
    (SOURCE, "modifiedAfter", "dateRange"),
    (SOURCE, "badRecordsPath", "quarantinePath"),
    (SOURCE, "source.monitor-interval", "monitorInterval"),
    (SOURCE, "source.path.regex-pattern", "pathGlobFilter"),
    (SOURCE, "cloudFiles.rescuedDataColumn", "quarantinePath"),
    (SOURCE, "cloudFiles.includeExistingFiles", "dateRange"),
    (SOURCE, "latestFirst", "maxFilesPerTrigger"),
    (SOURCE, "startingVersion", "dateRange"),
]

OF_METHODS = [
    (SINK, "with_max_part_size", "with_rolling_policy(DefaultRollingPolicy(max_part_size=…))"),
    (SINK, "with_rollover_interval", "with_rolling_policy(DefaultRollingPolicy(rollover_interval=…))"),
    (SINK, "with_max_records_per_file", "with_rolling_policy(DefaultRollingPolicy(max_records=…))"),
    (SINK, "partitionBy", "with_partition_by"),
    (SINK, "withBucketAssigner", "with_bucket_assigner"),
    (SINK, "with_bucketer", "with_bucket_assigner(…)"),
    (SINK, "sink_id", "with_sink_id"),
    (SINK, "option", "with_option(key, value)"),
    (SINK, "trigger", "build(), and then write_stream(…).trigger(…)"),
    (SINK, "outputMode", "build(), and then write_stream(…).outputMode(…)"),
    (SINK, "with_dead_letter_path", 'with_on_bad_row("reject", …)'),
    (SINK, "with_success_file", "with_bucket_complete(…)"),
    (SINK, "with_codec", "with_compression(…)"),
    (SINK, "with_schema_evolution", "with_on_schema_change(…)"),
    (SINK, "with_rolling_polcy", "with_rolling_policy"),
    (SOURCE, "cleanSource", 'with_clean_source("archive", …)'),
    (SOURCE, "with_dead_letter_path", "with_quarantine(…)"),
    (SOURCE, "with_success_file", 'with_ready_marker("_SUCCESS")'),
    (SOURCE, "maxFilesPerTrigger", "with_max_files_per_trigger"),
    (SOURCE, "set_bounded", "process_static_file_set()"),
    (SINK, "with_schema", "with_on_schema_change(…)"),
    (SOURCE, "with_schema", "build(), and then read_stream(spark, schema)"),
    (KAFKA_SOURCE, "with_schema", "with_value(…)"),
    (SINK, "with_path", "build(): the call that creates the builder sets the path"),
    (SINK, "with_dynamic_overwrite", 'with_partition_overwrite_mode("dynamic")'),
    (SINK, "with_dynamic_partition_overwrite", 'with_partition_overwrite_mode("dynamic")'),
    (SINK, "with_flush_interval", "with_rolling_policy(DefaultRollingPolicy(rollover_interval=…))"),
    (SINK, "with_size", "with_rolling_policy(DefaultRollingPolicy(max_part_size=…))"),
    (SINK, "with_write_mode", "build(), and then write(df, mode=…)"),
    (SINK, "with_retention", "build(): no setting deletes finished files, and DELETE FROM … WHERE does"),
    (SOURCE, "with_retention", 'with_clean_source("delete")'),
    (SINK, "with_name", "with_sink_id(…)"),
    (SINK, "with_success_file_name", "with_bucket_complete(…)"),
    (SINK, "run", "build(), and then write_stream(…).start()"),
    (SINK, "execute", "build(), and then write_stream(…).start()"),
    (SINK, "sortBy", "build(), and then write(df.sortWithinPartitions(…))"),
    (SOURCE, "with_on_bad_row", "with_quarantine(…)"),
    (SOURCE, "with_recursive", 'with_option("recursiveFileLookup", …)'),
    (SOURCE, "with_latest_first", "with_max_files_per_trigger(…): the source reads the oldest files first"),
    (SOURCE, "with_path_pattern", "with_path_glob_filter(…)"),
    (SINK.build(), "writeStream", "write_stream"),
    (SOURCE.build(), "readStream", "read_stream"),
    (stoplog, "StreamingFileSink", "stoplog.FileSink"),
    (stoplog, "DeltaTable", "stoplog.inspect(path)"),
    (stoplog, "vacuum", "stoplog.administer(path).clean()"),
    (stoplog, "FileSnik", "stoplog.FileSink"),
    (stoplog, "Decoder", "stoplog.kafka.Decoder"),
    (stoplog, "StartPosition", "stoplog.kafka.StartPosition"),
    (stoplog, "Postgres", "stoplog.JdbcSink.for_table(url, table)"),
    (stoplog, "PostgresSink", "stoplog.JdbcSink.for_table(url, table)"),
    (stoplog, "IcebergSink", "stoplog.Announcement.iceberg(…), for a FileSink"),
    (stoplog, "DeltaSink", "stoplog.Announcement.delta(…), for a FileSink"),
    (stoplog, "CsvSink", 'stoplog.FileSink.for_row_format(path, "csv")'),
    (stoplog, "TextSink", 'stoplog.FileSink.for_row_format(path, "text")'),
    (stoplog, "OrcSink", 'stoplog.FileSink.for_bulk_format(path, "orc")'),
    (stoplog, "AvroSink", 'stoplog.FileSink.for_bulk_format(path, "avro")'),
    (stoplog, "AdminAction", "stoplog.admin.AdminAction"),
    (stoplog, "PlannedCompaction", "stoplog.compaction.PlannedCompaction"),
]


@pytest.mark.parametrize(("builder", "name", "own"), OF_OPTIONS)
def test_an_option_of_another_system_is_rejected_with_the_option_here(
    builder: Any, name: str, own: str
) -> None:
    with pytest.raises(stoplog.InvalidOptions) as raised:
        builder.with_option(name, "x")
    said = str(raised.value)
    assert f"{name} is not an option: use " in said
    assert own in said.partition(": use ")[2]


def test_the_sink_accepts_an_option_of_its_format() -> None:
    sink = stoplog.FileSink.for_bulk_format("/out", "sequencefile").with_option("compressionType", "block")
    assert "compressionType='block'" in repr(sink)


@pytest.mark.parametrize("name", ["startingOffsets", "STARTINGOFFSETS", "failOnDataLoss", "kafka.group.id"])
def test_the_kafka_source_accepts_options_of_spark(name: str) -> None:
    assert KAFKA_SOURCE.with_option(name, "x") != KAFKA_SOURCE


@pytest.mark.parametrize(("of", "name", "own"), OF_METHODS)
def test_a_missing_attribute_is_an_error_with_the_name_here(of: object, name: str, own: str) -> None:
    with pytest.raises(AttributeError) as raised:
        getattr(of, name)
    assert str(raised.value).partition(": use ")[2] == own
    assert not hasattr(of, name)


@pytest.mark.parametrize(
    ("word", "own"),
    [
        ("vacuum", "clean"),
        ("optimize", "compact"),
        ("fsck", "check"),
        ("history", "show"),
        ("list", "ls"),
        ("describe", "status"),
        ("restore", "rewind"),
        ("recover", "finalize"),
        ("mv", "relocate"),
        ("validate", "check-config"),
        ("version", "--version"),
        ("-V", "--version"),
        ("help", "--help"),
        ("rm", "clean"),
        ("delete", "clean"),
        ("drop", "clean"),
        ("remove", "clean"),
        ("prune", "clean"),
        ("watch", "status"),
        ("monitor", "exporter"),
        ("lag", "status"),
        ("tail", "show"),
        ("fix", "check"),
        ("health-check", "check"),
        ("state", "status"),
        ("Statu", "status"),
    ],
)
def test_a_command_of_another_system_is_rejected_with_the_command_here(
    word: str, own: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([word, "events"])
    assert f"there is no command {word!r}: did you mean {own!r}?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("word", "answer"),
    [
        ("stop", "graceful_stop(query)"),
        ("kill", "graceful_stop(query)"),
        ("upgrade", "pip install --upgrade stoplog"),
        ("backup", "stoplog relocate"),
        ("unlock", "fences the old driver"),
    ],
)
def test_a_purpose_without_a_command_has_an_answer(
    word: str, answer: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([word, "events"])
    said = capsys.readouterr().err
    assert f"there is no command {word!r}: " in said
    assert answer in said
    assert "did you mean" not in said


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["clean", "events", "--dryrun"], "--dryrun: use --dry-run"),
        (["status", "events", "-v"], "-v: use --output json"),
        (["status", "events", "--verbose"], "--verbose: use --output json"),
        (["clean", "events", "--older-than", "7d"], "--older-than: use clean without a flag"),
        (["compact", "events", "--target-size=256m"], "--target-size=256m: use --option compactTo=256m"),
        (["status", "events", "-o", "json"], "-o: use --output"),
        (["init", "events", "-t", "kafka"], "-t: use --template"),
        (["report", "events", "--output", "r.html"], "a file: use --out"),
        (["status", "events", "--format=json"], "--format=json: use --output"),
        (["clean", "events", "--force"], "--force: use --yes"),
        (["clean", "events", "--no-dry-run"], "--no-dry-run: use --yes"),
        (["ls", "--path=events", "x"], "--path=events: use PATH, without a flag"),
    ],
)
def test_a_flag_of_another_command_line_is_rejected_with_the_flag_here(
    arguments: list[str], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert hint in capsys.readouterr().err


@pytest.mark.parametrize("jar", ["cassandra", "jdbc", "kafka", "wal"])
def test_the_former_names_of_a_connector_are_no_options(jar: str) -> None:
    assert NAMES[jar]
    assert not NAMES[jar].keys() & option_keys(jar)


def test_a_builder_of_a_connector_rejects_a_former_name() -> None:
    with pytest.raises(stoplog.InvalidOptions, match="use retryTimeout"):
        JdbcSink.for_table("jdbc:h2:a", "t").with_option("maxTries", 3)


@pytest.mark.parametrize("of", ["sink", "source"])
def test_the_table_of_options_names_options_that_exist(of: str) -> None:
    own = option_keys("core", of)
    assert {name for name in NAMES[of] if name.lower() in {key.lower() for key in own}} == set()
    assert {_plain(name) for name in NAMES[of]} & {_plain(key) for key in own} == set()
    known = own | OF_SPARK
    assert [meant for meant in NAMES[of].values() if not known & set(re.findall(r"\w+", meant))] == []


OF_SPARK = {
    "block",
    "checkpointLocation",
    "header",
    "lineSep",
    "mode",
    "outputMode",
    "schema",
    "sep",
    "trigger",
}
"""Options of formats and of queries, and methods of Spark's readers and writers."""


def _plain(name: str) -> str:
    return re.sub("[-_.]", "", name).lower()


def test_the_table_of_methods_names_methods_that_exist() -> None:
    methods = {name for builder in BUILDERS.values() for name in dir(builder.start)}
    listed = [meant for alternatives in NAMES["methods"].values() for meant in alternatives]
    assert [meant for meant in listed if re.split(r"\W", meant)[0] not in methods] == []
    for policy in re.findall(r"(\w+)\((\w+)=…\)", " ".join(listed)):
        if policy[0][0].isupper():
            assert policy[1] in getattr(stoplog, policy[0]).__annotations__, policy


def test_the_tables_of_names_commands_and_flags_name_existing_ones() -> None:
    for meant in NAMES["names"].values():
        own: Any = stoplog
        for name in re.split(r"[^\w.]", meant)[0].split("."):
            own = getattr(own, name)
    commands = {command.name for command in COMMANDS}
    one_word = {meant for meant in NAMES["commands"].values() if " " not in meant}
    assert one_word - {"--help", "--version"} <= commands
    assert set(NAMES["commands"]) & commands == set()


class Column:
    """Replaces a column of classic Spark, which needs a session."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __iter__(self) -> None:
        raise TypeError("Column is not iterable")

    def __str__(self) -> str:
        return f"Column<'{self.name}'>"


Column.__module__ = "pyspark.sql.classic.column"


@pytest.mark.parametrize(
    "call",
    [
        lambda column: SINK.with_partition_by(column),
        lambda column: SINK.with_partition_by("country", column),
        lambda column: SINK.with_partition_by([column]),
        lambda column: SINK.with_bucket_by(column),
        lambda column: SINK.with_event_time_column(column),
        lambda column: stoplog.BucketAssigner.date_time_bucket_assigner(column=column),
        lambda column: SINK.with_option("partitionBy", column),
        lambda column: SINK.with_replace_where(column),
        lambda column: SOURCE.with_partition_columns(column),
        lambda column: BUILDERS["JDBC sink"].start.with_upsert(column),
        lambda column: BUILDERS["Cassandra sink"].start.with_ttl_column(column),
        lambda column: BUILDERS["Cassandra sink"].start.with_write_timestamp_column(column),
        lambda column: BUILDERS["Cassandra sink"].start.with_column_mapping({"a": column}),
    ],
)
def test_a_column_of_spark_is_rejected_with_the_text_to_write(call: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError, match=r"must be a string.*, and is a Column of Spark: write 'day'$"):
        call(Column("day"))
