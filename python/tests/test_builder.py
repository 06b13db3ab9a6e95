# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest
from fakes import FakeBridge

from stoplog import (
    Encoder,
    FileSink,
    FileSinkBuilder,
    FileSource,
    InvalidOptions,
    StreamFormat,
)


def json_sink() -> FileSinkBuilder:
    return FileSink.for_row_format("/data/out", Encoder.json())


def test_the_last_value_of_an_option_counts_regardless_of_the_case_of_the_name() -> None:
    sink = json_sink().with_option("inProgress", "staging").with_option("inprogress", "bucket").build()
    assert sink.options()["inprogress"] == "bucket"
    assert "inProgress" not in sink.options()


def test_a_repeated_call_replaces_the_earlier_values_whichever_arguments_it_has() -> None:
    base = FileSource.for_record_stream_format("text", "/in")
    first = base.with_absence(forget_after="2d", on_other_directory="wait")
    again = first.with_absence(on_other_directory="accept").build().options()
    assert again == base.build().options() | {"onOtherDirectory": "accept"}
    assert first.with_absence().build() == base.build()


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


def test_partition_columns_may_come_in_a_list() -> None:
    assert json_sink().with_partition_by(["a", "b,c"]) == json_sink().with_partition_by("a", "b,c")
    with pytest.raises(ValueError, match="at least one column"):
        json_sink().with_partition_by([])


def test_a_format_of_the_other_kind_is_rejected_with_the_right_method() -> None:
    with pytest.raises(ValueError, match=r"'parquet' is a bulk format: use FileSink\.for_bulk_format"):
        FileSink.for_row_format("/data/out", "parquet")
    with pytest.raises(ValueError, match=r"'csv' is a row format: use FileSink\.for_row_format"):
        FileSink.for_bulk_format("/data/out", "csv")
    with pytest.raises(
        ValueError, match=r"'orc' holds blocks .* use FileSource\.for_bulk_file_format\('orc'"
    ):
        FileSource.for_record_stream_format("orc", "/data/in")
    with pytest.raises(ValueError, match=r"'csv' is read record .* use FileSource\.for_record_stream_format"):
        FileSource.for_bulk_file_format("csv", "/data/in")
    with pytest.raises(ValueError, match=r"'lengthDelimited' is read record "):
        FileSource.for_bulk_file_format("lengthDelimited", "/data/in")


def test_a_record_format_has_the_name_of_the_jar() -> None:
    for name, made in (
        ("text", StreamFormat.text_line_format()),
        ("json", StreamFormat.json()),
        ("csv", StreamFormat.csv()),
        ("lengthDelimited", StreamFormat.length_delimited()),
    ):
        by_name = FileSource.for_record_stream_format(name, "/data/in")
        assert by_name == FileSource.for_record_stream_format(made, "/data/in")
    with pytest.raises(ValueError, match='use "text", "json", "csv", "lengthDelimited" or'):
        FileSource.for_record_stream_format("xml", "/data/in")


def test_partitioning_without_columns_is_rejected() -> None:
    with pytest.raises(ValueError, match="at least one column"):
        json_sink().with_partition_by()


def test_build_raises_the_error_of_the_jar(monkeypatch: pytest.MonkeyPatch) -> None:
    def reject(options: object) -> None:
        raise InvalidOptions("STOPLOG_INVALID_OPTIONS", "maxPartSize is wrong")

    monkeypatch.setattr("stoplog._options.builder.find_bridge", lambda: FakeBridge(reject))
    with pytest.raises(InvalidOptions, match="maxPartSize is wrong"):
        json_sink().with_option("maxPartSize", "x").build()
