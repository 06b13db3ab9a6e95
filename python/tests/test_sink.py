# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fakes import FakeFrame, FakeSession

import stoplog

SINK = stoplog.FileSink.for_row_format("/data/out", "json").with_sink_id("a").build()
OPTIONS = {"path": "/data/out", "format": "json", "sinkId": "a"}


def test_write_stream_presets_sparks_writer_and_starts_nothing() -> None:
    frame: Any = FakeFrame()
    assert SINK.write_stream(frame) is frame.writeStream
    assert frame.writeStream.calls == [("format", "stoplog"), ("options", OPTIONS), ("outputMode", "append")]


def test_write_stream_sets_the_checkpoint() -> None:
    frame: Any = FakeFrame()
    SINK.write_stream(frame, checkpoint_location=Path("/data/checkpoint"))
    assert frame.writeStream.calls[-1] == ("option", "checkpointLocation", "/data/checkpoint")


def test_write_appends_unless_told_otherwise() -> None:
    frame: Any = FakeFrame()
    SINK.write(frame)
    SINK.write(frame, mode="overwrite")
    assert [call for call in frame.write.calls if call[0] == "mode"] == [
        ("mode", "append"),
        ("mode", "overwrite"),
    ]
    assert frame.write.calls[:2] == [("format", "stoplog"), ("options", OPTIONS)]
    assert frame.write.calls[-1] == ("save",)


def test_changing_the_returned_options_does_not_change_the_sink() -> None:
    SINK.options()["sinkId"] = "b"
    assert SINK.options() == OPTIONS


@pytest.mark.parametrize(
    ("view", "name"),
    [
        (stoplog.parts, "parts"),
        (stoplog.epochs, "epochs"),
        (stoplog.open_parts, "open"),
        (stoplog.incomplete_buckets, "buckets"),
    ],
)
def test_views_read_the_directory_by_the_connector(view: Any, name: str) -> None:
    session = FakeSession()
    view(session, Path("/data/out"), sink_id="a")
    assert session.read.calls == [
        ("format", "stoplog"),
        ("options", {"view": name, "sinkId": "a"}),
        ("load", "/data/out"),
    ]
