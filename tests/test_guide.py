"""The guide's first page, followed to the letter by somebody who has nothing yet."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parent.parent / "docs" / "quick-start.md"


def blocks(language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )


@pytest.mark.spark_lines
def test_the_quick_start_gets_from_an_empty_directory_to_files_that_any_reader_reads(tmp_path: Path) -> None:
    (job, look) = blocks("python")
    feed, run, status = blocks("sh")
    # As in the environment that the page makes.
    binaries = str(Path(sys.executable).parent)
    environment = os.environ | {"TZ": "UTC", "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}

    def shell(command: str) -> str:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    shell(feed)
    (tmp_path / "job.py").write_text(job, encoding="utf-8")
    shell(run)
    days = {file.parent.name for file in (tmp_path / "weather").glob("*/part-*.parquet")}
    assert days == {"2026-05-01", "2026-05-02"}
    (tmp_path / "look.py").write_text(look, encoding="utf-8")
    assert shell("python look.py") in blocks("")
    assert "2026-05-01" in shell(status.replace("stoplog ", "python -m stoplog.cli "))
