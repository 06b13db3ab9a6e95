# SPDX-License-Identifier: Apache-2.0
"""The page for users who test pipelines of their own: its example runs as a project of theirs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "operate" / "testing.md"


@pytest.mark.long
@pytest.mark.spark_lines
def test_the_example_of_the_page_passes(tmp_path: Path) -> None:
    """Two tests, side by side, of a module that no one else could import."""
    found = re.search(r"^```python\n# (\S+\.py)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.S | re.M)
    assert found is not None
    project = tmp_path / "project"
    project.mkdir()
    (project / found[1]).write_text(found[2])
    options = ["-p", "pytest_stoplog", "-p", "xdist", "-n", "2", "--basetemp", str(tmp_path / "runs")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, project],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert "2 passed" in done.stdout, done.stdout + done.stderr
    fields = [file.parent.name for file in (tmp_path / "runs").rglob("part-*.json")]
    assert fields
    assert set(fields) == {"HOME"}
