# SPDX-License-Identifier: Apache-2.0
"""What is checked before a release: licences, addresses, and the commands for a person."""

from __future__ import annotations

import json
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

import licences
import release_check
from steps import ROOT


def test_the_address_of_the_project_is_in_one_place() -> None:
    host = release_check.home().partition("://")[2]
    found = subprocess.run(
        ["git", "grep", "-lF", "--untracked", host], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["project/Versions.scala"]


def test_a_tag_needs_its_version_and_an_address(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {"stoplog": "1.2.3", "home": "https://s.example"}
    monkeypatch.setattr(release_check, "setting", lambda name: values[name])
    assert len(release_check.refusals("v1.2.4")) == 2
    values["home"] = "https://stoplog.dev"
    assert release_check.refusals("v1.2.3") == []
    assert release_check.main(["--tag", "v1.2.4"]) == 1


def test_a_person_gets_commands_without_gaps() -> None:
    text = release_check.steps()
    assert re.findall(r"^(\d+)\.", text, re.MULTILINE) == [str(step) for step in range(1, 11)]
    assert f"git tag --sign v{release_check.version()}" in text
    assert "<version>" not in text
    assert "<home>" not in text


def test_every_check_is_a_target_of_make() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert [
        name for name in release_check.CHECKS if not re.search(rf"^{name}:", makefile, re.MULTILINE)
    ] == []


def test_the_scala_quick_start_runs_on_every_line() -> None:
    guide = (ROOT / "tests" / "e2e" / "test_guide.py").read_text(encoding="utf-8")
    assert "@pytest.mark.spark_lines\ndef test_the_quick_start_in_scala" in guide


@pytest.fixture
def dist(tmp_path: Path) -> Path:
    """A release with one jar and its bill of materials."""
    place = tmp_path / "repo" / "a"
    place.mkdir(parents=True)
    with zipfile.ZipFile(place / "a-1.jar", "w") as jar:
        jar.writestr("META-INF/LICENSE", (ROOT / "LICENSE").read_bytes())
    return tmp_path


def write_bill(dist: Path, *components: dict[str, object]) -> None:
    bill = {"metadata": {"component": {"group": "own", "name": "a"}}, "components": components}
    (dist / "repo" / "a" / "a-1-cyclonedx.json").write_text(json.dumps(bill))


def library(*licences: object, group: str = "other") -> dict[str, object]:
    return {"group": group, "name": "lib", "version": "1", "licenses": licences}


@pytest.mark.parametrize(
    ("found", "code"),
    [
        ({"license": {"id": "MIT"}}, 0),
        ({"license": {"name": "MIT License"}}, 0),
        ({"license": {"name": "CC0"}}, 0),
        ({"license": {"name": "The Apache Software License, Version 2.0"}}, 0),
        ({"expression": "GPL-3.0-only OR Apache-2.0"}, 0),
        ({"license": {"id": "GPL-3.0-only"}}, 1),
    ],
)
def test_a_licence_must_be_accepted(
    found: object, code: int, dist: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_bill(dist, library(found))
    assert licences.main(dist) == code
    assert "other:lib 1: " in capsys.readouterr().out


def test_a_library_without_a_licence_is_rejected(dist: Path) -> None:
    write_bill(dist, library())
    assert licences.main(dist) == 1


def test_an_artifact_of_the_release_is_no_library(dist: Path) -> None:
    """Bills of connectors name the core without a licence."""
    write_bill(dist, library(group="own"))
    assert licences.main(dist) == 0


def test_an_archive_needs_the_licence_of_the_project(dist: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with zipfile.ZipFile(dist / "stoplog-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("stoplog-1.dist-info/licenses/LICENSE", "another")
    assert licences.main(dist) == 1
    assert "stoplog-1-py3-none-any.whl lacks the licence" in capsys.readouterr().out
