# SPDX-License-Identifier: Apache-2.0
"""`stoplog doctor --store` without a JVM: the request, the verdict, and the progress of the tool."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from stoplog._jvm.tools import Jvm, Watch
from stoplog.cli.main import main
from stoplog.diagnosis import Safety, qualify

KEPT = {"name": "create", "what": "of many writers that create one file at once, one succeeds", "races": 1000}
BROKEN = {**KEPT, "races": 1, "violation": "2 of 8 writers created the same file (race 1)"}
ANSWER = {
    "command": "qualify",
    "url": "s3a://bucket/events",
    "verdict": "safe",
    "settings": [],
    "reasons": [],
    "notes": ["An object was written."],
    "promises": [KEPT],
    "seconds": 31,
}
UNSAFE = {
    **ANSWER,
    "verdict": "unsafe",
    "reasons": ["One succeeds. But 2 of 8 writers created the same file (race 1)."],
    "promises": [BROKEN],
    "left": "s3a://bucket/events/_stoplog/doctor-1",
}
SETTINGS = {
    **ANSWER,
    "verdict": "safe with settings",
    "settings": ["fs.s3a.multipart.purge=false: it deletes."],
}


class FakeJvm:
    """Answers, and remembers the request."""

    def __init__(self, answer: dict[str, object]) -> None:
        self._answer = answer
        self.requested: dict[str, object] = {}

    def __call__(self, command: Sequence[str], text: str, watch: Watch | None = None) -> tuple[int, str, str]:
        self.requested = json.loads(text)
        return 0, json.dumps(self._answer), ""


@pytest.fixture(autouse=True)
def _jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "stoplog.jar"
    jar.touch()
    monkeypatch.setenv("STOPLOG_JAR", str(jar))


@pytest.mark.parametrize(("answer", "code"), [(ANSWER, 0), (SETTINGS, 1), (UNSAFE, 2)])
def test_the_exit_code_is_the_verdict(
    answer: dict[str, object],
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("stoplog._jvm.tools._run", FakeJvm(answer))
    assert main(["doctor", "--store", "s3a://bucket/events", "--json"]) == code
    found = json.loads(capsys.readouterr().out)
    assert found["exit_code"] == code
    assert found["store"]["verdict"] == answer["verdict"]
    assert found["store"]["promises"][0]["races"] == answer["promises"][0]["races"]  # type: ignore[index]


def test_the_request_has_the_settings_of_hadoop(monkeypatch: pytest.MonkeyPatch) -> None:
    jvm = FakeJvm(ANSWER)
    monkeypatch.setattr("stoplog._jvm.tools._run", jvm)
    words = ["doctor", "--store", "s3a://bucket/events", "--conf", "spark.hadoop.fs.s3a.endpoint=here"]
    assert main(words) == 0
    assert jvm.requested == {
        "command": "qualify",
        "path": "s3a://bucket/events",
        "hadoop": {"fs.s3a.endpoint": "here"},
    }


def test_the_text_has_the_verdict_first() -> None:
    assert str(qualify("x", Jvm(), runner=FakeJvm(UNSAFE))).splitlines() == [
        "s3a://bucket/events is unsafe because:",
        "  One succeeds. But 2 of 8 writers created the same file (race 1).",
        "Tried in 1 race, 31 s:",
        "  BROKEN create      1 races: of many writers that create one file at once, one succeeds",
        "An object was written.",
    ]
    assert str(qualify("x", Jvm(), runner=FakeJvm(ANSWER))).startswith("s3a://bucket/events is safe.\n")


def test_a_storage_that_left_files_names_the_directory() -> None:
    verdict = qualify("x", Jvm(), runner=FakeJvm(UNSAFE))
    assert verdict.verdict is Safety.UNSAFE
    assert verdict.left == "s3a://bucket/events/_stoplog/doctor-1"


def test_one_storage_is_tried_at_a_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "/data/a", "--store", "/data/b"]) == 2
    assert "--store" in capsys.readouterr().err


def test_lines_of_progress_are_passed_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "home" / "bin" / "java"
    java.parent.mkdir(parents=True)
    lines = '{"progress":{"done":1,"total":9}}', '{"progress":{"done":5,"total":9}}', json.dumps(ANSWER)
    shown = "\n".join(f"echo '{line}'" for line in lines)
    java.write_text(f"#!/bin/sh\ncat > /dev/null\necho noise >&2\n{shown}\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(java.parents[1]))
    seen: list[tuple[int, int]] = []
    verdict = qualify("s3a://bucket/events", Jvm(), lambda done, total: seen.append((done, total)))
    assert verdict.verdict is Safety.SAFE
    assert seen == [(1, 9), (5, 9)]


def test_jars_without_a_storage_are_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--jars", "a.jar"]) == 2
    assert "--jars has no effect without --store" in capsys.readouterr().err
