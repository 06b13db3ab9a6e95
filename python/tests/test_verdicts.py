# SPDX-License-Identifier: Apache-2.0
"""Directories with a log, and the judgements on them that Python and Scala have to agree on.

Scala runs the same files: `stoplog.admin.VerdictsSuite` and `stoplog.log.LogNamesSuite`.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from golden import GOLDEN_OF_SCALA
from made_sink import MadeSink

from stoplog._inspect.liveness import DriverNote, driver_life
from stoplog._log.crc32c import crc32c
from stoplog._log.log import CommitLog
from stoplog._log.paths import InBucket, staged_of
from stoplog._storage import open_storage
from stoplog.inspection import FindingKind, PartState, SinkDirectory, SinkKind

VERDICTS = GOLDEN_OF_SCALA / "verdicts"
CASES = sorted((VERDICTS / "sinks").glob("*.json"))
ORPHANS = {
    FindingKind.ORPHAN_PART,
    FindingKind.ORPHAN_SIDE_FILE,
    FindingKind.DRAFT_LEFT,
    FindingKind.REPLACED_LEFT,
    FindingKind.STAGING_FOREIGN_FILE,
}
RETURNS = FindingKind.MERGE_INPUT_ASIDE
BROKEN = {
    FindingKind.OPEN_PART_MISSING,
    FindingKind.OPEN_PART_SHORT,
    FindingKind.SIDE_FILE_MISSING,
    FindingKind.SIDE_FILE_SHORT,
    FindingKind.PENDING_PART_LOST,
    FindingKind.PENDING_PART_SHORT,
    FindingKind.NAME_TAKEN,
    FindingKind.FINISHED_PART_SHORT,
    FindingKind.FINISHED_PART_LONG,
}


def golden(name: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads((VERDICTS / name).read_text(encoding="utf-8"))
    return found


def cases_with(field: str) -> pytest.MarkDecorator:
    read = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in CASES}
    having = {name: case for name, case in read.items() if field in case}
    assert having, field
    return pytest.mark.parametrize("case", having.values(), ids=having.keys())


def made(root: Path, case: dict[str, Any]) -> SinkDirectory:
    """The directory of a case, by the case's clock."""
    for path, (size, modified_millis) in case["files"].items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(b"\0" * size)
        os.utime(file, ns=(modified_millis * 1_000_000,) * 2)
    record = case["record"]
    if record is not None:
        body = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
        log = root / "_stoplog" / "main" / "log"
        log.mkdir(parents=True)
        envelope = f'{{"version":1,"crc32c":"{crc32c(body.encode()):08x}","record":'
        file = log / f"{record['seq']:020d}.commit"
        file.write_text(f"{envelope}{body}}}", encoding="utf-8")
        modified = case.get("recordModifiedMillis", record["writtenAtMillis"])
        os.utime(file, ns=(modified * 1_000_000,) * 2)
        if case.get("published"):
            (log / f"{record['seq']:020d}.published").touch()
    return SinkDirectory(root, clock=lambda: case["nowMillis"])


@cases_with("driver")
def test_states_of_drivers_match_the_golden_cases(case: dict[str, Any], tmp_path: Path) -> None:
    made(tmp_path, case)
    storage = open_storage(tmp_path)
    newest = CommitLog(storage, "main").newest()
    life = driver_life(storage, "main", newest, case["nowMillis"], lambda _: case.get("processIsThere"))
    assert {"state": life.state.value, "message": life.message} == case["driver"]


@cases_with("unfinished")
def test_orphans_match_the_golden_cases(case: dict[str, Any], tmp_path: Path) -> None:
    directory = made(tmp_path, case)
    findings = directory.check().findings
    kinds = {each.path: each.kind.value for each in findings if each.kind in ORPHANS}
    returning = {each.path for each in findings if each.kind is RETURNS}
    assert {path: kinds.get(path) for path in case.get("findings", {})} == case.get("findings", {})
    found = set(kinds)
    for subject, verdict in case["unfinished"].items():
        files = {file for file in case["files"] if is_of(file, subject, case["record"]["state"]["settings"])}
        assert files, subject
        assert found & files == (files if verdict == "orphan" else set()), subject
        assert returning & files == (files if verdict == "returns" else set()), subject
        if "replaced" not in subject and "/." in subject:
            explained = directory.explain(files.pop())
            assert (explained.state is PartState.ORPHAN) == (verdict != "named"), subject
            assert ("may be writing" in explained.message) == (verdict == "young"), subject
        found -= files
    assert not [each for each in found if each not in case["files"]]


