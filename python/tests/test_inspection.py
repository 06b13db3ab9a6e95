# SPDX-License-Identifier: Apache-2.0
"""What a directory is found to hold, by its own clock."""

from __future__ import annotations

import errno
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from made_sink import MINUTE, NOW, QUERY, UID, MadeSink, healthy

from stoplog._exporter.collector import SinkCollector
from stoplog._storage import open_storage
from stoplog.errors import CannotRead, NotFound, WhichSink
from stoplog.inspection import PartState, RecordKind, SinkDirectory, SinkKind, inspect


def directory(root: Path, now: int = NOW) -> SinkDirectory:
    return SinkDirectory(root, clock=lambda: now)


def test_sinks_are_described_by_the_newest_record(tmp_path: Path) -> None:
    healthy(tmp_path)
    job = MadeSink(tmp_path, "batch-17", settings={}, query="batch-17")
    job.record("epoch", [job.pending_part("b", 60, 5)], marked=False)
    other = MadeSink(tmp_path, "kafka", settings={"content": "", "trigger": "unending"})
    other.record("claim")
    torn = MadeSink(tmp_path, "torn")
    torn.put(0, {"seq": 0, "writtenAtMillis": 0, "state": {"open": []}})
    (tmp_path / "_stoplog" / "started-only" / "open").mkdir(parents=True)
    found = {sink.sink_id: sink for sink in directory(tmp_path).sinks()}
    assert list(found) == ["batch-17", "kafka", "main", "torn"]
    main = found["main"]
    assert (main.kind, main.query_id, main.records, main.newest_kind) == (
        SinkKind.FILES,
        QUERY,
        6,
        RecordKind.EPOCH,
    )
    assert (main.newest_seq, main.last_epoch, main.open_parts, main.pending_parts) == (5, 3, 2, 0)
    assert main.age_millis == 2 * MINUTE
    assert (found["batch-17"].kind, found["batch-17"].pending_parts) == (SinkKind.BATCH, 1)
    assert found["kafka"].kind is SinkKind.CONNECTOR
    assert found["torn"].kind is SinkKind.UNKNOWN
    assert "stoplog check" in str(found["torn"].problem)


def test_a_missing_directory_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(CannotRead, match="the directory does not exist"):
        inspect(tmp_path / "gone").sinks()
    assert inspect(tmp_path).sinks() == []
    for look in (inspect(tmp_path).check, inspect(tmp_path).status, lambda: inspect(tmp_path).explain("a")):
        with pytest.raises(NotFound, match="No sink has written to"):
            look()


