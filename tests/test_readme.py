# SPDX-License-Identifier: Apache-2.0
"""Holds the README to the truth: its Python example runs, and a suite runs its Scala one. No dead links."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import stoplog

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]


def block(language: str) -> str:
    """The first code block of that language."""
    found = re.search(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    assert found is not None, f"the README has no block of {language}"
    return found[1]


def test_the_python_example_writes_every_row_once(tmp_path: Path) -> None:
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    events = [{"at": f"2026-01-31T2{n % 3}:15:00.000Z", "message": f"event {n}"} for n in range(100)]
    (incoming / "events.json").write_text("".join(f"{json.dumps(event)}\n" for event in events))

    # In UTC, as far as Spark reads and writes timestamps.
    done = subprocess.run(
        [sys.executable, "-c", block("python")],
        cwd=tmp_path,
        env=os.environ | {"TZ": "UTC"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )

    assert done.returncode == 0, done.stderr
    files = sorted((tmp_path / "events").glob("*/part-*.json"))
    assert {file.parent.name for file in files} == {f"2026-01-31--{hour}" for hour in (20, 21, 22)}
    written = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    assert sorted(written, key=str) == sorted(events, key=str)


def test_the_coordinate_is_that_of_this_version() -> None:
    assert f"--packages {stoplog.packages()} " in README


def test_the_python_example_fits_on_a_screen() -> None:
    assert len([line for line in block("python").splitlines() if line.strip()]) <= 15


def test_the_scala_example_is_the_one_that_a_suite_runs() -> None:
    suite = ROOT / "scala-core" / "src" / "test" / "scala" / "stoplog" / "ReadmeSuite.scala"
    source = suite.read_text(encoding="utf-8")
    region = source.partition("// README: begin\n")[2].partition("// README: end")[0]
    assert textwrap.dedent(region).strip() == block("scala").strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    targets = re.findall(r"\]\((?!https?://)([^)#]+)", text)
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_every_decision_is_listed() -> None:
    listed = (ROOT / "docs" / "decisions" / "README.md").read_text(encoding="utf-8")
    pages = {page.name for page in PAGES if page.name[0].isdigit()}
    assert pages == set(re.findall(r"\((\d{4}-[^)]+)\)", listed))


def test_the_commands_and_the_tests_it_names_are_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = set(re.findall(r"(?:^|`)make ([a-z0-9-]+)", README, re.MULTILINE))
    assert {each for each in commands if not re.search(rf"^{each}:", makefile, re.MULTILINE)} == set()
    suites = set(re.findall(r"`(\w+(?:Suite|Laws))`", README))
    compiled = {path.stem for path in (ROOT / "scala-core" / "src" / "test").rglob("*.scala")}
    assert suites - compiled == set()
    assert [each for each in re.findall(r"`(tests/\w+\.py)`", README) if not (ROOT / each).exists()] == []
