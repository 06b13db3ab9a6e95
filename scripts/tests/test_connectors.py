# SPDX-License-Identifier: Apache-2.0
"""`connectors/list.txt` lists every connector, and what gives each one of its own has all of them."""

from __future__ import annotations

import re
import subprocess

import check_dist
import connectors
import run_tests
from steps import ROOT


def test_the_list_has_exactly_the_directories_of_connectors() -> None:
    directories = sorted(path.name for path in connectors.DIRECTORY.iterdir() if (path / "src").is_dir())
    assert connectors.ids() == directories


def test_sbt_has_a_project_of_each_connector() -> None:
    build = (ROOT / "build.sbt").read_text(encoding="utf-8")
    assert sorted(re.findall(r'^lazy val (\w+) = connector\("\1"\)', build, re.MULTILINE)) == connectors.ids()


def test_make_publishes_each_connector_and_writes_each_options_page() -> None:
    command = ["make", "--silent", "--dry-run", "publish-local-repo", "docs"]
    said = subprocess.check_output(command, cwd=ROOT, text=True)
    assert [id for id in connectors.ids() if f" {id}/publish" not in said] == []
    shared = {file.stem for file in (ROOT / "python/stoplog/shared").glob("*.json")} - {"core", "names"}
    assert set(re.findall(r"stoplog\.(\w+)\.docs\.OptionsPage", said)) == shared


def test_a_release_and_a_test_run_include_each_connector() -> None:
    assert {f"stoplog-{id}_2.13" for id in connectors.ids()} <= set(check_dist.ARTIFACTS)
    assert set(connectors.ids()) <= set(run_tests.SBT_PROJECTS.values())


def test_the_guide_has_a_page_of_each_connector() -> None:
    guide = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = set(re.findall(r": (?:[\w-]+/)*([\w-]+)\.md$", guide, re.MULTILINE))
    assert set(connectors.ids()) <= pages
