# SPDX-License-Identifier: Apache-2.0
"""Programs that were written for Flink's sink of this name: which options its setters stand for."""

from __future__ import annotations

import inspect
import json
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import stoplog
from stoplog import BucketAssigner, BucketingSink, Encoder
from stoplog._functions.frame import SinkFunctions
from stoplog.bucketing import (
    AvroKeyValueSinkWriter,
    BasePathBucketer,
    DateTimeBucketer,
    SequenceFileWriter,
    StringWriter,
)

if TYPE_CHECKING:
    from collections.abc import Callable

DEFAULTS = {
    "path": "/base/path",
    "inProgress": "bucket",
    "partSuffix": "",
    "rollingPolicy": "default",
    "maxPartSize": "384m",
    "rolloverInterval": "none",
    "inactivityInterval": "1m",
    "bucketCheckInterval": "1m",
    "onRestart": "finish",
    "bucketAssigner": "dateTime",
    "bucketFormat": "yyyy-MM-dd--HH",
    "bucketTimeZone": "UTC",
    "format": "text",
}

SETTERS: list[tuple[Callable[[BucketingSink], BucketingSink], dict[str, str]]] = [
    (lambda sink: sink.set_bucketer(DateTimeBucketer("yyyy")), {"bucketFormat": "yyyy"}),
    (
        lambda sink: sink.set_bucketer(DateTimeBucketer(zone_id="Asia/Tokyo")),
        {"bucketTimeZone": "Asia/Tokyo"},
    ),
    (lambda sink: sink.set_batch_size(1024 * 1024 * 400), {"maxPartSize": "419430400"}),
    (lambda sink: sink.set_batch_rollover_interval(1_200_000), {"rolloverInterval": "1200000ms"}),
    (lambda sink: sink.set_inactive_bucket_threshold("90s"), {"inactivityInterval": "90s"}),
    (
        lambda sink: sink.set_inactive_bucket_check_interval(timedelta(seconds=30)),
        {"bucketCheckInterval": "30000ms"},
    ),
    (lambda sink: sink.set_in_progress_prefix("."), {"bucketingSink.inProgressPrefix": "."}),
    (lambda sink: sink.set_in_progress_suffix(".open"), {"bucketingSink.inProgressSuffix": ".open"}),
    (lambda sink: sink.set_pending_prefix("_p"), {"bucketingSink.pendingPrefix": "_p"}),
    (lambda sink: sink.set_pending_suffix(".closed"), {"bucketingSink.pendingSuffix": ".closed"}),
    (lambda sink: sink.set_valid_length_prefix("_v"), {"bucketingSink.validLengthPrefix": "_v"}),
    (lambda sink: sink.set_valid_length_suffix(".length"), {"bucketingSink.validLengthSuffix": ".length"}),
    (lambda sink: sink.set_part_prefix("rows"), {"partPrefix": "rows"}),
    (lambda sink: sink.set_part_suffix(".txt"), {"partSuffix": ".txt"}),
    (lambda sink: sink.set_use_truncate(False), {"bucketingSink.useTruncate": "false"}),
    (lambda sink: sink.set_on_restart("continue"), {"onRestart": "continue"}),
    (lambda sink: sink.set_option("maxOpenParts", 7), {"maxOpenParts": "7"}),
    (lambda sink: sink.set_writer(StringWriter()), {}),
    (
        lambda sink: sink.set_writer(SequenceFileWriter("gzip", "record")),
        {"format": "sequencefile", "compression": "gzip", "compressionType": "record"},
    ),
]


def names(function: Callable[[BucketingSink], BucketingSink]) -> tuple[str, ...]:
    return function.__code__.co_names


def test_the_defaults_are_the_defaults_of_flink() -> None:
    assert BucketingSink(Path("/base/path")).build().options() == DEFAULTS


@pytest.mark.parametrize(("call", "changed"), SETTERS, ids=lambda value: "" if callable(value) else None)
def test_a_setter_changes_the_options_and_returns_the_sink(
    call: Callable[[BucketingSink], BucketingSink], changed: dict[str, str]
) -> None:
    sink = BucketingSink("/base/path")
    assert call(sink) is sink
    assert sink.build().options() == DEFAULTS | changed


