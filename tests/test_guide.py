"""The guide's first page, followed to the letter by somebody who has nothing yet."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))

from quick_start import QuickStart


@pytest.mark.spark_lines
def test_the_quick_start_gets_from_an_empty_directory_to_files_that_any_reader_reads(tmp_path: Path) -> None:
    # As in the environment that the page makes.
    binaries = str(Path(sys.executable).parent)
    environment = os.environ | {"TZ": "UTC", "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}

    def shell(command: str) -> str:
        done = subprocess.run(
            # A checkout that is not installed has no command of its own.
            ["bash", "-euo", "pipefail", "-c", f'stoplog() {{ python -m stoplog.cli "$@"; }}\n{command}'],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    page = QuickStart()
    page.feed(shell)
    (tmp_path / "job.py").write_text(page.job(), encoding="utf-8")
    shell(page.run())
    page.look(shell, tmp_path)
