# SPDX-License-Identifier: Apache-2.0
"""Each kind of damage is found under its name, and a healthy directory has none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from damages import DAMAGES, OLD, Damage, merge_called_off, part_skipped
from golden import sections
from made_sink import MINUTE, NOW, RUN, UID, MadeSink, healthy

from stoplog._inspect.check.rules import RULES
from stoplog.inspection import CheckReport, Finding, FindingKind, SinkDirectory

K = FindingKind
REPORTED = sections("damages.txt")


def named(value: object) -> str:
    """A kind by its word, and nothing for what inflicts it."""
    return str(getattr(value, "value", ""))


def checked(root: Path, sink_id: str | None = None) -> CheckReport:
    return SinkDirectory(root, clock=lambda: NOW).check(sink_id)


def test_a_healthy_directory_has_no_finding(tmp_path: Path) -> None:
    healthy(tmp_path)
    report = checked(tmp_path)
    assert report.findings == ()
    assert report.is_healthy
    assert (report.sinks, report.records, report.files) == (("main",), 6, 4)


def reported(finding: Finding) -> str:
    """All that a finding says."""
    about = [finding.sink_id, finding.bucket, finding.epoch]
    where = ", ".join("-" if one is None else str(one) for one in about)
    head = f"{finding.severity.value} {finding.kind.value}: {finding.path} ({where})"
    return f"{head}\n  {finding.message}\n  {finding.advice}"


@pytest.mark.parametrize(("kind", "inflict"), DAMAGES, ids=named)
def test_a_finding_names_the_damage_the_place_and_the_repair(
    kind: FindingKind, inflict: Damage, tmp_path: Path
) -> None:
    sink = healthy(tmp_path)
    inflict(sink)
    assert "\n".join(map(reported, checked(tmp_path).findings)) == REPORTED[kind.value]


def test_a_skipped_lost_part_is_in_no_manifest(tmp_path: Path) -> None:
    part_skipped(healthy(tmp_path))
    (found,) = checked(tmp_path).findings
    assert found.kind is K.FINISHED_PART_GONE
    assert found.message == (
        f"day=2/part-{UID}-4.json of record 4 was lost, and the query has continued without its 10 rows "
        "(onLostPart=skip)."
    )


def test_every_kind_of_damage_is_tested() -> None:
    of_tables = {kind for kind in FindingKind if kind.value.startswith("table-")}  # test_check_tables.py
    assert {kind for kind, _ in DAMAGES} | {K.BATCH_UNFINISHED} | of_tables == set(FindingKind)
    assert set(RULES) == set(FindingKind)


def test_every_advice_starts_with_a_verb_and_ends_with_a_full_stop() -> None:
    verbs = {rule.advice.split()[0] for rule in RULES.values()}
    assert verbs <= {
        "Check",
        "Correct",
        "Delete",
        "Do",
        "Find",
        "Move",
        "Restore",
        "Run",
        "Start",
        "Stop",
        "Use",
    }
    assert all(rule.advice.endswith(".") and rule.meaning.endswith(".") for rule in RULES.values())


def test_a_batch_job_with_an_unpublished_decision_is_named(tmp_path: Path) -> None:
    healthy(tmp_path)
    job = MadeSink(tmp_path, "batch-17", settings={}, query="batch-17")
    part = {**job.pending_part("day=4", 50, 10), "name": "part-0b9d8c7e1f2a-0.json"}
    job.write(part["handle"], b"x" * 10)
    job.record("epoch", [part], at_millis=NOW - OLD, marked=False)
    found = checked(tmp_path).findings
    assert [(one.kind, one.sink_id) for one in found] == [(K.BATCH_UNFINISHED, "batch-17")]


def test_work_in_progress_is_not_a_finding(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    sink.write(sink.staged_path("day=9", 88), b"a part of the next epoch", MINUTE)
    sink.write(f"_stoplog/main/writers/{RUN}-0a1b2c3d.lock", b"")
    part = sink.pending_part("day=4", 9, 50)
    sink.write(part["handle"], b"x" * 50)
    opened = [sink.open_part("day=3", 5, 200, sink.beside(5))]
    sink.record("epoch", [part], opened, at_millis=NOW - 1000, marked=False)
    # Part 6 is in no record any more, and younger than the grace time.
    assert checked(tmp_path).findings == ()


def test_a_cancelled_compaction_is_not_damage(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    merge_called_off(sink)
    assert checked(tmp_path).findings == ()
    # Its inputs are finished parts as any others again.
    sink.write(f"day=1/{sink.name(1)}", b"x" * 99)
    assert [one.kind for one in checked(tmp_path).findings] == [K.FINISHED_PART_SHORT]


def test_a_cancelled_compaction_may_lack_the_compacted_part(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    merged = {**sink.pending_part("day=3", 0, 1100, "compaction"), "name": f"part-{UID}-m1.json"}
    small = {"bucket": "day=3", "name": sink.name(7), "bytes": 1100, "records": 10, "epoch": 3}
    parts = [sink.open_part("day=3", 5, 200, sink.beside(5)), sink.open_part("", 6, 10)]
    sink.record("compact", [merged], parts, replace=[small], marked=False)
    assert [one.kind for one in checked(tmp_path).findings] == [K.PENDING_PART_LOST]
    sink.call_off(6)
    assert checked(tmp_path).findings == ()


OF_FLINK = "part-2f9ef3ac-6cd3-4b6a-9f0e-6f1c2f3e8a4b-0"
OF_ICEBERG = "00000-1-2f9ef3ac-6cd3-4b6a-9f0e-6f1c2f3e8a4b-00001.parquet"
OF_HUDI = "2f9ef3ac-6cd3-4b6a-9f0e-6f1c2f3e8a4b-0_0-21-0_20260101000000000.parquet"


@pytest.mark.parametrize("name", [OF_FLINK, OF_ICEBERG, OF_HUDI])
def test_a_file_with_a_whole_uuid_is_not_a_part(name: str, tmp_path: Path) -> None:
    healthy(tmp_path).write(f"day=1/{name}", b"")
    assert [one.kind for one in checked(tmp_path).findings] == [K.FOREIGN_FILE]
    assert SinkDirectory(tmp_path, clock=lambda: NOW).status().foreign_files == 1


def test_a_prefix_of_a_part_may_be_a_uuid(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    name = f"2f9ef3ac-6cd3-4b6a-9f0e-6f1c2f3e8a4b-{UID}-3.json"
    sink.write(f"day=1/{name}", b"x")
    assert checked(tmp_path).findings == ()


def overwritten_files_of_other_programs(root: Path) -> MadeSink:
    """An overwrite has replaced a file of 50 bytes of another program."""
    jobs = MadeSink(root, "replace", settings={}, query="batch-17")
    replaced = {"bucket": "day=1", "name": "data.parquet", "bytes": 50, "records": 0, "epoch": -1}
    jobs.record("epoch", [jobs.finished("day=1", 0, 30)], replace=[replaced])
    return jobs


def test_a_restored_file_that_an_overwrite_replaced_is_found(tmp_path: Path) -> None:
    jobs = overwritten_files_of_other_programs(tmp_path)
    assert checked(tmp_path).findings == ()
    jobs.write("day=1/data.parquet", b"x" * 50)
    (found,) = checked(tmp_path).findings
    assert (found.kind, found.path) == (K.REPLACED_PART_VISIBLE, "day=1/data.parquet")


@pytest.mark.parametrize("beside_a_query", [False, True])
@pytest.mark.parametrize(
    ("kind", "path", "size"),
    [
        (K.FINISHED_PART_EMPTY, f"day=1/part-{UID}-0.json", 0),
        (K.FINISHED_PART_DOUBLED, f"day=1 (copy)/part-{UID}-0.json", 30),
    ],
)
def test_damaged_parts_of_batch_jobs_are_found(
    kind: FindingKind, path: str, size: int, beside_a_query: bool, tmp_path: Path
) -> None:
    if beside_a_query:
        MadeSink(tmp_path).record("claim")
    overwritten_files_of_other_programs(tmp_path).write(path, b"x" * size)
    report = checked(tmp_path, "replace")
    assert [(one.kind, one.path) for one in report.findings] == [(kind, path)]
    assert not report.is_healthy


def test_a_new_file_with_the_name_of_a_replaced_file_is_not_the_replaced_file(tmp_path: Path) -> None:
    overwritten_files_of_other_programs(tmp_path).write("day=1/data.parquet", b"x" * 51)
    assert checked(tmp_path).findings == ()


def test_a_called_off_overwrite_of_an_empty_path_is_not_damage(tmp_path: Path) -> None:
    jobs = MadeSink(tmp_path, "replace", settings={"follows": RUN}, query="batch-17")
    jobs.record("epoch", [jobs.pending_part("day=1", 0, 10)])
    jobs.call_off(0)
    assert checked(tmp_path).findings == ()


def test_a_lost_part_in_a_bucket_with_a_bar_is_found(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    part = sink.open_part("kind=a|b", 8, 100)
    sink.record("epoch", opened=[sink.open_part("day=3", 5, 200, sink.beside(5)), part])
    (tmp_path / sink.staged_path("", 6)).unlink()
    sink.write_time(tmp_path / part["handle"], NOW - OLD)
    assert checked(tmp_path).findings == ()
    (tmp_path / part["handle"]).unlink()
    assert [one.kind for one in checked(tmp_path).findings] == [K.OPEN_PART_MISSING]


def test_the_announcement_of_an_overwrite_is_not_damage(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    sink.write("_stoplog/main/replaces", b"", OLD)
    assert checked(tmp_path).findings == ()
    sink.write("_stoplog/main/overwritten", b"", OLD)
    assert [one.kind for one in checked(tmp_path).findings] == [K.OWN_FOREIGN_FILE]


def test_valid_lengths_of_part_1_and_part_10_are_separate(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    sink.record("claim")
    one, ten = ({**sink.pending_part("b", number, 100), "name": f"part-{UID}-{number}"} for number in (1, 10))
    sink.record("epoch", [one, ten])
    for part, length in ((one, 200), (ten, 300)):
        sink.write(f"b/{part['name']}", b"x" * length)
        sink.write(f"b/_{part['name']}_len", b"\x00\x03100")
    assert checked(tmp_path).findings == ()
    (tmp_path / "b" / f"_part-{UID}-1_len").unlink()
    sink.write(f"b/_part-{UID}-10_len", b"\x00\x03101")
    assert {(found.kind, found.path[-2:]) for found in checked(tmp_path).findings} == {
        (K.FINISHED_PART_LONG, "-1"),
        (K.VALID_LENGTH_WRONG, "10"),
    }


def test_changes_of_a_log_by_commands_are_not_damage(tmp_path: Path) -> None:
    """Rewound to an older epoch, handed to another query, and begun anew."""
    sink = healthy(tmp_path)
    tool = "0b9d8c7e-1f2a-4b3c-8d4e-5f60718293a4"
    sink.run = tool
    sink.record("claim")
    gone = [{"bucket": "day=3", "name": sink.name(7), "bytes": 1100, "records": 10, "epoch": 3}]
    (tmp_path / "day=3" / sink.name(7)).unlink()
    sink.write(f"_stoplog/main/aside/20260101T000000000Z/day=3/{sink.name(7)}", b"x" * 1100)
    sink.write(f"_stoplog/main/alive/{tool}-0", tool.encode())
    shutil.rmtree(sink.own / "open")
    shutil.rmtree(sink.own / "beside")
    sink.last_epoch = 1
    sink.record("compact", replace=gone)
    sink.record("release")
    assert checked(tmp_path).findings == ()
    sink.last_epoch = 17
    sink.query = "another"
    sink.record("release")
    sink.settings, sink.query, sink.last_epoch, sink.next_part = {}, "", None, 0
    sink.record("release")
    assert {one.kind for one in checked(tmp_path).findings} == {K.QUERY_CHANGED}


def test_rejected_rows_have_parts_of_the_same_names(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    rejected = [sink.finished("_rejected/day=3", 9, 30)]
    opened = [sink.open_part("_rejected/day=3", 5, 20), sink.open_part("day=3", 5, 200, sink.beside(5))]
    sink.record("epoch", [*rejected, sink.finished("day=3", 9, 70)], opened)
    assert checked(tmp_path).findings == ()
    (tmp_path / "_rejected" / "day=3" / sink.name(9)).unlink()
    assert [one.kind for one in checked(tmp_path).findings] == [K.FINISHED_PART_GONE]


def test_parts_in_buckets_are_found_under_both_markers(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    sink.settings |= {
        "inProgress": "bucket",
        "inProgressPrefix": "_",
        "inProgressSuffix": ".in-progress",
        "pendingPrefix": "_",
        "pendingSuffix": ".pending",
    }
    end = f"main-{UID}-00112233445566aa"
    token = f"day=1/_{sink.name(0)}.in-progress.{end}"
    sink.record("claim")
    part = {**sink.open_part("day=1", 0, 5), "handle": token}
    shutil.rmtree(sink.own / "open")
    sink.record("epoch", opened=[part])
    assert {one.kind for one in checked(tmp_path).findings} == {K.OPEN_PART_MISSING}
    closed = sink.write(f"day=1/_{sink.name(0)}.pending.{end}", b"x" * 5, OLD)
    assert checked(tmp_path).findings == ()
    closed.rename(tmp_path / token)
    assert checked(tmp_path).findings == ()
    sink.write(f"day=1/_{sink.name(4)}.in-progress.{end}", b"x", OLD)
    assert [one.kind for one in checked(tmp_path).findings] == [K.ORPHAN_PART]


def test_a_part_on_s3_is_found_by_the_handle(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    base = f"_stoplog/main/open/day=3/.{sink.name(8)}.{UID}-0000000000000008"
    token = (
        f'{{"v":1,"base":"{base}","target":"day=3/{sink.name(8)}","upload":"aGFuZGxl",'
        f'"parts":[{{"n":1,"bytes":500,"handle":"cGFydA=="}}],"next":2,'
        f'"tail":{{"at":"{base}.tail-1","bytes":20}}}}'
    )
    sink.write(f"{base}.upload", b"{}", OLD)
    tail = sink.write(f"{base}.tail-1", b"x" * 20, OLD)
    part = {**sink.open_part("day=3", 8, 520), "handle": token}
    sink.record("roll", opened=[part])
    assert not [one for one in checked(tmp_path).findings if one.path.startswith(base)]
    tail.write_bytes(b"x" * 19)
    assert K.OPEN_PART_SHORT in {one.kind for one in checked(tmp_path).findings}
    tail.unlink()
    assert K.OPEN_PART_MISSING in {one.kind for one in checked(tmp_path).findings}


def test_a_fault_is_reported_although_the_query_continues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink = healthy(tmp_path)
    opened = [sink.open_part("day=3", 5, 200, sink.beside(5)), sink.open_part("", 6, 10)]
    (sink.root / str(opened[1]["handle"])).unlink()
    from stoplog._inspect.check import run

    look = run._look

    def looking(*arguments: object) -> CheckReport:
        report = look(*arguments)  # type: ignore[arg-type]
        sink.record("epoch", opened=opened, at_millis=NOW - 900)
        return report

    monkeypatch.setattr(run, "_look", looking)
    assert [one.kind for one in checked(tmp_path).findings] == [K.OPEN_PART_MISSING]


def test_files_written_during_a_check_are_checked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part is published, and the next record written, between the two looks at them."""
    sink = healthy(tmp_path)
    opened = [sink.open_part("day=3", 5, 200, sink.beside(5)), sink.open_part("", 6, 10)]
    part = sink.pending_part("day=4", 9, 50)
    sink.record("epoch", [part], opened, at_millis=NOW - 1000, marked=False)
    from stoplog._inspect.check import run

    look = run._look
    looks: list[CheckReport] = []

    def looking(*arguments: object) -> CheckReport:
        report = look(*arguments)  # type: ignore[arg-type]
        if not looks:  # a driver is faster than this check
            sink.write(f"day=4/{sink.name(9)}", b"x" * 50)
            sink.mark_path(6).touch()
            sink.record("epoch", opened=opened, at_millis=NOW - 900)
        looks.append(report)
        return report

    monkeypatch.setattr(run, "_look", looking)
    assert checked(tmp_path).findings == ()
    assert [one.kind for one in looks[0].findings] == [K.PENDING_PART_LOST]
