# SPDX-License-Identifier: Apache-2.0
"""Each rule of a check at its limit, where it says nothing, and one beyond."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_sink import MINUTE, NOW, RUN, UID, MadeSink, healthy

from stoplog._inspect.check import log_rules
from stoplog._shared.definitions import GRACE_MILLIS
from stoplog.inspection import Finding, FindingKind, SinkDirectory

K = FindingKind
TAIL = f"{UID}-0000000000000058"


def kinds(root: Path, now: int = NOW) -> list[FindingKind]:
    return [one.kind for one in found(root, now)]


def found(root: Path, now: int = NOW) -> tuple[Finding, ...]:
    return SinkDirectory(root, clock=lambda: now).check().findings


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (f"part-{UID}-8.json", [K.FINISHED_PART_UNKNOWN]),
        (f"part-{UID}-7.json", [K.FINISHED_PART_DOUBLED]),
        (f"part-{UID}-m8.json", []),
        ("part-0b9d8c7e1f2a-8.json", []),
        (f"part-{UID}x-0b9d8c7e1f2a-8.json", []),
    ],
)
def test_a_part_with_an_unassigned_number_is_unknown(
    name: str, expected: list[FindingKind], tmp_path: Path
) -> None:
    """The newest record of the sink says that part 8 comes next."""
    healthy(tmp_path).write(f"a/b/{name}", b"x")
    findings = found(tmp_path)
    assert [one.kind for one in findings] == expected
    if expected == [K.FINISHED_PART_UNKNOWN]:
        assert findings[0].bucket == "a/b"
        assert findings[0].message.endswith("its run assigned no number above 7.")


@pytest.mark.parametrize("log", ["replace", "batch-17"])
def test_the_part_of_a_job_is_known(log: str, tmp_path: Path) -> None:
    """The record of a job has an identity for announcements, and no next number."""
    job = MadeSink(tmp_path, log, settings={"identity": "x"}, query=log)
    job.record("epoch", [job.finished("day=1", 0, 10)], state={"nextPart": 0})
    assert kinds(tmp_path) == []


def test_jobs_that_replace_files_have_no_claim(tmp_path: Path) -> None:
    jobs = MadeSink(tmp_path, "replace", settings={"identity": "x"}, query="replace")
    jobs.record("epoch", [jobs.finished("day=1", 0, 10)])
    jobs.run, jobs.last_epoch = "0b9d8c7e-1f2a-4b3c-8d4e-5f60718293a4", None
    jobs.record("epoch", [jobs.finished("day=2", 1, 10)])
    assert kinds(tmp_path) == []


@pytest.mark.parametrize(
    ("seq", "marked", "expected"),
    [
        ("6", False, []),
        ("6", True, []),
        ("7", True, []),
        ("5", False, [K.REPLACED_LEFT]),
        ("0", False, [K.MERGE_INPUT_ASIDE]),
        ("aside", True, []),
    ],
)
def test_replaced_parts_of_the_newest_record_are_kept_until_the_next_record(
    seq: str, marked: bool, expected: list[FindingKind], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the driver does: a user must not hear that parts can go that may have to be put back."""
    monkeypatch.setattr(log_rules, "_RECORDS_KEPT", 1)  # so that the first record may have been trimmed
    sink = healthy(tmp_path)
    opened = [sink.open_part("day=3", 5, 200, sink.beside(5)), sink.open_part("", 6, 10)]
    small = [{"bucket": "day=3", "name": sink.name(2), "bytes": 9, "records": 1, "epoch": 3}]
    sink.record("compact", opened=opened, replace=small, marked=marked, at_millis=NOW - MINUTE)
    (sink.own / "log" / f"{0:020d}.commit").unlink()
    sink.write(f"_stoplog/main/replaced/{seq}/day=3/{sink.name(2)}", b"x", 12 * MINUTE)
    findings = found(tmp_path)
    assert [one.kind for one in findings] == expected
    if expected:
        why = "is in no record" if seq == "5" else "which may have been a compaction that was called off"
        assert f"was hidden for record {seq}, {why}, and is 12 min old." in findings[0].message


def test_a_batch_job_keeps_the_replaced_parts(tmp_path: Path) -> None:
    healthy(tmp_path)
    job = MadeSink(tmp_path, "batch-17", settings={}, query="batch-17")
    job.record("claim")
    job.record("claim")
    job.write("_stoplog/batch-17/replaced/0/day=1/a", b"x", 30 * MINUTE)
    assert kinds(tmp_path) == []


