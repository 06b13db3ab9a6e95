# SPDX-License-Identifier: Apache-2.0
"""A table of a sink is compared with the logs and the files: each deviation has its finding."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from golden import sections
from made_sink import NOW, UID, Json, MadeSink

import stoplog
from stoplog.cli.command import ExitCode
from stoplog.cli.main import main
from stoplog.inspection import CheckReport, FindingKind, SinkDirectory

K = FindingKind
IDENTITY = "0e2a7c1c-0000-4000-8000-000000000000"
REPORTED = sections("table-damages.txt")
OPTIONS = {"announce.lake": "iceberg", "announce.lake.table": "db.events"}


def position(log: str, sequence: int, number: int = 0, identity: str = IDENTITY) -> Json:
    return {"log": {"name": log, "identity": identity}, "sequence": sequence, "number": number}


class Lake:
    """A sink with a table. Each record publishes one file, and the table has all files at first."""

    def __init__(self, root: Path, records: int = 4) -> None:
        self.sink = MadeSink(root)
        self.sink.settings["identity"] = IDENTITY
        self.sink.record("claim")
        self.files = [self.publish(number) for number in range(records)]
        self.table: Json = {
            "files": list(self.files),
            "elsewhere": 0,
            "removed": [],
            "removedByOthers": {},
            "sinceMillis": None,
            "isListed": False,
        }
        self.positions = [position("main", records)]
        self.cursor(records + 1, records)
        self.answered: Json | None = None

    def path(self, number: int) -> str:
        return f"day=1/{self.sink.name(number)}"

    def publish(self, number: int, **more: Any) -> str:
        """Publishes a file by the next record."""
        self.sink.record("epoch", [self.sink.finished("day=1", number, 100)], **more)
        return self.path(number)

    def compact(self, *numbers: int) -> str:
        """Replaces files by a compacted file."""
        merged = {**self.sink.pending_part("day=1", 0, 190, "compaction"), "name": f"part-{UID}-m0.json"}
        self.sink.write(f"day=1/{merged['name']}", b"x" * 190)
        self.sink.record("compact", [merged], replace=[self.hidden(number) for number in numbers])
        return f"day=1/{merged['name']}"

    def hidden(self, number: int) -> Json:
        (self.sink.root / self.path(number)).unlink()
        return {"bucket": "day=1", "name": self.sink.name(number), "bytes": 100, "records": 10, "epoch": 1}

    def position(self, seq: int, number: int = 0) -> None:
        self.positions = [position("main", seq, number)]
        self.cursor(seq + 1, seq)

    def cursor(self, following: int, last: int) -> None:
        directory = self.sink.own / "announced" / "lake"
        directory.mkdir(parents=True, exist_ok=True)
        for old in directory.iterdir():
            old.unlink()
        (directory / f"{following:020d}").write_text(json.dumps({"identity": IDENTITY, "last": last}))

    def lacks(self, *paths: str) -> None:
        self.table["files"] = [path for path in self.table["files"] if path not in paths]

    def answer(self, command: Sequence[str], text: str, watch: object = None) -> tuple[int, str, str]:
        request = json.loads(text)
        assert request == {"command": "tables", "path": str(self.sink.root), "options": OPTIONS}
        found = self.answered or {"positions": self.positions, "content": self.table}
        return 0, json.dumps({"tables": [{**found, "target": "lake"}]}) + "\n", ""

    def check(self) -> CheckReport:
        directory = SinkDirectory(self.sink.root, clock=lambda: NOW)
        return directory.check(options=OPTIONS, jvm=stoplog.Jvm(("a.jar",)))


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lake:
    made = Lake(tmp_path)
    monkeypatch.setattr("stoplog._jvm.tools._run", made.answer)
    monkeypatch.setattr("stoplog._jvm.tools.Jvm.command", lambda self: ["java", *self.jars])
    return made


def found(report: CheckReport) -> list[tuple[FindingKind, str]]:
    return [(one.kind, one.path) for one in report.findings]


def of_tables(report: CheckReport) -> list[tuple[FindingKind, str]]:
    return [one for one in found(report) if one[0].value.startswith("table-")]


def reported(lake: Lake) -> str:
    """Returns all texts of the findings."""
    lines: Iterable[str] = (
        f"{one.severity.value} {one.kind.value}: {one.path} ({one.sink_id or '-'}, {one.bucket or '-'}, "
        f"{'-' if one.epoch is None else one.epoch})\n  {one.message}\n  {one.advice}"
        for one in lake.check().findings
    )
    return "\n".join(lines)


def test_an_equal_table_has_no_finding(lake: Lake) -> None:
    report = lake.check()
    assert (report.findings, report.tables, report.is_healthy) == ((), ("lake",), True)


def test_a_lost_file_is_an_error(lake: Lake) -> None:
    lake.lacks(lake.files[2])
    assert reported(lake) == REPORTED["table-file-lost"]


def test_a_file_that_a_delivered_record_removed_is_an_error(lake: Lake) -> None:
    lake.table["files"].append(lake.compact(1, 2))
    lake.position(5)
    lake.lacks(lake.files[2])
    lake.table["removed"] = [lake.files[2]]
    assert reported(lake) == REPORTED["table-file-removed"]


def test_a_file_of_the_table_without_a_file_in_the_directory_is_an_error(lake: Lake) -> None:
    (lake.sink.root / lake.files[1]).unlink()
    lake.table["files"].append("day=2/part-of-another-writer.parquet")
    report = lake.check()
    assert found(report)[:2] == [
        (K.TABLE_FILE_GONE, lake.files[1]),
        (K.TABLE_FILE_GONE, "day=2/part-of-another-writer.parquet"),
    ]
    assert [kind for kind, _ in found(report)[2:]] == [K.FINISHED_PART_GONE]
    assert reported(lake) == REPORTED["table-file-gone"]


def test_a_file_that_the_table_has_twice_is_an_error(lake: Lake) -> None:
    lake.table["files"].append(lake.files[0])
    assert reported(lake) == REPORTED["table-file-doubled"]


def test_undelivered_files_are_information(lake: Lake) -> None:
    lake.publish(4)
    lake.publish(5)
    lake.compact(0, 1)
    report = lake.check()
    assert report.is_healthy
    assert reported(lake) == REPORTED["table-files-waiting"]


def test_a_record_is_delivered_bucket_by_bucket(lake: Lake) -> None:
    buckets = [lake.sink.finished(f"day={day}", number, 100) for day, number in ((2, 4), (3, 5))]
    lake.sink.record("epoch", buckets)
    lake.position(5, 0)
    lake.table["files"].append(f"day=2/{lake.sink.name(4)}")
    assert found(lake.check()) == [(K.TABLE_FILES_WAITING, f"day=3/{lake.sink.name(5)}")]
    lake.position(5, 1)
    assert found(lake.check()) == [(K.TABLE_FILE_LOST, f"day=3/{lake.sink.name(5)}")]


def test_a_rewind_has_two_announcements_for_a_bucket(lake: Lake) -> None:
    cut = {**lake.sink.finished("day=1", 9, 50), "reason": "rewind"}
    lake.sink.record("compact", [cut], replace=[lake.hidden(3)])
    lake.lacks(lake.files[3])
    lake.position(5, 0)
    assert found(lake.check()) == [(K.TABLE_FILES_WAITING, lake.path(9))]
    lake.position(5, 1)
    assert found(lake.check()) == [(K.TABLE_FILE_LOST, lake.path(9))]


def test_files_before_the_first_delivered_file_are_counted(lake: Lake) -> None:
    lake.lacks(*lake.files[:2])
    report = lake.check()
    assert report.is_healthy
    assert reported(lake) == REPORTED["table-files-older"]


def test_a_listed_table_has_no_older_files(lake: Lake) -> None:
    lake.lacks(lake.files[0])
    lake.table["isListed"] = True
    assert found(lake.check()) == [(K.TABLE_FILE_LOST, lake.files[0])]


def test_an_older_file_of_the_same_run_in_the_table_shows_that_the_target_is_older(lake: Lake) -> None:
    trimmed = f"day=0/part-{UID}-77.json"
    lake.sink.next_part = 100
    lake.sink.record("epoch")
    lake.sink.write(trimmed, b"x")
    lake.table["files"].append(trimmed)
    lake.lacks(lake.files[0])
    assert found(lake.check()) == [(K.TABLE_FILE_LOST, lake.files[0])]


@pytest.mark.parametrize(("listed", "kind"), [(False, K.TABLE_FILES_OLDER), (True, K.TABLE_FILE_MISSING)])
def test_a_file_without_a_record_is_compared_by_the_listing_of_the_directory(
    listed: bool, kind: FindingKind, lake: Lake
) -> None:
    batch = "day=0/part-0b9d8c7e1f2a-0.json"
    lake.sink.write(batch, b"x")
    lake.table["isListed"] = listed
    assert found(lake.check()) == [(kind, batch)]
    assert reported(lake) == REPORTED[f"{kind.value} without a record"]


def test_a_commit_of_another_writer_is_named(lake: Lake) -> None:
    lake.lacks(*lake.files[1:3])
    lake.table["removedByOthers"] = dict.fromkeys(lake.files[1:3], "snapshot 17 (replace)")
    report = lake.check()
    assert report.is_healthy
    assert reported(lake) == REPORTED["table-files-rewritten"]


def test_the_table_ignores_a_compaction_of_rewritten_files(lake: Lake) -> None:
    compacted = lake.compact(1, 2)
    lake.position(5)
    lake.lacks(*lake.files[1:3])
    lake.table["removedByOthers"] = dict.fromkeys(lake.files[1:3], "version 17 (OPTIMIZE)")
    assert found(lake.check()) == [(K.TABLE_FILES_REWRITTEN, compacted)]
    # A commit of the sink has removed both files, and has left out the compacted file.
    lake.table["removedByOthers"], lake.table["removed"] = {}, lake.files[1:3]
    assert found(lake.check()) == [(K.TABLE_FILE_LOST, compacted)]


def test_the_table_ignores_a_compaction_of_files_older_than_the_target(lake: Lake) -> None:
    compacted = lake.compact(0, 1)
    lake.lacks(*lake.files[:2])
    lake.publish(4)
    lake.table["files"].append(lake.path(4))
    lake.position(6)
    assert found(lake.check()) == [(K.TABLE_FILES_OLDER, compacted)]


def test_a_short_history_of_the_table_makes_a_warning(lake: Lake) -> None:
    lake.lacks(lake.files[2])
    lake.table["sinceMillis"] = NOW
    assert reported(lake) == REPORTED["table-file-missing"]
    lake.table["sinceMillis"] = 0
    assert found(lake.check()) == [(K.TABLE_FILE_LOST, lake.files[2])]


def test_files_of_other_writers_are_counted(lake: Lake) -> None:
    optimized = "day=1/part-00000-58828e3c-041e-47b4-80dd-196ae1b1d1a6-c000.snappy.parquet"
    lake.sink.write(optimized, b"x")
    without = SinkDirectory(lake.sink.root, clock=lambda: NOW).check()
    assert found(without) == [(K.FOREIGN_FILE, optimized)]
    lake.table["files"].append(optimized)
    lake.table["elsewhere"] = 2
    report = lake.check()
    assert report.is_healthy
    assert reported(lake) == REPORTED["table-files-foreign"]


@pytest.mark.parametrize("case", ["dropped", "another log", "ahead"])
def test_a_position_that_does_not_match_the_log_is_an_error(case: str, lake: Lake) -> None:
    if case == "dropped":
        lake.answered = {"positions": [], "content": None}
    elif case == "another log":
        lake.positions = [position("main", 4, identity="a4d8f7a2-0000-4000-8000-000000000000")]
    else:
        lake.positions = [position("main", 77)]
    assert reported(lake) == REPORTED[f"table-position {case}"]


def test_a_new_target_waits_for_its_first_file(lake: Lake) -> None:
    lake.answered = {"positions": [], "content": None}
    lake.cursor(3, -1)
    assert found(lake.check()) == [
        (K.TABLE_FILES_OLDER, lake.files[0]),
        (K.TABLE_FILES_WAITING, lake.files[2]),
    ]


def test_overwrites_have_a_position_of_their_log(lake: Lake) -> None:
    jobs = MadeSink(
        lake.sink.root, "replace", settings={"identity": IDENTITY}, query="replace", run=f"{0:032x}"
    )
    new = f"day=1/part-{0:012x}-0.json"
    part = {**jobs.pending_part("day=1", 0, 100), "name": new.rpartition("/")[2]}
    jobs.write(new, b"x" * 100)
    jobs.record("epoch", [part], replace=[lake.hidden(0)])
    lake.lacks(lake.files[0])
    assert of_tables(lake.check()) == [(K.TABLE_FILES_OLDER, new)]
    lake.positions.append(position("replace", 0))
    lake.table["files"] += [lake.files[0], new]
    assert of_tables(lake.check()) == [(K.TABLE_FILE_REMOVED, lake.files[0])]


def test_an_unreadable_table_is_an_error_with_the_next_step(
    lake: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    lake.answered = {"problem": "the catalog does not answer."}
    assert main(arguments(lake)) == ExitCode.CANNOT_READ
    assert capsys.readouterr().err == (
        f"stoplog: [STOPLOG_CANNOT_READ] {lake.sink.root} cannot be read: its target lake does not return "
        "the table (the catalog does not answer). Correct the options announce.lake.* and the jars, or "
        "repair the catalog.\n"
    )


def test_the_command_compares_the_tables_of_its_options(
    lake: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments(lake)) == ExitCode.OK
    assert (
        capsys.readouterr().out
        == "Checked 1 sink, 5 records, 4 finished files, 1 table: 0 errors, 0 warnings\n"
    )
    lake.lacks(lake.files[2])
    assert main([*arguments(lake), "--json"]) == ExitCode.FINDINGS
    answer = json.loads(capsys.readouterr().out)
    assert (answer["exit_code"], answer["check"]["tables"]) == (1, ["lake"])
    assert [one["kind"] for one in answer["check"]["findings"]] == ["table-file-lost"]


def test_jars_without_a_target_have_no_effect(lake: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(lake.sink.root), "--jars", "a.jar"]) == ExitCode.USAGE
    assert "--option announce.NAME" in capsys.readouterr().err


def arguments(lake: Lake) -> list[str]:
    options = [word for key, value in OPTIONS.items() for word in ("--option", f"{key}={value}")]
    return ["check", str(lake.sink.root), *options, "--jars", "a.jar"]
