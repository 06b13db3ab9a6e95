# SPDX-License-Identifier: Apache-2.0
"""`stoplog init` writes a project, and never over a user's files."""

from __future__ import annotations

import json
import os
import py_compile
import re
import runpy
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from stoplog._shared.spark_modules import KAFKA, PUBLISHED, newest_line
from stoplog._shared.version import CHECKOUT, PACKAGE, version
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
        assert not re.search("PROJECT_NAME|RELEASE_OF_STOPLOG|LINE_OF_SPARK|LINE_WITH_KAFKA|SPDX", text)
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


@pytest.mark.parametrize(
    ("spark", "module"), [("4.0.5", "4.0.4"), ("4.1.4", "4.1.3"), ("4.2.1", "4.2.0"), ("4.9.1", "4.9.1")]
)
def test_the_module_for_kafka_is_published_for_the_line_of_spark(
    spark: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "clicks"
    main(["init", str(project), "--template", "kafka"])
    monkeypatch.setitem(sys.modules, "pyspark", cast("Any", SimpleNamespace(__version__=spark)))
    monkeypatch.delenv("SPARK_PACKAGES", raising=False)
    settings = runpy.run_path(str(project / "settings.py"))
    assert settings["PACKAGES"] == f"org.apache.spark:{KAFKA}_2.13:{module}"
    assert settings["KAFKA_MODULES"] == PUBLISHED[KAFKA]
    requirements = (project / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert f"pyspark~={newest_line(KAFKA)}.0" in requirements


def test_a_job_for_a_day_without_the_day_prints_its_usage(tmp_path: Path) -> None:
    project = tmp_path / "sales"
    main(["init", str(project), "--template", "overwrite"])
    done = subprocess.run(
        [sys.executable, "job.py"],
        cwd=project,
        env=os.environ | {"PYTHONPATH": str(PACKAGE.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "usage: python job.py 2026-01-31\n")


def test_the_jars_of_the_project_for_postgres_can_be_built() -> None:
    readme = (TEMPLATES / "postgres" / "README.md").read_text(encoding="utf-8")
    (target,) = set(re.findall(r"make ([\w-]+)", readme))
    assert f"\n{target}: " in (CHECKOUT / "Makefile").read_text(encoding="utf-8")


def test_the_driver_of_the_database_has_the_version_of_the_build() -> None:
    build = (CHECKOUT / "project" / "Versions.scala").read_text(encoding="utf-8")
    driver = re.search(r'val postgresDriver\s*= "([^"]+)"', build)
    assert driver
    settings = (TEMPLATES / "postgres" / "settings.py").read_text(encoding="utf-8")
    assert f"org.postgresql:postgresql:{driver[1]}" in settings