def test_every_setter_is_tested() -> None:
    setters = {name for name, _ in inspect.getmembers(BucketingSink) if name.startswith("set_")}
    assert setters == {name for call, _ in SETTERS for name in names(call) if name.startswith("set_")} | {
        "set_bucketer",
        "set_writer",
    }


def test_custom_bucketers_and_writers_are_passed_by_class_name() -> None:
    sink = BucketingSink("/base/path").set_bucketer(BucketAssigner.custom("a.B"))
    assert sink.set_writer(Encoder.custom("a.E")).build().options() == {
        **{key: DEFAULTS[key] for key in DEFAULTS if key not in {"bucketFormat", "bucketTimeZone", "format"}},
        "bucketAssigner": "a.B",
        "format": "a.E",
    }
    assert sink.set_bucketer(BasePathBucketer()).build().options()["bucketAssigner"] == "basePath"


def test_functions_of_python_are_called() -> None:
    assigner, encoder = BucketAssigner.from_function(len), Encoder.from_function(len, suffix=".pb")
    sink = BucketingSink("/base/path").set_bucketer(assigner).set_writer(encoder).build()
    assert sink._functions == SinkFunctions(assigner._function, encoder._function)
    assert sink.options().items() >= (assigner.options() | encoder.options()).items()
    assert BucketingSink("/base/path").build()._functions == SinkFunctions()


@pytest.mark.parametrize("piece", ["in_progress", "pending", "valid_length"])
@pytest.mark.parametrize("side", ["prefix", "suffix"])
def test_an_empty_marker_of_unfinished_files_is_rejected(piece: str, side: str) -> None:
    with pytest.raises(ValueError, match=r"readers: every sink of stoplog is exactly-once"):
        getattr(BucketingSink("/base/path"), f"set_{piece}_{side}")("")


@pytest.mark.parametrize(
    ("setter", "why"),
    [
        ("set_fs_config", r"spark\.hadoop"),
        ("set_async_timeout", "two minutes"),
        ("disable_cleanup_on_open", "eleven minutes"),
        ("set_batchsize", "has no set_batchsize$"),
    ],
)
def test_an_unsupported_setter_names_the_reason(setter: str, why: str) -> None:
    with pytest.raises(AttributeError, match=why):
        getattr(BucketingSink("/base/path"), setter)


def test_key_value_pairs_of_avro_have_the_schema_of_hadoop() -> None:
    record = {"type": "record", "name": "V", "fields": [{"name": "a", "type": "int"}]}
    spaced = {**record, "namespace": "n"}

    def types(key: object, value: object) -> list[object]:
        writer = AvroKeyValueSinkWriter(json.dumps(key), json.dumps(value), "deflate")
        options = writer.options()
        assert (options["format"], options["compression"]) == ("avro", "deflate")
        schema = json.loads(options["avroSchema"])
        assert (schema["name"], schema["namespace"]) == ("KeyValuePair", "org.apache.avro.mapreduce")
        assert [field["name"] for field in schema["fields"]] == ["key", "value"]
        return [field["type"] for field in schema["fields"]]

    assert types("long", record) == ["long", {**record, "namespace": ""}]
    assert types("long", ["null", record]) == ["long", ["null", {**record, "namespace": ""}]]
    assert types(spaced, spaced) == [spaced, "n.V"]
    with pytest.raises(ValueError, match="Expecting value"):
        AvroKeyValueSinkWriter("long", '"string"')


def test_the_representation_shows_the_set_options() -> None:
    assert "maxPartSize='1g'" in repr(stoplog.BucketingSink("/base/path").set_batch_size("1g"))


def test_the_name_of_an_option_is_not_case_sensitive() -> None:
    sink = BucketingSink("/out").set_option("partsuffix", ".txt").set_part_suffix(".csv")
    assert sink.build().options()["partSuffix"] == ".csv"