def test_status_has_totals_of_each_bucket(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    sink.write("day=3/notes.txt", b"")
    sink.write(f"_rejected/day=3/{sink.name(3)}", b"{}")
    status = directory(tmp_path).status()
    buckets = {bucket.bucket: bucket for bucket in status.buckets}
    assert list(buckets) == ["", "_rejected/day=3", "day=1", "day=2", "day=3"]
    assert (buckets["day=1"].finished, buckets["day=1"].finished_bytes) == (2, 290)
    assert buckets["day=2"].markers == 1
    third = buckets["day=3"]
    assert (third.finished, third.open, third.open_bytes, third.pending) == (1, 1, 250, 0)
    assert third.oldest_open_at_millis == NOW - 4 * MINUTE
    assert (status.foreign_files, status.unfinished_files) == (1, 2)


def test_decided_and_unpublished_parts_are_pending(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    sink.record("roll", [sink.pending_part("day=3", 6, 10, "age")], marked=False)
    status = directory(tmp_path).status()
    assert status.sink.pending_parts == 1
    assert next(one for one in status.buckets if one.bucket == "day=3").pending_bytes == 10


def test_status_forecasts_the_roll_of_each_part_with_the_reason(tmp_path: Path) -> None:
    healthy(tmp_path)
    first, second = directory(tmp_path).status().open
    # Idle for a minute of five, open for four of fifteen.
    assert {first.name, second.name} == {f"part-{UID}-5.json", f"part-{UID}-6.json"}
    assert first.roll.at_millis == NOW + 4 * MINUTE
    assert first.roll.reason == "inactivity"
    assert "open 4m of 15m" in first.roll.why_not_yet
    assert "idle 60s of 5m" in first.roll.why_not_yet
    late = directory(tmp_path, NOW + 5 * MINUTE).status().open[0].roll
    assert late.reason == "inactivity"
    assert "the part is due" in late.why_not_yet
    assert "every 60s" in late.why_not_yet


@pytest.mark.parametrize(
    ("settings", "reason", "why"),
    [
        ({"maxPartSize": "9"}, "size", "the part is full"),
        ({"maxRecordsPerPart": "10"}, "records", "the part is full"),
        ({"maxRecordsPerPart": "40"}, "inactivity", "25% of its rows"),
        ({"rolloverInterval": "270s"}, "age", "open 4m of 4m"),
        ({"rollingPolicy": "onCheckpoint"}, "checkpoint", "the next epoch"),
        ({"rollingPolicy": "com.acme.AtMidnight"}, None, "com.acme.AtMidnight"),
    ],
)
def test_each_policy_has_a_forecast(
    settings: dict[str, str], reason: str | None, why: str, tmp_path: Path
) -> None:
    sink = MadeSink(tmp_path)
    sink.settings |= settings
    sink.record("epoch", opened=[sink.open_part("b", 0, 10)])
    roll = directory(tmp_path).status().open[0].roll
    assert roll.reason == reason
    assert why in roll.why_not_yet


def test_a_log_without_a_policy_or_of_an_ended_query_has_no_forecast(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    sink.settings = {"content": "", "inProgress": "staging"}
    part = sink.open_part("b", 0, 10)
    sink.record("epoch", opened=[part])
    old = directory(tmp_path).status().open[0].roll
    assert (old.at_millis, old.reason) == (None, None)
    assert "the rolling policy" in old.why_not_yet
    sink.record("release", opened=[part])
    assert "has ended" in directory(tmp_path).status().open[0].roll.why_not_yet


def test_an_epoch_and_any_record_are_shown(tmp_path: Path) -> None:
    healthy(tmp_path)
    shown = directory(tmp_path).epoch(2)
    assert (shown.record.seq, shown.published) == (4, True)
    assert [part.finished_path for part in shown.record.publish] == [f"day=2/part-{UID}-4.json"]
    assert directory(tmp_path).record(3).record.kind is RecordKind.COMPACT
    assert directory(tmp_path).newest_record().record.seq == 5
    for missing in (directory(tmp_path).epoch, directory(tmp_path).record):
        with pytest.raises(NotFound, match="is not in the log") as raised:
            missing(9)
        assert raised.value.condition == "STOPLOG_NOT_FOUND"


def test_logs_of_jobs_do_not_make_the_only_sink_ambiguous(tmp_path: Path) -> None:
    healthy(tmp_path)
    merging = MadeSink(tmp_path, "replace", settings={}, query="batch-1")
    merging.record("release")
    job = MadeSink(tmp_path, "batch-17", settings={}, query="batch-17")
    job.record("epoch", [job.pending_part("b", 60, 5)], marked=False)
    assert directory(tmp_path).status().sink.sink_id == "main"
    assert directory(tmp_path).newest_record().record.seq == 5
    assert "main" in directory(tmp_path).report().html
    MadeSink(tmp_path, "second").record("claim")
    with pytest.raises(WhichSink, match="several sinks: main, second"):
        directory(tmp_path).status()


def test_the_sink_must_be_named_among_several(tmp_path: Path) -> None:
    healthy(tmp_path)
    MadeSink(tmp_path, "second").record("claim")
    with pytest.raises(Exception, match="several sinks: main, second"):
        directory(tmp_path).status()
    assert directory(tmp_path).status("main").sink.open_parts == 2
    with pytest.raises(Exception, match="has no sink third"):
        directory(tmp_path).status("third")


def test_every_state_of_a_file_is_explained(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    (tmp_path / "day=2" / sink.name(4)).unlink()
    sink.write(sink.staged_path("day=9", 88), b"x", 30 * MINUTE)
    sink.write(sink.staged_path("day=9", 89), b"x", MINUTE)
    sink.write("day=3/part-0b9d8c7e1f2a-0.json", b"x")
    sink.write("day=3/notes.txt", b"x")
    sink.write("day=2/_SUCCESS.2", b"")
    sink.write("day=9/_SUCCESS", b"")
    more = {
        "bucket": "day=2",
        "version": 2,
        "form": "empty",
        "sinkId": "main",
        "cause": "idle",
        "atMillis": NOW,
    }
    opened = [sink.open_part("day=3", 5, 200, sink.beside(5))]
    sink.record("roll", [sink.pending_part("day=3", 6, 10, "age")], opened, markers=[more])
    sink.mark_path(6).unlink()
    side = f"_stoplog/main/beside/{sink.name(5)}.{UID}-0000000000000005"
    requested = {
        f"day=3/{sink.name(7)}": (PartState.FINISHED, "Readers see the part: 10 rows"),
        str(tmp_path / "day=3" / sink.name(7)): (PartState.FINISHED, "record 5 (epoch, last epoch 3)"),
        sink.name(5): (PartState.OPEN, "It will be closed in 240 s (inactivity)"),
        sink.staged_path("day=3", 5): (PartState.OPEN, "still open"),
        side: (PartState.BESIDE, sink.name(5)),
        sink.name(6): (PartState.PENDING, "roll reason age"),
        sink.name(4): (PartState.GONE, "moved or deleted"),
        sink.name(1): (PartState.REPLACED, f"day=1/part-{UID}-m0.json"),
        sink.staged_path("day=9", 88): (PartState.ORPHAN, "within an hour"),
        sink.staged_path("day=9", 89): (PartState.ORPHAN, "in 11 min"),
        "part-0b9d8c7e1f2a-0.json": (PartState.FINISHED, "an ended batch job"),
        "day=3/notes.txt": (PartState.FOREIGN, "Readers see the file"),
        "day=2/_SUCCESS": (PartState.OWN, "Sink main marks the bucket day=2 as complete"),
        "day=2/_SUCCESS.2": (PartState.OWN, "Sink main marks"),
        "day=9/_SUCCESS": (PartState.FOREIGN, "another program"),
        "_stoplog/main/manifests/00000000000000000004.manifest": (
            PartState.OWN,
            "lists the files of one commit",
        ),
        "day=3": (PartState.BUCKET, "2 parts with 1.1 KiB, and 1 open part with 10 rows that they do not"),
        f"{tmp_path}/day=1/": (PartState.BUCKET, "It has no marker"),
        "_stoplog/main/log/00000000000000000001.commit": (PartState.OWN, "Do not change the file"),
        "nothing.json": (PartState.UNKNOWN, "no file with this name"),
    }
    for file, (state, words) in requested.items():
        found = directory(tmp_path).explain(file)
        assert (found.state, words in found.message) == (state, True), found


def test_errors_of_other_file_systems_name_the_required_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(CannotRead, match=r"has no option 'endpoint'\. Use one of: access_key"):
        inspect("s3a://bucket/events", {"endpoint": "localhost"})
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(CannotRead, match=r"s3:// needs pyarrow.*pip install pyarrow"):
        inspect("s3://bucket/events")


@pytest.mark.parametrize("kind", ["ArrowStorage", "ObjectStorage"])
def test_pyarrow_and_python_read_the_same_files(kind: str, tmp_path: Path) -> None:
    fs = pytest.importorskip("pyarrow.fs")
    from stoplog._storage import arrow as arrow_storage
    from stoplog._storage.local import LocalStorage

    healthy(tmp_path)
    arrow = getattr(arrow_storage, kind)(fs, fs.LocalFileSystem(), str(tmp_path), "uri")
    local = LocalStorage(str(tmp_path))
    by_path = {file.path: file for file in local.files()}
    assert {file.path: file for file in arrow.files()} == by_path
    assert sorted(arrow.children("day=3")[1], key=str) == sorted(local.children("day=3")[1], key=str)
    assert sorted(arrow.children("")[0]) == sorted(local.children("")[0])
    assert arrow.children("gone") == local.children("gone") == ([], [])
    path = next(iter(by_path))
    assert arrow.read(path) == local.read(path)
    assert arrow.info(path) == local.info(path)
    assert arrow.read("gone") is local.read("gone") is arrow.info("gone") is None
    assert {file.path for file in arrow.files("day=1")} == {file.path for file in local.files("day=1")}

    def enter(directory: str) -> bool:
        return directory != "_stoplog/main/log"

    assert {file.path for file in arrow.files(enter=enter)} == {
        file.path for file in local.files(enter=enter)
    }
    assert [file.directory for file in arrow.files(enter=lambda _: False)] == []
    assert arrow.exists()
    assert local.exists()
    shutil.rmtree(tmp_path)
    assert not arrow.exists()
    assert not local.exists()


def test_a_file_deleted_between_listing_and_reading_is_absent(tmp_path: Path) -> None:
    fs = pytest.importorskip("pyarrow.fs")
    from stoplog._storage.arrow import ArrowStorage

    class Late:
        """A file system that deletes a file when a reader opens it."""

        def __init__(self) -> None:
            self._system = fs.LocalFileSystem()

        def get_file_info(self, what: Any) -> Any:
            return self._system.get_file_info(what)

        def open_input_stream(self, path: str) -> Any:
            Path(path).unlink()
            return self._system.open_input_stream(path)

    (tmp_path / "a").write_text("x")
    assert ArrowStorage(fs, Late(), str(tmp_path), "uri").read("a") is None


def test_a_link_to_a_directory_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there")
    assert list(open_storage(tmp_path).files()) == []


def test_a_sink_is_found_behind_a_link(tmp_path: Path) -> None:
    sink = healthy(tmp_path / "events")
    elsewhere = tmp_path / "logs"
    sink.own.rename(elsewhere)
    sink.own.symlink_to(elsewhere)
    assert [each.sink_id for each in directory(sink.root).sinks()] == ["main"]
    assert directory(sink.root).check().is_healthy


def test_hidden_directories_without_permission_are_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink = healthy(tmp_path)
    for name in (".Trash-0", "lost"):
        (sink.root / name).mkdir()
    real, closed = os.scandir, {sink.root / ".Trash-0"}

    def scandir(path: Path) -> Any:
        if path in closed:
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert directory(sink.root).check().is_healthy
    assert len(directory(sink.root).status().buckets) == 4
    closed.add(sink.root / "lost")
    with pytest.raises(CannotRead, match="Permission denied"):
        directory(sink.root).check()


def test_a_job_of_another_user_hides_no_sink(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sink = healthy(tmp_path)
    MadeSink(tmp_path, "batch-17", settings={}).record("epoch")
    real = os.scandir

    def scandir(path: Path) -> Any:
        if "batch-17" in str(path):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    here = directory(sink.root)
    found = {each.sink_id: each.problem for each in here.sinks()}
    assert found.pop("main") is None
    assert "Permission denied" in str(found.pop("batch-17"))
    assert here.status().sink.sink_id == "main"
    collector = SinkCollector.of([str(tmp_path)], {}, lambda: NOW)
    readable = {
        sample.name + sample.labels.get("sink_id", ""): sample.value
        for family in collector.collect()
        for sample in family.samples
        if family.name.endswith("readable")
    }
    assert readable == {
        "stoplog_path_readable": 1,
        "stoplog_log_readablemain": 1,
        "stoplog_log_readablebatch-17": 0,
    }
    with pytest.raises(CannotRead, match="Permission denied"):
        here.check()


def test_an_epoch_given_as_a_string_is_a_type_error(tmp_path: Path) -> None:
    healthy(tmp_path)
    found: Any = directory(tmp_path)
    with pytest.raises(TypeError, match="number must be an int, not '3'"):
        found.epoch("3")
    with pytest.raises(TypeError, match="seq must be an int, not '3'"):
        found.record("3")


def test_a_part_may_be_named_by_a_path(tmp_path: Path) -> None:
    made = healthy(tmp_path)
    found = directory(tmp_path).explain(tmp_path / "day=2" / made.name(4))
    assert (found.state, found.path) == (PartState.FINISHED, f"day=2/{made.name(4)}")