def is_of(file: str, subject: str, settings: dict[str, str]) -> bool:
    """Whether a file is the one that a tool calls by its token, or lies in the directory that it removes."""
    layout = InBucket.of("main", settings)
    return (layout.token_of(file) if layout else None) == subject or f"{file}/".startswith(f"{subject}/")


@cases_with("parts")
def test_missing_parts_match_the_golden_cases(case: dict[str, Any], tmp_path: Path) -> None:
    broken = [each for each in made(tmp_path, case).check().findings if each.kind in BROKEN]
    found = {
        part: "broken" if any(part in each.message for each in broken) else "whole" for part in case["parts"]
    }
    # What a reader may have taken is no finding of a check; `relocate` alone asks whether it was copied.
    assert found == {part: "whole" if said == "missing" else said for part, said in case["parts"].items()}


@cases_with("rolls")
def test_forecasts_of_rolls_match_the_golden_cases(case: dict[str, Any], tmp_path: Path) -> None:
    opened = made(tmp_path, case).status().open
    found = {f"{each.bucket}/{each.name}": each.roll for each in opened}
    reported = {path: {"atMillis": roll.at_millis, "reason": roll.reason} for path, roll in found.items()}
    assert reported == case["rolls"]


@pytest.mark.parametrize("each", golden("names.json"), ids=lambda each: ascii(each["path"]))
def test_names_of_unfinished_files_match_the_golden_cases(each: dict[str, Any]) -> None:
    settings = {"inProgress": "bucket", **each["layout"]}
    layout = InBucket.of(each.get("sinkId", "main"), settings)
    assert layout is not None
    path = each["path"]
    found = layout.token_of(path), layout.pending_of(path), layout.finished_of(path)
    assert found == (each["token"], each["pending"], each["finished"])


@pytest.mark.parametrize("each", golden("notes.json"), ids=lambda each: ascii(each["text"]))
def test_notes_of_drivers_match_the_golden_cases(each: dict[str, Any]) -> None:
    note = DriverNote.read(each["text"])
    words = None if note is None else (note.host, note.space, note.pid, note.started_ticks)
    expected = each["read"] and each["read"].split(" ")
    assert words == (expected and (expected[0], expected[1], int(expected[2]), int(expected[3])))


@pytest.mark.parametrize("each", golden("handles.json"), ids=lambda each: each["handle"][:40])
def test_handles_of_parts_match_the_golden_cases(each: dict[str, Any]) -> None:
    staged = staged_of(each["handle"])
    assert list(staged.paths) == each["files"]
    size = staged.total_bytes if each["system"] == "s3" else next(iter(staged.lengths), None)
    assert size == each["bytes"]


@pytest.mark.parametrize("each", golden("kinds.json"), ids=lambda each: str(each["settings"]))
def test_kinds_of_sinks_match_the_golden_cases(each: dict[str, Any], tmp_path: Path) -> None:
    MadeSink(tmp_path, settings=each["settings"], query=each["queryId"]).record("claim")
    kind = SinkDirectory(tmp_path).sinks()[0].kind
    assert kind is (SinkKind.FILES if each["isOfFiles"] else SinkKind.CONNECTOR)


def test_names_of_files_in_a_log_match_the_golden_cases(tmp_path: Path) -> None:
    for each in golden("log.json"):
        log = tmp_path / each["name"] / "_stoplog" / "main" / "log"
        log.mkdir(parents=True)
        (log / each["name"]).touch()
        files = CommitLog(open_storage(tmp_path / each["name"]), "main").files()
        found = "record" if files.records else "mark" if files.marks else "other" if files.others else "note"
        assert found == each["is"], each["name"]