@pytest.mark.parametrize("seq", [1, 2, 3, 4])
def test_only_the_oldest_and_the_newest_record_may_lack_their_mark(
    seq: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of four epochs, each of which publishes a part: the mark of the oldest is the first to be trimmed."""
    monkeypatch.setattr(log_rules, "_RECORDS_KEPT", 4)
    sink = MadeSink(tmp_path, seq=1)
    for number in range(4):
        sink.record("epoch", [sink.finished("a", number, 10)], at_millis=NOW - MINUTE)
    sink.mark_path(seq).unlink()
    assert kinds(tmp_path) == ([K.MARK_MISSING] if seq in (2, 3) else [])


@pytest.mark.parametrize(("behind", "expected"), [(60_000, []), (60_001, [K.CLOCK_BACKWARDS])])
def test_clocks_may_differ_by_a_minute(behind: int, expected: list[FindingKind], tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    sink.change(5, writtenAtMillis=NOW - 2 * MINUTE - behind)
    assert kinds(tmp_path) == expected


@pytest.mark.parametrize(
    ("kind", "epoch", "next_part", "expected"),
    [
        ("epoch", 3, 5, []),
        ("epoch", 2, 5, []),
        ("epoch", 4, 5, [K.EPOCH_SKIPPED]),
        ("epoch", 1, 5, [K.EPOCH_BACKWARDS]),
        ("roll", 1, 5, [K.EPOCH_BACKWARDS]),
        ("compact", 1, 5, []),
        ("release", 9, 5, []),
        ("epoch", 3, 4, [K.FINISHED_PART_UNKNOWN, K.PART_NUMBER_BACKWARDS]),
    ],
)
def test_epochs_grow_by_at_most_1(
    kind: str, epoch: int, next_part: int, expected: list[FindingKind], tmp_path: Path
) -> None:
    """Record 4 ends with epoch 2, and part 5 comes next."""
    sink = healthy(tmp_path)
    (tmp_path / "day=3" / sink.name(7)).unlink()
    sink.change(5, kind=kind, epoch=epoch, publish=[], state={"lastEpoch": epoch, "nextPart": next_part})
    assert kinds(tmp_path) == expected


def test_the_first_epoch_of_a_log_is_0(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    sink.record("claim")
    sink.record("epoch")
    assert kinds(tmp_path) == []
    sink.change(1, epoch=1, state={"lastEpoch": 1})
    findings = found(tmp_path)
    assert [one.message for one in findings] == ["Record 1 ends with epoch 1, the one before with epoch -1."]


@pytest.mark.parametrize(("kept", "expected"), [(5, [K.LOG_GAP]), (4, [])])
def test_a_trimmed_log_has_at_least_the_records_kept_by_a_trim(
    kept: int, expected: list[FindingKind], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_rules, "_RECORDS_KEPT", kept)
    sink = MadeSink(tmp_path, seq=2)
    for _ in range(4):
        sink.record("epoch", at_millis=NOW - MINUTE)
    findings = [one for one in found(tmp_path) if one.kind is K.LOG_GAP]
    assert [one.kind for one in findings] == expected
    if expected:
        assert findings[0].message == "The log has record 2, and lacks records 0 to 1."


def test_a_log_restarted_by_an_operator_after_a_gap_is_complete(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    for seq in (1, 2):
        sink.record_path(seq).unlink()
    assert K.LOG_GAP in kinds(tmp_path)
    newest = max(int(path.name[:20]) for path in (sink.own / "log").glob("*.commit"))
    sink.change(newest, state={"queryId": ""})
    assert K.LOG_GAP not in kinds(tmp_path)


def test_a_gap_names_the_missing_records_without_other_findings(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    for seq in (2, 3):
        sink.record_path(seq).unlink()
        sink.mark_path(seq).unlink()
    gap = next(one for one in found(tmp_path) if one.kind is K.LOG_GAP)
    assert gap.message == "The log has records 1 and 4, and lacks records 2 to 3."
    assert kinds(tmp_path) == [K.LOG_GAP]


STAGED = {
    K.ORPHAN_PART: f"open/a/.part-{UID}-88.json.inprogress.{TAIL}",
    K.ORPHAN_SIDE_FILE: f"beside/part-{UID}-88.json.{TAIL}",
    K.UPLOAD_LEFT: f"open/.part-{UID}-88.json.{TAIL}.upload",
    K.DRAFT_LEFT: f"open/.note.{RUN}",
}


@pytest.mark.parametrize(("kind", "path"), STAGED.items(), ids=lambda one: str(getattr(one, "value", "")))
def test_files_of_a_lost_writer_become_findings_after_the_grace_period(
    kind: FindingKind, path: str, tmp_path: Path
) -> None:
    healthy(tmp_path).write(f"_stoplog/main/{path}", b"x", 0)
    assert kinds(tmp_path, NOW + GRACE_MILLIS) == []
    assert kinds(tmp_path, NOW + GRACE_MILLIS + 1) == [kind]
    assert ", is in no record, and is 11 min old." in found(tmp_path, NOW + GRACE_MILLIS + 1)[0].message


def test_an_unpublished_decision_becomes_a_finding_after_the_grace_period(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    opened = [sink.open_part("day=3", 5, 200, sink.beside(5)), sink.open_part("", 6, 10)]
    part = sink.pending_part("day=4", 9, 50)
    sink.write(part["handle"], b"x" * 50)
    sink.record("epoch", [part], opened, at_millis=NOW, marked=False)
    assert kinds(tmp_path, NOW + GRACE_MILLIS) == []
    late = found(tmp_path, NOW + GRACE_MILLIS + 1)
    assert [(one.kind, one.epoch) for one in late] == [(K.PENDING_PART_WAITING, 4)]
    assert "decided 1 parts 11 min ago" in late[0].message
    # What has a finding of its own is not said twice.
    (tmp_path / part["handle"]).write_bytes(b"x" * 49)
    assert kinds(tmp_path, NOW + GRACE_MILLIS + 1) == [K.PENDING_PART_SHORT]


@pytest.mark.parametrize(
    ("noted", "expected"),
    [
        (b"\x00\x041100", []),
        (b"\x00\x041000", [K.VALID_LENGTH_WRONG]),
        (b"\x00\x041200", [K.VALID_LENGTH_WRONG]),
    ],
)
def test_the_valid_length_of_a_part_without_further_bytes_is_compared(
    noted: bytes, expected: list[FindingKind], tmp_path: Path
) -> None:
    sink = healthy(tmp_path)
    sink.write(f"day=3/_{sink.name(7)}.valid-length", noted)
    assert kinds(tmp_path) == expected


@pytest.mark.parametrize(
    ("note", "content", "expected"),
    [
        ("_{name}.valid-length", b"\x00\x041100", []),
        (".{name}.valid-length", b"\x00\x041100", []),
        ("_{name}.valid-length", b"\x00\x16" + b"1100".zfill(22), []),
        ("_{name}.valid-length", b"\x00\x17" + b"1100".zfill(23), [K.FINISHED_PART_LONG]),
        ("_{name}.valid-length", b"\x00\x041101", [K.VALID_LENGTH_WRONG]),
        ("_{name}.valid-length", b"\x00\x04none", [K.FINISHED_PART_LONG]),
        ("_another.valid-length", b"\x00\x041100", [K.FINISHED_PART_LONG]),
        ("{name}.valid-length", b"\x00\x041100", [K.FINISHED_PART_DOUBLED, K.FINISHED_PART_LONG]),
    ],
)
def test_a_part_may_be_longer_than_recorded_if_a_valid_length_file_exists(
    note: str, content: bytes, expected: list[FindingKind], tmp_path: Path
) -> None:
    sink = healthy(tmp_path)
    sink.write(f"day=3/{sink.name(7)}", b"x" * 1101)
    sink.write("day=3/" + note.format(name=sink.name(7)), content)
    assert [one for one in kinds(tmp_path) if one is not K.FINISHED_PART_UNKNOWN] == expected


def test_a_part_moved_to_the_root_of_the_sink_is_reported(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    (tmp_path / "day=3" / sink.name(7)).rename(tmp_path / sink.name(7))
    assert [one.message for one in found(tmp_path)] == [f"day=3/{sink.name(7)} is at {sink.name(7)} now."]


@pytest.mark.parametrize(("size", "expected"), [(64, []), (63, [K.SIDE_FILE_SHORT]), (65, [])])
def test_a_spool_file_has_at_least_the_recorded_bytes(
    size: int, expected: list[FindingKind], tmp_path: Path
) -> None:
    sink = healthy(tmp_path)
    next((sink.own / "beside").iterdir()).write_bytes(b"r" * size)
    assert kinds(tmp_path) == expected


@pytest.mark.parametrize(("size", "expected"), [(200, []), (199, [K.OPEN_PART_SHORT]), (201, [])])
def test_an_open_part_has_at_least_the_committed_bytes(
    size: int, expected: list[FindingKind], tmp_path: Path
) -> None:
    sink = healthy(tmp_path)
    (tmp_path / sink.staged_path("day=3", 5)).write_bytes(b"x" * size)
    assert kinds(tmp_path) == expected


def test_findings_are_counted_and_sorted_with_errors_first(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    sink.write("z.txt", b"")
    sink.write("a.txt", b"")
    (tmp_path / "day=2" / "_SUCCESS").unlink()
    (tmp_path / "day=3" / sink.name(7)).write_bytes(b"")
    report = SinkDirectory(tmp_path, clock=lambda: NOW).check()
    assert [(one.kind, one.path) for one in report.findings] == [
        (K.FINISHED_PART_EMPTY, f"day=3/{sink.name(7)}"),
        (K.FOREIGN_FILE, "a.txt"),
        (K.FOREIGN_FILE, "z.txt"),
        (K.MARKER_GONE, "day=2/_SUCCESS"),
    ]
    assert (report.sinks, report.records, report.files, report.is_healthy) == (("main",), 6, 4, False)


def test_a_report_with_information_only_is_healthy(tmp_path: Path) -> None:
    healthy(tmp_path)
    (tmp_path / "day=2" / "_SUCCESS").unlink()
    report = SinkDirectory(tmp_path, clock=lambda: NOW).check()
    assert [one.kind for one in report.findings] == [K.MARKER_GONE]
    assert report.is_healthy
