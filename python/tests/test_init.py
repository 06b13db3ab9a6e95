# SPDX-License-Identifier: Apache-2.0
"""`stoplog init` writes a project, and never over a user's files."""

from __future__ import annotations

import json
import py_compile
import re
from pathlib import Path

import pytest

from stoplog._shared.version import CHECKOUT, version
from stoplog.cli.command import ExitCode
from stoplog.cli.commands.init import SUMMARIES, TEMPLATES
from stoplog.cli.main import main

FILES = {"job.py", "settings.py", "test_job.py", "README.md", "requirements.txt"}
MORE_FILES = {"sink": {"order_files.py"}}


@pytest.mark.parametrize("template", SUMMARIES)
def test_a_project_has_a_job_settings_a_test_and_a_readme(
    template: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    project = tmp_path / "clicks"
    assert main(["init", str(project), "--template", template]) == ExitCode.OK
    assert f"Wrote the project {project} ({SUMMARIES[template]}):" in capsys.readouterr().out
    assert {file.name for file in project.iterdir() if file.is_file()} == FILES | MORE_FILES.get(
        template, set()
    )
    texts = {file: file.read_text(encoding="utf-8") for file in project.rglob("*") if file.is_file()}
    for text in texts.values():
        assert not re.search("PROJECT_NAME|RELEASE_OF_STOPLOG|SPDX", text)
    assert texts[project / "README.md"].startswith("# clicks\n")
    assert 15 <= texts[project / "README.md"].count("\n") <= 22
    assert f"stoplog[spark]=={version()}" in texts[project / "requirements.txt"]
    for file in project.glob("*.py"):
        py_compile.compile(str(file), doraise=True)
        assert all(len(line) <= 110 for line in texts[file].splitlines())


def test_each_directory_of_templates_has_a_summary() -> None:
    assert {each.name for each in TEMPLATES.iterdir() if each.is_dir()} == set(SUMMARIES)


def test_a_project_is_not_written_over_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "job.py").write_text("mine")
    assert main(["init", str(tmp_path / "mine")]) == ExitCode.FAILED
    assert "[STOPLOG_CANNOT_WRITE]" in capsys.readouterr().err
    assert [file.name for file in (tmp_path / "mine").iterdir()] == ["job.py"]
    assert (tmp_path / "mine" / "job.py").read_text() == "mine"
    (tmp_path / "empty").mkdir()
    assert main(["init", str(tmp_path / "empty"), "--json"]) == ExitCode.OK
    assert set(json.loads(capsys.readouterr().out)["init"]["files"]) >= FILES


def test_the_present_directory_is_a_project_with_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "my clicks"]) == ExitCode.OK
    assert "Next: cd 'my clicks', and follow README.md." in capsys.readouterr().out
    (tmp_path / "clicks").mkdir()
    monkeypatch.chdir(tmp_path / "clicks")
    assert main(["init", "."]) == ExitCode.OK
    assert (tmp_path / "clicks" / "README.md").read_text("utf-8").startswith("# clicks\n")


@pytest.mark.parametrize("name", ["a'b", 'a"b', "a\nb", "a\\b", ".."])
def test_a_name_cannot_change_the_code(name: str, tmp_path: Path) -> None:
    assert main(["init", str(tmp_path / name)]) == ExitCode.FAILED


def test_the_driver_of_the_database_has_the_version_of_the_build() -> None:
    build = (CHECKOUT / "project" / "Versions.scala").read_text(encoding="utf-8")
    driver = re.search(r'val postgresDriver\s*= "([^"]+)"', build)
    assert driver
    settings = (TEMPLATES / "postgres" / "settings.py").read_text(encoding="utf-8")
    assert f"org.postgresql:postgresql:{driver[1]}" in settings
