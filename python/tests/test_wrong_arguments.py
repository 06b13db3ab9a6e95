# SPDX-License-Identifier: Apache-2.0
"""Mistakes of a program's author are told where they are made, in a sentence that says what to write."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from builder_calls import BUILDERS
from builder_case import Call

import stoplog
from stoplog import (
    DefaultRollingPolicy,
    FileSink,
    FileSource,
    OnCheckpointRollingPolicy,
    OutputFileConfig,
    RollingPolicy,
)
from stoplog.bucketing import BucketingSink, DateTimeBucketer
from stoplog.kafka import KafkaSource, KafkaSourceBuilder

COLUMN = object()
"""As `df.day`, which stands for no name."""

SINK_OF: Any = FileSink.for_row_format
SOURCE_OF: Any = FileSource.for_record_stream_format
SINK: Any = FileSink.for_row_format("/out", "json")
SOURCE: Any = FileSource.for_record_stream_format("text", "/in")
BUCKETING: Any = BucketingSink("/out")
KAFKA: Any = KafkaSource.builder("broker:9092")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: SINK.with_rolling_policy(DefaultRollingPolicy.builder().with_max_part_size("1g")),
            "with_rolling_policy needs a RollingPolicy, and got a DefaultRollingPolicyBuilder: call .build()",
        ),
        (
            lambda: SINK.with_rolling_policy(OnCheckpointRollingPolicy),
            "with_rolling_policy needs a RollingPolicy, and got the class OnCheckpointRollingPolicy: "
            "write OnCheckpointRollingPolicy()",
        ),
        (
            lambda: SINK.with_rolling_policy("onCheckpoint"),
            "with_rolling_policy needs a RollingPolicy, not 'onCheckpoint': create one with "
            "DefaultRollingPolicy(…), "
            "RollingPolicy.from_function(…) or RollingPolicy.custom(…)",
        ),
        (
            lambda: SINK.with_bucket_assigner("basePath"),
            "with_bucket_assigner needs a BucketAssigner, not 'basePath': "
            "create one with a method of BucketAssigner, "
            "or use with_bucket_by for a SQL expression",
        ),
        (
            lambda: SINK.with_output_file_config(OutputFileConfig.builder().with_part_prefix("p")),
            "with_output_file_config needs an OutputFileConfig, and got an OutputFileConfigBuilder: "
            "call .build()",
        ),
        (
            lambda: SINK.with_output_file_config("p"),
            "with_output_file_config needs an OutputFileConfig, not 'p': create one with OutputFileConfig(…)",
        ),
        (
            lambda: SINK.enable_compact("often"),
            "enable_compact needs a FileCompactStrategy, not 'often': "
            "create one with FileCompactStrategy.builder()",
        ),
        (
            lambda: BUCKETING.set_writer("text"),
            "set_writer needs a StringWriter or a SequenceFileWriter or an AvroKeyValueSinkWriter "
            "or an Encoder, not 'text': pass one, such as StringWriter()",
        ),
        (
            lambda: BUCKETING.set_bucketer(DateTimeBucketer),
            "set_bucketer needs a DateTimeBucketer or a BasePathBucketer or a BucketAssigner, "
            "and got the class DateTimeBucketer: write DateTimeBucketer()",
        ),
        (
            lambda: KAFKA.starting_from("earliest"),
            "starting_from needs a StartPosition, not 'earliest': create one with a method of StartPosition, "
            "such as StartPosition.earliest()",
        ),
        (
            lambda: KAFKA.with_value("string"),
            "with_value needs a Decoder, not 'string': "
            "create one with a method of Decoder, such as Decoder.string()",
        ),
        (
            lambda: KAFKA.with_key("string"),
            "with_key needs a Decoder, not 'string': "
            "create one with a method of Decoder, such as Decoder.string()",
        ),
    ],
)
def test_an_argument_of_another_type_is_rejected(call: Callable[[], object], sentence: str) -> None:
    with pytest.raises(TypeError) as raised:
        call()
    assert str(raised.value) == sentence


@pytest.mark.parametrize(
    ("builder", "name"),
    [
        (SINK, "write_stream"),
        (SINK, "write"),
        (SOURCE, "read"),
        (SOURCE, "read_stream"),
        (KAFKA, "read_stream"),
    ],
)
def test_an_unbuilt_builder_is_rejected_with_a_hint_at_build(builder: Any, name: str) -> None:
    with pytest.raises(AttributeError) as raised:
        getattr(builder, name)
    assert str(raised.value) == f"call .build() first: {name} is a method of the built sink or source"


def test_a_misspelt_method_of_a_builder_is_an_attribute_error() -> None:
    with pytest.raises(
        AttributeError, match=r"^'FileSinkBuilder' object has no attribute 'with_rolling_polcy'"
    ):
        SINK.with_rolling_polcy()
    assert not hasattr(SINK, "with_rolling_polcy")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: SINK.with_bucket_by(None), "bucketBy must be a string, and is of type NoneType"),
        (lambda: SINK.with_bucket_by(COLUMN), "bucketBy must be a string, and is of type object"),
        (
            lambda: SINK.with_event_time_column(COLUMN),
            "eventTimeColumn must be a string, and is of type object",
        ),
        (lambda: SINK.with_on_restart(["finish"]), "onRestart must be a string, and is of type list"),
        (lambda: SINK.with_bucket_complete(None), "bucketComplete must be a string, and is of type NoneType"),
        (lambda: SINK.with_manifest(None), "manifest must be a string, and is of type NoneType"),
        (lambda: SINK.with_on_bad_row(None), "onBadRow must be a string, and is of type NoneType"),
        (
            lambda: SINK.with_partition_by(COLUMN),
            "the name of a column must be a string, and is of type object",
        ),
        (
            lambda: SINK.with_partition_by("a", ["b", None]),
            "the name of a column must be a string, and is of type NoneType",
        ),
        (
            lambda: SINK.with_option("header", None),
            "header must be a string, a number or a bool, and is of type NoneType",
        ),
        (lambda: SINK_OF(b"/out", "json"), "a path must be a string, and b'/out' is of type bytes"),
        (lambda: SOURCE_OF("json", b"/in"), "a path must be a string, and b'/in' is of type bytes"),
        (lambda: SOURCE.with_dates(None), "datePattern must be a string, and is of type NoneType"),
        (lambda: SOURCE.with_path_glob_filter(3), "pathGlobFilter must be a string, and is of type int"),
        (
            lambda: OutputFileConfig(part_prefix=b"p"),  # type: ignore[arg-type]
            "partPrefix must be a string, a number or a bool, and is of type bytes",
        ),
        (
            lambda: RollingPolicy.custom("a.B", {"rows": None}),  # type: ignore[dict-item]
            "rollingPolicy.rows must be a string, a number or a bool, and is of type NoneType",
        ),
        (
            lambda: BUCKETING.set_part_prefix(None),
            "partPrefix must be a string, a number or a bool, and is of type NoneType",
        ),
    ],
)
def test_an_argument_that_is_not_a_string_is_rejected(call: Callable[[], object], sentence: str) -> None:
    """`None` is not passed over: a job whose variable has no value would write with the default."""
    with pytest.raises(TypeError) as error:
        call()
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: DefaultRollingPolicy(max_part_size=-1), "max_part_size=-1 must be more than 0"),
        (lambda: DefaultRollingPolicy(max_part_size=0), "max_part_size=0 must be more than 0"),
        (lambda: DefaultRollingPolicy(max_part_size="0"), "max_part_size='0' must be more than 0"),
        (lambda: DefaultRollingPolicy(max_part_size="-64m"), "max_part_size='-64m' must be more than 0"),
        (lambda: DefaultRollingPolicy(max_records=0), "max_records=0 must be more than 0"),
        (
            lambda: DefaultRollingPolicy(rollover_interval=-1000),
            "rollover_interval=-1000 must be more than 0",
        ),
        (
            lambda: DefaultRollingPolicy(inactivity_interval="0s"),
            "inactivity_interval='0s' must be more than 0",
        ),
        (
            lambda: DefaultRollingPolicy(inactivity_interval=timedelta(seconds=-1)),
            "inactivity_interval=datetime.timedelta(days=-1, seconds=86399) must be more than 0",
        ),
        (
            lambda: DefaultRollingPolicy(event_time_interval=-1000),
            "event_time_interval=-1000 must be more than 0",
        ),
        (lambda: DefaultRollingPolicy.builder().with_max_records(-5), "max_records=-5 must be more than 0"),
        (lambda: OnCheckpointRollingPolicy(max_part_size=0), "max_part_size=0 must be more than 0"),
        (lambda: SINK.with_max_open_parts(0), "parts=0 must be more than 0"),
        (lambda: SINK.with_compaction(to=-1), "to=-1 must be more than 0"),
        (lambda: SOURCE.with_max_rows_per_trigger(-1), "rows=-1 must be more than 0"),
        (lambda: SOURCE.with_min_file_age(-1), "age=-1 must be more than 0"),
        (lambda: SINK.with_bucket_complete("idle", -1), "delay=-1 must not be less than 0"),
        (
            lambda: SINK.with_manifest("json", timedelta(days=-1)),
            "retention=datetime.timedelta(days=-1) must be more than 0",
        ),
    ],
)
def test_an_invalid_limit_is_rejected_by_the_setter(make: Callable[[], object], sentence: str) -> None:
    with pytest.raises(ValueError, match="must") as raised:
        make()
    assert str(raised.value) == sentence


MAY_BE_ZERO = {"with_bucket_complete", "with_min_offsets_per_trigger"}
"""Methods with a time that may be 0: that of `bucketComplete`, and that of Spark's `maxTriggerDelay`."""


