# SPDX-License-Identifier: Apache-2.0
"""Copies of parts: `check` recognises a copy under any name, and only in directories that readers see."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from made_sink import NOW, UID, healthy

from stoplog.inspection import CheckReport, FindingKind, SinkDirectory

K = FindingKind


def checked(root: Path) -> CheckReport:
    return SinkDirectory(root, clock=lambda: NOW).check()


@pytest.mark.parametrize(
    "copy",
    [
        "day=2/part-{UID}-4 (1).json",
        "day=2/part-{UID}-4_copy.json",
        "day=2/part-{UID}-4.json.1",
        "day=2/part-{UID}-4.json.bak",
        "day=2/part-{UID}-4.json~",
        "day=2/Copy of part-{UID}-4.json",
        "day=9/part-{UID}-4.json.gz",
        "day=9/part-{UID}-4",
    ],
)
def test_a_visible_copy_of_a_part_under_another_name_is_found(copy: str, tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    path = copy.format(UID=UID)
    sink.write(path, b"x" * 300)
    (found,) = checked(tmp_path).findings
    assert (found.kind, found.path) == (K.FINISHED_PART_DOUBLED, path)
    assert f"day=2/{sink.name(4)}" in found.message


@pytest.mark.parametrize("letter", ["m", "r"])
def test_parts_of_other_kinds_are_not_copies(letter: str, tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    sink.write(f"day=2/part-{UID}-{letter}4.json", b"x" * 300)
    sink.write(f"day=2/part-0b9d8c7e1f2a-{letter}4.json", b"x" * 300)
    assert checked(tmp_path).findings == ()


@pytest.mark.parametrize(
    "path",
    [
        "day=1/part-{UID}-1 (1).json",
        "day=7/part-{UID}-1.json",
        "restored/day=1/part-{UID}-1.json.bak",
    ],
)
def test_a_replaced_part_is_found_under_any_visible_path(path: str, tmp_path: Path) -> None:
    path = path.format(UID=UID)
    healthy(tmp_path).write(path, b"x" * 100)
    (found,) = checked(tmp_path).findings
    assert (found.kind, found.path, found.sink_id) == (K.REPLACED_PART_VISIBLE, path, "main")
    assert found.bucket == path.rpartition("/")[0]


def test_hidden_copies_of_parts_are_not_damage(tmp_path: Path) -> None:
    """Readers see no file of these directories."""
    sink = healthy(tmp_path)
    for number in (1, 4):
        for path in (
            f"_old1/{sink.name(number)}",
            f"_old2/{sink.name(number)}",
            f"_old2/b/{sink.name(number)}",
        ):
            sink.write(path, b"x" * 300)
    sink.write(f"day=1/_old/{sink.name(1)}", b"x" * 100)
    sink.write(f"_rejected/_old/{sink.name(4)}", b"x" * 300)
    sink.write(f"_rejected/{sink.name(1)}", b"x" * 300)
    assert checked(tmp_path).findings == ()


def test_two_copies_of_rejected_rows_are_found(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    sink.record("epoch", [sink.finished("_rejected/day=3", 9, 30)], [sink.open_part("", 6, 10)])
    shutil.rmtree(sink.own / "open" / "day=3")
    shutil.rmtree(sink.own / "beside")
    assert checked(tmp_path).findings == ()
    sink.write(f"_rejected/day=4/{sink.name(9)}", b"x" * 30)
    (found,) = checked(tmp_path).findings
    assert (found.kind, found.path) == (K.FINISHED_PART_DOUBLED, f"_rejected/day=4/{sink.name(9)}")


def test_the_longer_name_is_the_copy_of_a_part_without_a_record(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    for suffix in (".json", " (1).json"):
        sink.write(f"day=2/part-0b9d8c7e1f2a-3{suffix}", b"x" * 300)
    (found,) = checked(tmp_path).findings
    assert (found.kind, found.path) == (K.FINISHED_PART_DOUBLED, "day=2/part-0b9d8c7e1f2a-3 (1).json")
