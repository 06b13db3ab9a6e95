# SPDX-License-Identifier: Apache-2.0
"""Unfinished files with fewer bytes than committed: which file is named, and which advice is given."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_sink import NOW, UID, Json, MadeSink

from stoplog._inspect.check.rules import RULES
from stoplog.inspection import FindingKind, SinkDirectory

K = FindingKind
END = f"main-{UID}-00112233445566aa"


@pytest.mark.parametrize("kind", [K.OPEN_PART_SHORT, K.SIDE_FILE_SHORT, K.PENDING_PART_SHORT])
def test_the_file_is_moved_away_before_a_start_without_its_rows(kind: FindingKind) -> None:
    """With onLostPart=skip, a query leaves out only parts whose files are missing."""
    advice = RULES[kind].advice
    assert 0 < advice.index("move the file away") < advice.index("onLostPart=skip")


@pytest.mark.parametrize("state", ["in-progress", "pending"])
def test_the_file_is_named_as_it_is_called_on_the_disk(state: str, tmp_path: Path) -> None:
    """A publisher of `inProgress=bucket` may die between two renames of a part."""
    sink, part = in_bucket(tmp_path)
    sink.record("epoch", [part], marked=False)
    there = f"day=1/_{sink.name(0)}.{state}.{END}"
    sink.write(there, b"x" * 4)
    found = SinkDirectory(tmp_path, clock=lambda: NOW).check().findings
    assert [(one.kind, one.path) for one in found] == [(K.PENDING_PART_SHORT, there)]
    assert found[0].message.endswith(f" has 4 of 5 bytes in {there}.")


def test_a_missing_file_is_named_as_in_the_log(tmp_path: Path) -> None:
    sink, part = in_bucket(tmp_path)
    sink.record("epoch", [part], marked=False)
    found = SinkDirectory(tmp_path, clock=lambda: NOW).check().findings
    assert [(one.kind, one.path) for one in found] == [(K.PENDING_PART_LOST, part["handle"])]


def in_bucket(root: Path) -> tuple[MadeSink, Json]:
    """A sink with `inProgress=bucket`, and a closed part of five bytes without a file."""
    sink = MadeSink(root)
    sink.settings |= {"inProgress": "bucket"}
    sink.record("claim")
    part = {**sink.pending_part("day=1", 0, 5), "handle": f"day=1/_{sink.name(0)}.in-progress.{END}"}
    return sink, part