def times() -> dict[str, tuple[Any, Call, str]]:
    """Each method of a builder that takes a time, with a call of it and the name of the argument."""
    found = {}
    for builder in BUILDERS.values():
        for call, _ in builder.calls:
            takes = inspect.signature(getattr(builder.start, call.method)).parameters
            for name in [name for name, of in takes.items() if "Duration" in str(of.annotation)]:
                found[f"{type(builder.start).__name__}.{call.method}"] = (builder.start, call, name)
    return found


@pytest.mark.parametrize("method", times())
@pytest.mark.parametrize("zero", [0, "0s", " 00 ms", timedelta(0)])
def test_a_duration_must_be_more_than_zero(method: str, zero: object) -> None:
    start, call, name = times()[method]
    bound = inspect.signature(getattr(start, call.method)).bind(*call.arguments, **call.named)
    bound.arguments[name] = zero
    if call.method in MAY_BE_ZERO:
        assert getattr(start, call.method)(*bound.args, **bound.kwargs)
    else:
        with pytest.raises(ValueError, match=f"^{name}=.* must be more than 0$"):
            getattr(start, call.method)(*bound.args, **bound.kwargs)


def test_the_durations_of_all_builders_are_tested() -> None:
    assert len(times()) >= 12, sorted(times())


@pytest.mark.parametrize(
    "name", ["batch_rollover_interval", "inactive_bucket_threshold", "inactive_bucket_check_interval"]
)
def test_a_duration_of_a_bucketing_sink_must_be_more_than_zero(name: str) -> None:
    with pytest.raises(ValueError, match="must be more than 0"):
        getattr(BucketingSink("/out"), f"set_{name}")(0)
    assert BucketingSink("/out").set_batch_rollover_interval("none").build()


