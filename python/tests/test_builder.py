# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from fakes import FakeDoor

from stoplog import (
    BucketAssigner,
    DefaultRollingPolicy,
    Encoder,
    FileSink,
    FileSinkBuilder,
    InvalidOptions,
    OnCheckpointRollingPolicy,
    OutputFileConfig,
)
from stoplog._options import KEYS


def json_sink() -> FileSinkBuilder:
    return FileSink.for_row_format("/data/out", Encoder.json())


def everything() -> FileSinkBuilder:
    return (
        FileSink.for_row_format("/data/out", Encoder.text(line_separator="\n", null_value="-"))
        .with_bucket_assigner(BucketAssigner.date_time_bucket_assigner("yyyy", "UTC", column="ts"))
        .with_rolling_policy(DefaultRollingPolicy("1m", "1m", "1m", 5))
        .with_bucket_check_interval("10s")
        .with_output_file_config(OutputFileConfig("events", ".log"))
        .with_compression("zstd")
        .with_partition_by("country")
        .with_bucket_by("country")
        .with_sink_id("clicks")
        .with_on_foreign_query("adopt")
        .with_finalize_on_termination("always")
        .with_on_lost_part("skip")
        .with_on_schema_change("additive")
        .with_on_bad_row("reject", "_bad")
        .with_bucket_complete("watermark", 60_000, "empty", "com.example.Add")
        .with_manifest("json", timedelta(days=1))
        .with_durability("process")
        .with_max_open_parts(10)
        .with_distribution("byBucket")
    )


def test_a_sink_of_path_and_format_sets_nothing_else() -> None:
    assert json_sink().build().options() == {"path": "/data/out", "format": "json"}


def test_a_path_may_be_a_path_object() -> None:
    assert FileSink.for_row_format(Path("/data/out"), "text").build().options()["path"] == "/data/out"


def test_every_method_sets_its_option() -> None:
    assert everything().build().options() == {
        "path": "/data/out",
        "format": "text",
        "lineSep": "\n",
        "nullValue": "-",
        "bucketAssigner": "dateTime",
        "bucketFormat": "yyyy",
        "timeZone": "UTC",
        "bucketColumn": "ts",
        "rollingPolicy": "default",
        "maxPartSize": "1m",
        "rolloverInterval": "1m",
        "inactivityInterval": "1m",
        "maxRecordsPerPart": "5",
        "bucketCheckInterval": "10s",
        "partPrefix": "events",
        "partSuffix": ".log",
        "compression": "zstd",
        "partitionBy": "country",
        "bucketBy": "country",
        "sinkId": "clicks",
        "onForeignQuery": "adopt",
        "finalizeOnTermination": "always",
        "onLostPart": "skip",
        "onSchemaChange": "additive",
        "onBadRow": "reject",
        "bucketComplete": "watermark",
        "bucketCompleteDelay": "60000ms",
        "bucketMarker": "empty",
        "bucketListener": "com.example.Add",
        "manifest": "json",
        "manifestRetention": "86400000ms",
        "rejectPath": "_bad",
        "durability": "process",
        "maxOpenParts": "10",
        "distribution": "byBucket",
    }


def test_every_key_that_a_method_sets_is_a_known_key() -> None:
    assert set(everything().build().options()) <= KEYS


def test_a_builder_is_not_changed_by_its_methods() -> None:
    base = json_sink()
    base.with_sink_id("other")
    assert base.build() == json_sink().build()


def test_a_second_policy_replaces_all_of_the_first() -> None:
    first = json_sink().with_rolling_policy(DefaultRollingPolicy(max_part_size="1m", max_records=5))
    second = first.with_rolling_policy(OnCheckpointRollingPolicy.build())
    assert second.build().options() == {
        "path": "/data/out",
        "format": "json",
        "rollingPolicy": "onCheckpoint",
    }


def test_an_option_set_twice_by_its_name_has_the_last_value_whatever_its_case() -> None:
    sink = json_sink().with_option("inProgress", "staging").with_option("inprogress", "bucket").build()
    assert sink.options()["inprogress"] == "bucket"
    assert "inProgress" not in sink.options()


def test_a_bucket_check_interval_may_be_a_timedelta() -> None:
    sink = json_sink().with_bucket_check_interval(timedelta(seconds=30)).build()
    assert sink.options()["bucketCheckInterval"] == "30000ms"


def test_a_number_of_writers_is_a_distribution() -> None:
    assert json_sink().with_distribution(4).build().options()["distribution"] == "4"


def test_contradictions_are_reported_together() -> None:
    builder = (
        json_sink()
        .with_sink_id("a")
        .with_option("SINKID", "b")
        .with_compression("gzip")
        .with_option("compression", "zstd")
    )
    with pytest.raises(InvalidOptions, match=r"sinkId is 'a' and 'b'.*compression is 'gzip' and 'zstd'") as e:
        builder.build()
    assert e.value.condition == "STOPLOG_INVALID_OPTIONS"


def test_partition_columns_may_have_any_name() -> None:
    assert json_sink().with_partition_by("a", "b,c").build().options()["partitionBy"] == "a,`b,c`"


def test_partitioning_by_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one column"):
        json_sink().with_partition_by()


def test_build_validates_through_the_door_when_there_is_one(door: FakeDoor) -> None:
    sink = json_sink().build()
    assert door.validated == [sink.options()]


def test_build_passes_on_what_the_door_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(options: object) -> None:
        raise InvalidOptions("STOPLOG_INVALID_OPTIONS", "maxPartSize is wrong")

    monkeypatch.setattr("stoplog._checked.find_door", lambda: FakeDoor(refuse))
    with pytest.raises(InvalidOptions, match="maxPartSize is wrong"):
        json_sink().with_option("maxPartSize", "x").build()


def test_secrets_do_not_show() -> None:
    builder = json_sink().with_option("fs.s3a.secret.key", "hunter2")
    assert "hunter2" not in repr(builder)
    assert "hunter2" not in repr(builder.build())
    assert builder.build().options()["fs.s3a.secret.key"] == "hunter2"
