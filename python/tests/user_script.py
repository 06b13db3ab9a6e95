# SPDX-License-Identifier: Apache-2.0
"""A user's program: `make test-pythons` runs it, and mypy checks it, on each line of Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import stoplog

if TYPE_CHECKING:
    from collections.abc import Mapping

    from typing_extensions import assert_type

builder = (
    stoplog.FileSink.for_row_format("out", stoplog.Encoder.json())
    .with_partition_by("day", "hour")
    .with_rolling_policy(stoplog.DefaultRollingPolicy(max_part_size="64m", rollover_interval="5m"))
    .with_compression("zstd")
)
source = stoplog.FileSource.for_record_stream_format(stoplog.StreamFormat.csv(header=True), "landing")


def options(sink: stoplog.FileSink) -> Mapping[str, str]:
    return sink.options()


def look(path: str) -> str:
    directory = stoplog.inspect(path)
    assert directory.check().is_healthy
    return str(directory.status())


if TYPE_CHECKING:
    assert_type(builder, stoplog.FileSinkBuilder)
    assert_type(builder.build(), stoplog.FileSink)
    assert_type(source, stoplog.FileSourceBuilder)
    assert_type(stoplog.inspect("out"), stoplog.SinkDirectory)
    builder.with_compression("zst")  # type: ignore[arg-type]
