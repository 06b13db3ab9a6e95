# SPDX-License-Identifier: Apache-2.0
"""What the workflows and hooks call is there, and they try what the package says it runs on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import python_lines
from steps import ROOT

if TYPE_CHECKING:
    from pathlib import Path

CALLERS = [
    ROOT / ".pre-commit-config.yaml",
    *sorted((ROOT / ".github").rglob("*.yml")),
]
WORKFLOWS = [file for file in CALLERS if file.parent.name in ("workflows", "setup")]


@pytest.mark.parametrize("caller", CALLERS, ids=lambda file: file.name)
def test_called_make_targets_and_files_exist(caller: Path) -> None:
    text = caller.read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = re.findall(r"\bmake ([a-z-]+)", re.sub(r"^ *#.*$", "", text, flags=re.MULTILINE))
    assert [target for target in targets if not re.search(rf"^{target}:", makefile, re.MULTILINE)] == []
    files = re.findall(r"(?<![\w./])((?:scripts|python|project|\.ci|\./\.github)/[\w./-]+\w)", text)
    assert [file for file in files if not (ROOT / file).exists()] == []


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda file: file.name)
def test_actions_are_pinned_by_their_major_version(workflow: Path) -> None:
    used = re.findall(r"uses: (\S+)", workflow.read_text(encoding="utf-8"))
    assert used
    assert [each for each in used if not re.search(r"@(?:v\d+|release/v\d+)$|^\./", each)] == []


def test_every_python_version_is_tested() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    tried = re.search(r"^ +python: \[(.*)\]$", text, re.MULTILINE)
    assert tried is not None
    assert re.findall(r'"([\d.]+)"', tried[1]) == python_lines.lines()


def test_the_release_rejects_a_placeholder_and_another_version() -> None:
    text = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    assert 'release_check.py --tag "$TAG"' in text