def test_a_policy_of_checkpoints_has_limits_within_an_epoch() -> None:
    policy = OnCheckpointRollingPolicy(max_part_size="64m", max_records=1000)
    assert policy.options() == {
        "rollingPolicy": "onCheckpoint",
        "maxPartSize": "64m",
        "maxRecordsPerPart": "1000",
    }
    assert repr(policy) == "OnCheckpointRollingPolicy(max_part_size='64m', max_records=1000)"
    assert repr(OnCheckpointRollingPolicy()) == "OnCheckpointRollingPolicy()"
    assert OnCheckpointRollingPolicy.build() == RollingPolicy.on_checkpoint_rolling_policy()
    sink = SINK.with_rolling_policy(policy).build()
    assert sink.options()["maxPartSize"] == "64m"


def selections() -> dict[str, Callable[[Any], KafkaSourceBuilder]]:
    return {
        "with_topics": lambda builder: builder.with_topics("orders"),
        "with_topic_pattern": lambda builder: builder.with_topic_pattern("o.*"),
        "with_partitions": lambda builder: builder.with_partitions({"orders": [0]}),
    }


@pytest.mark.parametrize("second", selections())
@pytest.mark.parametrize("first", selections())
def test_a_source_accepts_a_single_kind_of_selection(first: str, second: str) -> None:
    begun = selections()[first](KAFKA)
    if first == second:
        assert selections()[second](begun) == begun
    else:
        with pytest.raises(stoplog.InvalidOptions) as raised:
            selections()[second](begun)
        assert raised.value.condition == "STOPLOG_INVALID_OPTIONS"
        assert f"{second} after {first}: a source reads topics, a pattern or partitions; remove one" in str(
            raised.value
        )
