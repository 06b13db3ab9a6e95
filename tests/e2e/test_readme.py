# SPDX-License-Identifier: Apache-2.0
"""Holds README, guarantees and limits to the truth: the example runs, what they name exists."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pandas
import pyarrow.dataset
import pytest

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
FRONT = [
    ROOT / "README.md",
    *(ROOT / "docs" / name for name in ("correctness/guarantees.md", "reference/limits.md")),
]


def block(language: str) -> str:
    """The first code block of that language."""
    found = re.search(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    assert found is not None, f"the README has no block of {language}"
    return found[1]


def test_any_reader_finds_every_row_of_the_python_example(tmp_path: Path, spark: SparkSession) -> None:
    """Without an option, and with the column of the directories."""
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    events = [{"at": f"2026-01-3{n % 2}T20:15:00.000Z", "text": f"event {n}"} for n in range(100)]
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
    path = tmp_path / "events"
    assert {file.parent.name for file in path.glob("*/part-*.snappy.parquet")} == {
        "day=2026-01-30",
        "day=2026-01-31",
    }
    wanted = sorted((event["text"], event["at"][:10]) for event in events)
    assert wanted == sorted(
        (row.text, str(row.day)) for row in spark.read.parquet(str(path)).select("text", "day").collect()
    )
    for table in (
        pyarrow.dataset.dataset(path, partitioning="hive").to_table().to_pandas(),
        pandas.read_parquet(path),
        duckdb.sql(f"SELECT * FROM '{path}/*/*.parquet'").to_df(),
    ):
        assert wanted == sorted(zip(table["text"], table["day"].astype(str).str[:10], strict=True))


def test_the_coordinate_has_the_current_version() -> None:
    assert f"--packages {stoplog.packages()} " in README


def test_the_python_example_fits_on_a_screen() -> None:
    assert len([line for line in block("python").splitlines() if line.strip()]) <= 15


def test_the_readme_is_short() -> None:
    assert len(README.splitlines()) <= 110


@pytest.mark.parametrize("page", FRONT, ids=lambda page: page.name)
def test_the_named_commands_and_tests_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    commands = set(re.findall(r"(?:^|`)make ([a-z0-9-]+)", text, re.MULTILINE))
    assert {each for each in commands if not re.search(rf"^{each}:", makefile, re.MULTILINE)} == set()
    suites = set(re.findall(r"`(\w+(?:Suite|Laws))`", text))
    sources = ("scala-core/src/test", "laws/src", "connectors")
    compiled = {path.stem for tests in sources for path in (ROOT / tests).rglob("*.scala")}
    assert suites - compiled == set()
    assert [each for each in re.findall(r"`(tests/e2e/\w+\.py)`", text) if not (ROOT / each).exists()] == []


def test_every_guarantee_names_tests() -> None:
    rows = [
        line.split(" | ")
        for line in (ROOT / "docs" / "correctness" / "guarantees.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("| ") and not line.startswith("| Guarantee")
    ]
    assert len(rows) >= 15
    assert [row[0] for row in rows if not re.search(r"`\w+(?:Suite|Laws)`|`tests/e2e/\w+\.py`", row[2])] == []
