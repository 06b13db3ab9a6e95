# SPDX-License-Identifier: Apache-2.0
"""What sinks, status and single records say, field by field."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from damages import part_skipped
from made_sink import MINUTE, NOW, QUERY, RUN, UID, MadeSink, healthy

from stoplog._inspect import status as status_of
from stoplog._storage import open_storage
from stoplog.cli.commands.show import _lines_of_show
from stoplog.cli.commands.status import _lines_of_status
from stoplog.errors import NotFound, StoplogError
from stoplog.inspection import (
    BucketStatus,
    DriverState,
    RecordKind,
    RollingFacts,
    SinkDirectory,
    SinkKind,
    SinkStatus,
    SinkSummary,
    TargetStatus,
)

EMPTY = BucketStatus("", 0, 0, None, 0, 0, 0, 0, 0, None, None, 0)
MADE = SinkSummary(
    sink_id="main",
    kind=SinkKind.FILES,
    query_id=QUERY,
    records=6,
    newest_seq=5,
    newest_kind=RecordKind.EPOCH,
    newest_at_millis=NOW - 2 * MINUTE,
    age_millis=2 * MINUTE,
    last_epoch=3,
    open_parts=2,
    pending_parts=0,
)


def directory(root: Path, now: int = NOW) -> SinkDirectory:
    return SinkDirectory(root, clock=lambda: now)


def status(root: Path, now: int = NOW) -> SinkStatus:
    return directory(root, now).status()


def test_a_note_of_a_failure_without_a_time_is_shown_without_a_time(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    for name, note in (("a", b'{"at":"soon"}'), ("b", b"[" * 100_000), ("c", b"{")):
        sink.write(f"_stoplog/main/announced/{name}/{3:020d}.failed", note)
    found = SinkDirectory(tmp_path, clock=lambda: NOW).status().targets
    assert [(each.name, each.last_error, each.failed_at_millis) for each in found] == [
        (name, "unknown", None) for name in "abc"
    ]


def test_a_sink_has_a_summary(tmp_path: Path) -> None:
    healthy(tmp_path)
    assert directory(tmp_path).sinks() == [MADE]
    assert status(tmp_path).sink == MADE
    ahead = directory(tmp_path, NOW - 3 * MINUTE).sinks()[0]
    assert ahead.age_millis == 0
    (tmp_path / "_stoplog" / "empty" / "log").mkdir(parents=True)
    nothing = SinkSummary("empty", SinkKind.UNKNOWN, None, 0, None, None, None, None, None, 0, 0)
    assert directory(tmp_path).sinks() == [nothing, MADE]


def test_targets_of_announcements_have_their_position_and_their_failure(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    failure = json.dumps({"reason": "the receiver returned 503", "at": NOW - MINUTE}).encode()
    for file, content in {
        f"hook/{3:020d}": b"{}",
        f"hook/{4:020d}": b"{}",
        f"hook/{4:020d}.failed": failure,
        f"lake/{6:020d}": b"{}",
        f"lake/{5:020d}.failed": failure,
        "lake/draft": b"",
        f"torn/{2:020d}.failed": b"{",
    }.items():
        sink.write(f"_stoplog/main/announced/{file}", content)
    assert status(tmp_path).targets == (
        TargetStatus("hook", 4, 2, "the receiver returned 503", NOW - MINUTE),
        TargetStatus("lake", 6, 0),
        TargetStatus("torn", 0, 6, "unknown", None),
    )
    lines = "\n".join(_lines_of_status(status(tmp_path), 0))
    assert re.search(r"hook +2 +1m\S* +the receiver returned 503", lines), lines


def test_an_unreadable_log_has_a_reason(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    sink.record_path(5).write_bytes(b"")
    problem = (
        f"The record {tmp_path}/_stoplog/main/log/00000000000000000005.commit cannot be used: it is empty. "
        "Run 'stoplog check' on the directory, which prints the damage and the remedy."
    )
    unknown = SinkSummary("main", SinkKind.UNKNOWN, None, 6, None, None, None, None, None, 0, 0, problem)
    found = directory(tmp_path).sinks()
    assert found == [replace(unknown, problem=found[0].problem)]
    assert problem in str(found[0].problem)


@pytest.mark.parametrize(
    ("sink_id", "settings", "query", "kind"),
    [
        ("main", {"content": "json", "inProgress": "staging"}, "q", SinkKind.FILES),
        ("main", {"content": ""}, "q", SinkKind.CONNECTOR),
        ("main", {}, "", SinkKind.FILES),
        ("batch-1", {}, "q", SinkKind.BATCH),
        ("batches", {}, "q", SinkKind.CONNECTOR),
        ("replace", {}, "q", SinkKind.REPLACEMENTS),
        ("replace", {"follows": "run"}, "q", SinkKind.REPLACEMENTS),
        ("compact", {"content": "json", "inProgress": "staging"}, "q", SinkKind.FILES),
    ],
)
def test_the_kind_of_a_sink_follows_from_name_and_settings(
    sink_id: str, settings: dict[str, str], query: str, kind: SinkKind, tmp_path: Path
) -> None:
    MadeSink(tmp_path, sink_id, settings=settings, query=query).record("claim")
    assert directory(tmp_path).sinks()[0].kind is kind


def test_the_status_of_a_bucket_has_every_figure(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    sink.write(f"day=2/{sink.name(3)}", b"x" * 7, MINUTE)
    sink.write("day=2/_SUCCESS.2", b"{}")
    sink.write("day=2/.hidden", b"{}")
    opened = [
        sink.open_part("day=3", 5, 200, sink.beside(5)),
        {**sink.open_part("day=3", 6, 10), "openedAtMillis": NOW - 5 * MINUTE, "records": 4},
        {**sink.open_part("day=4", 8, 20), "lastWrittenAtMillis": NOW},
    ]
    pending = [sink.pending_part("day=3", 9, 50), sink.pending_part("day=3", 10, 60)]
    sink.record("epoch", pending, opened, marked=False)
    assert {one.bucket: one for one in status(tmp_path).buckets} == {
        "day=1": BucketStatus("day=1", 2, 290, NOW - 2 * MINUTE, 0, 0, 0, 0, 0, None, None, 0),
        "day=2": BucketStatus("day=2", 2, 307, NOW - MINUTE, 0, 0, 0, 0, 0, None, None, 2),
        "day=3": BucketStatus(
            "day=3",
            finished=1,
            finished_bytes=1100,
            newest_finished_at_millis=NOW - 2 * MINUTE,
            pending=2,
            pending_bytes=110,
            open=2,
            open_bytes=260,
            open_records=14,
            oldest_open_at_millis=NOW - 5 * MINUTE,
            next_roll_at_millis=NOW + 4 * MINUTE,
            markers=0,
        ),
        "day=4": BucketStatus("day=4", 0, 0, None, 0, 0, 1, 20, 10, NOW - 4 * MINUTE, NOW + 5 * MINUTE, 0),
    }


def test_a_file_may_have_the_time_0(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    sink.write_time(tmp_path / "day=2" / sink.name(4), 0)
    assert [one.newest_finished_at_millis for one in status(tmp_path).buckets if one.bucket == "day=2"] == [0]


def test_status_contains_the_figures_of_the_whole_sink(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    for name in ("a.txt", "day=1/b.txt"):
        sink.write(name, b"")
    found = status(tmp_path)
    assert (found.now_millis, found.foreign_files, found.unfinished_files) == (NOW, 2, 2)
    assert found.rolling == RollingFacts("default", 1024, None, 15 * MINUTE, 5 * MINUTE, MINUTE)
    assert found.driver is not None
    assert (found.driver.state, found.driver.run) == (DriverState.ALIVE, RUN)
    first = found.open[0]
    assert (first.bucket, first.name, first.size_bytes, first.records) == ("", sink.name(6), 10, 10)
    assert (first.opened_at_millis, first.last_written_at_millis) == (NOW - 4 * MINUTE, NOW - MINUTE)
    assert first.unfinished_path == sink.staged_path("", 6)
    assert first.roll.at_millis == NOW + 4 * MINUTE


def test_open_parts_are_sorted_by_the_time_of_closing(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    opened = [sink.open_part("b", 0, 10), sink.open_part("a", 3, 10), sink.open_part("a", 2, 10)]
    opened.append({**sink.open_part("c", 1, 10), "lastWrittenAtMillis": NOW - 2 * MINUTE})
    sink.record("epoch", opened=opened)
    assert [part.name for part in status(tmp_path).open] == [sink.name(n) for n in (1, 2, 3, 0)]
    # Parts whose end is unknown come last, by bucket and name.
    sink.settings["rollingPolicy"] = "com.acme.AtMidnight"
    sink.record("epoch", opened=opened)
    found = status(tmp_path)
    assert [part.name for part in found.open] == [sink.name(n) for n in (2, 3, 0, 1)]
    assert {bucket.next_roll_at_millis for bucket in found.buckets} == {None}


def test_a_released_sink_counts_no_open_part_as_due(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    sink.record("release", opened=[sink.open_part("b", 0, 10)])
    found = status(tmp_path)
    assert [part.roll.at_millis for part in found.open] == [None]
    assert found.driver is not None
    assert found.driver.state is DriverState.RELEASED


def test_a_sink_without_a_record_has_no_figures(tmp_path: Path) -> None:
    (tmp_path / "_stoplog" / "main" / "log").mkdir(parents=True)
    found = status(tmp_path)
    assert (found.driver, found.rolling, found.buckets, found.open) == (None, None, (), ())


def test_files_in_the_directory_of_a_connector_are_not_counted(tmp_path: Path) -> None:
    """A log alone often lies in a checkpoint, whose files are none of its business."""
    sink = MadeSink(tmp_path, settings={"content": ""})
    sink.write("offsets/0", b"x")
    sink.write(f"day=1/{sink.name(1)}", b"x")
    sink.record("epoch", [sink.pending_part("", 0, 5)], marked=False)
    found = status(tmp_path)
    assert (found.buckets, found.foreign_files, found.sink.pending_parts) == ((), 0, 1)


def test_each_finished_file_is_passed_on_once(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    sink.write("day=1/notes.txt", b"")
    seen: list[str] = []
    status_of.status(open_storage(tmp_path, {}), "main", NOW, lambda file: seen.append(file.path))
    parts = [
        f"day=1/{sink.name(0)}",
        f"day=1/part-{UID}-m0.json",
        f"day=2/{sink.name(4)}",
        f"day=3/{sink.name(7)}",
    ]
    assert sorted(seen) == parts


@pytest.mark.parametrize(
    ("look", "message"),
    [
        (
            lambda one: one.epoch(9),
            "Epoch 9 of sink main is not in the log: the log has 6 records, "
            "the newest epoch among them is 3.",
        ),
        (lambda one: one.record(9), "Record 9 of sink main is not in the log: the log has records 0 to 5."),
        (lambda one: one.status("other"), "{root} has no sink other. The path has main."),
    ],
)
def test_a_missing_subject_is_reported_with_the_existing_ones(
    look: Callable[[SinkDirectory], object], message: str, tmp_path: Path
) -> None:
    healthy(tmp_path)
    with pytest.raises(NotFound) as raised:
        look(directory(tmp_path))
    assert message.format(root=tmp_path) in str(raised.value)


def test_an_empty_log_is_reported_as_empty(tmp_path: Path) -> None:
    (tmp_path / "_stoplog" / "main" / "log").mkdir(parents=True)
    one = directory(tmp_path)
    looks: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: one.record(0), "Record 0 of sink main is not in the log: the log is empty."),
        (one.newest_record, "The log of sink main is empty."),
        (
            lambda: one.epoch(0),
            "Epoch 0 of sink main is not in the log: the log has 0 records, none of them of an epoch.",
        ),
    )
    for look, message in looks:
        with pytest.raises(NotFound) as raised:
            look()
        assert message in str(raised.value)


def test_the_absence_of_a_sink_and_an_ambiguous_sink_are_reported(tmp_path: Path) -> None:
    with pytest.raises(StoplogError) as none:
        directory(tmp_path).status()
    assert f"No sink has written to {tmp_path}: there is no log. Check the path." in str(none.value)
    with pytest.raises(NotFound) as named:
        directory(tmp_path).status("main")
    assert f"{tmp_path} has no sink main. The path has no sink." in str(named.value)
    for sink_id in ("b", "a"):
        MadeSink(tmp_path, sink_id).record("claim")
    with pytest.raises(StoplogError) as several:
        directory(tmp_path).status()
    assert several.value.condition == "STOPLOG_WHICH_SINK"
    assert f"{tmp_path} has several sinks: a, b." in str(several.value)
    with pytest.raises(NotFound) as third:
        directory(tmp_path).check("third")
    assert "The path has a, b." in str(third.value)
    assert directory(tmp_path).check("b").sinks == ("b",)
    assert directory(tmp_path).check().sinks == ("a", "b")


def test_records_are_shown_with_path_and_state_of_publication(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    one = directory(tmp_path)
    for view, seq, published in (
        (one.epoch(3), 5, True),
        (one.epoch(0), 1, True),
        (one.record(0), 0, True),
        (one.newest_record(), 5, True),
    ):
        assert (view.path, view.published) == (f"_stoplog/main/log/{seq:020d}.commit", published)
        assert view.record.seq == seq
    assert not one.record(3).called_off
    sink.call_off(3)
    assert one.record(3).called_off
    assert one.record(3).remarks == (
        "The compaction of record 3 was called off because a reader has moved a small part. "
        "The small parts have the rows.",
    )
    sink.mark_path(5).unlink()
    assert not one.newest_record().published
    assert not one.epoch(3).published
    # A record that says nothing of an epoch, or cannot be read, is passed over.
    sink.record_path(4).write_bytes(b"{")
    assert one.epoch(1).record.seq == 2


def test_a_shown_record_names_the_parts_that_the_query_has_skipped(tmp_path: Path) -> None:
    part_skipped(healthy(tmp_path))
    found = directory(tmp_path).record(4)
    remark = (
        f"day=2/part-{UID}-4.json of record 4 was lost, and the query has continued without its 10 rows "
        "(onLostPart=skip)."
    )
    assert found.remarks == (remark,)
    assert list(_lines_of_show(found, 1))[2:4] == ["Carried out.", remark]


def test_a_called_off_record_is_not_shown_as_carried_out(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    sink.call_off(3)
    found = directory(tmp_path).record(3)
    assert list(_lines_of_show(found, 0))[2] == found.remarks[0]


def test_hidden_files_are_neither_finished_nor_foreign(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    before, files = directory(tmp_path).status(), directory(tmp_path).check().files
    for path in ("_checkpoint/metadata", "_checkpoint/offsets/0", ".hidden/x", "a._COPYING_"):
        sink.write(path, b"x")
    sink.write(f"_rejected/day=1/{sink.name(0)}", b"x")
    after = directory(tmp_path).status()
    assert after.foreign_files == before.foreign_files
    added = [bucket.bucket for bucket in after.buckets if bucket not in before.buckets]
    assert added == ["_rejected/day=1"]
    assert directory(tmp_path).check().files == files
    sink.write(f"_day=1/{sink.name(99)}", b"x")  # a column of a partition, which Spark reads
    assert "_day=1" in [bucket.bucket for bucket in directory(tmp_path).status().buckets]
    assert directory(tmp_path).check().files == files + 1


def test_a_part_with_a_valid_length_file_counts_with_the_committed_bytes(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    for prefix, suffix in (("_", ".valid-length"), (".", ".length")):
        sink.write(f"day=3/{sink.name(7)}", b"x" * 1900)
        note = sink.write(f"day=3/{prefix}{sink.name(7)}{suffix}", b"\x00\x041100")
        found = next(bucket for bucket in status(tmp_path).buckets if bucket.bucket == "day=3")
        assert found.finished_bytes == 1100
        assert directory(tmp_path).report().figures.listing.largest_bytes == 1100
        note.unlink()


def test_files_of_a_log_in_a_subdirectory_are_not_counted(tmp_path: Path) -> None:
    healthy(tmp_path)
    before = status(tmp_path)
    inner = healthy(tmp_path / "day=9")
    assert inner.own.exists()
    found = {bucket.bucket for bucket in status(tmp_path).buckets} - {one.bucket for one in before.buckets}
    assert found
    assert not any("_stoplog" in bucket for bucket in found)
