# SPDX-License-Identifier: Apache-2.0
"""The result of `stoplog compact`: a failed merge is named, and ends the command with its own exit code."""

from __future__ import annotations

import json
from unittest.mock import MagicMock

import pytest
from fakes import JavaObject

from stoplog.cli.command import ExitCode
from stoplog.cli.main import main

DONE = JavaObject(directory="day=1", namesAsList=["a.json", "b.json"], sizeBytes=2048, problem="")
FULL = JavaObject(
    directory="",
    namesAsList=["c.json", "d.json", "e.json"],
    sizeBytes=300,
    problem="java.io.IOException: disk full",
)
FAILED_LINES = [
    "DIRECTORY  FILES  BYTES  FAILED",
    ".              3  300 B  java.io.IOException: disk full",
    "1 merge failed. The files stay unchanged.",
]


class Bridge:
    def __init__(self, merges: list[JavaObject]) -> None:
        self.merges = merges

    def planned_merges(self, *_: object) -> list[JavaObject]:
        return self.merges

    def run_merges(self, *_: object) -> list[JavaObject]:
        return self.merges


def compacted(monkeypatch: pytest.MonkeyPatch, merges: list[JavaObject], *arguments: str) -> int:
    """The exit code of the command, of a jar with this result."""
    monkeypatch.setattr("stoplog.cli.commands.on_spark.local_session", lambda *_: MagicMock())
    monkeypatch.setattr("stoplog.compaction.require_bridge", lambda *_: Bridge(merges))
    return main(["compact", "events", *arguments])


def test_failed_merges_are_printed_after_completed_merges(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compacted(monkeypatch, [FULL, DONE], "--yes") == ExitCode.FAILED
    assert capsys.readouterr().out.splitlines() == [
        "DIRECTORY  FILES  BYTES",
        "day=1          2  2 KiB",
        *FAILED_LINES,
    ]


def test_a_run_without_a_completed_merge_does_not_say_that_there_was_nothing_to_compact(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compacted(monkeypatch, [FULL], "--yes") == ExitCode.FAILED
    assert capsys.readouterr().out.splitlines() == FAILED_LINES


def test_failed_merges_have_a_problem_in_json(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compacted(monkeypatch, [DONE, FULL], "--yes", "--json") == ExitCode.FAILED
    printed = json.loads(capsys.readouterr().out)
    assert printed["exit_code"] == ExitCode.FAILED
    problems = [(merge["directory"], merge["problem"]) for merge in printed["compact"]["merges"]]
    assert problems == [("day=1", ""), ("", "java.io.IOException: disk full")]


@pytest.mark.parametrize(
    ("merges", "arguments", "last"),
    [
        ([], (), "There is nothing to compact."),
        ([], ("--yes",), "There is nothing to compact, or others have changed the files meanwhile."),
        ([DONE], (), "Nothing was changed. Add --yes to carry out the plan."),
        ([DONE], ("--yes",), "Done."),
    ],
)
def test_a_command_without_failed_merges_succeeds(
    merges: list[JavaObject],
    arguments: tuple[str, ...],
    last: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert compacted(monkeypatch, merges, *arguments) == ExitCode.OK
    assert capsys.readouterr().out.splitlines()[-1] == last
