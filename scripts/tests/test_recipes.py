# SPDX-License-Identifier: Apache-2.0
"""The recipes are short, and their code and their commands are accepted by stoplog."""

from __future__ import annotations

import os
import re
import shlex
import sys
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import MagicMock

import pytest

import stoplog
from steps import ROOT
from stoplog._options.builder import OptionBacked
from stoplog._shared.definitions import option_keys
from stoplog.cli.main import parser

RECIPES = sorted((ROOT / "docs" / "recipes").glob("*.md"))
KNOWN = option_keys("core") | option_keys("core", "source") | option_keys("jdbc")
NO_OPTIONS = {"onCheckpoint", "maxOffsetsBehindLatest", "maxOffsetsPerTrigger"}
READ_BY_PYARROW = {"check", "explain", "exporter", "ls", "report", "show", "status"}
# What the recipes import of Airflow and Dagster, which the tests do not install.
SCHEDULERS: dict[str, dict[str, object]] = {
    "airflow.providers.standard.sensors.filesystem": {"FileSensor": dict},
    "dagster": {"RunRequest": dict, "sensor": lambda **_: lambda function: function},
}
WORDS_OF_A_PAGE = 400
WORDS_OF_ALL = 12_000


def blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```$", text, re.DOTALL | re.MULTILINE)
    return [str(block) for block in found]


def words(page: Path) -> int:
    return len(page.read_text(encoding="utf-8").split())


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_a_recipe_is_short(page: Path) -> None:
    assert words(page) <= WORDS_OF_A_PAGE


def test_all_recipes_together_are_short() -> None:
    assert sum(map(words, RECIPES)) <= WORDS_OF_ALL


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_the_code_of_a_recipe_runs(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, parts in SCHEDULERS.items():
        monkeypatch.setitem(sys.modules, module, cast("Any", SimpleNamespace(**parts)))
    names: dict[str, object] = {"stoplog": stoplog, "spark": MagicMock(), "rows": MagicMock()}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)
    built = [each for each in names.values() if isinstance(each, OptionBacked)]
    assert all(each.options() for each in built)


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_a_recipe_starts_each_query_that_it_writes(page: Path) -> None:
    for block in blocks(page, "python"):
        assert block.count(".write_stream(") == block.count(").start()"), block


def test_the_sensors_wait_for_the_marker_of_the_sink(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module, parts in SCHEDULERS.items():
        monkeypatch.setitem(sys.modules, module, cast("Any", SimpleNamespace(**parts)))
    page = ROOT / "docs" / "recipes" / "airflow.md"
    names: dict[str, Any] = {"stoplog": stoplog}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)
    marker = "dt=2026-01-31/hour=23/_SUCCESS"
    expression = re.sub("[{}]", "", names["HOUR"])
    hour = eval(expression, {"data_interval_start": datetime(2026, 1, 31, 23, tzinfo=timezone.utc)})
    found = names["hour_is_complete"]["filepath"].replace(names["HOUR"], hour)
    assert found == f"/data/events/{marker}"
    assert f"/data/events/{marker}" in page.read_text(encoding="utf-8")
    names["EVENTS"] = tmp_path
    for name in (marker, f"{marker}.2", "dt=2026-01-31/hour=23/part-1.parquet", "_stoplog/_SUCCESS"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    keys = [each["run_key"] for each in names["complete_hours"]()]
    assert [key.partition("@")[0] for key in keys] == [marker, f"{marker}.2"]
    os.utime(tmp_path / marker, (1, 1))  # an overwrite has removed the marker, and written another one
    assert [each["run_key"] for each in names["complete_hours"]()] == [f"{marker}@1000000000", keys[1]]


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_the_commands_of_a_recipe_are_commands_of_stoplog(page: Path) -> None:
    for block in blocks(page, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            program, *arguments = shlex.split(line)
            assert program in {"stoplog", "spark-submit"}
            if program == "stoplog":
                parser().parse_args(arguments)


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_commands_for_object_stores_name_the_jars(page: Path) -> None:
    # A Spark that pip installed has no client of an object store.
    for block in blocks(page, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            command = re.match(r" *stoplog ([\w-]+) .*\b(?:s3a|gs|abfss)://", line)
            if command and command[1] not in READ_BY_PYARROW:
                assert re.search(r"--jars |--conf spark\.jars\.packages=", line), line


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_commands_that_run_hadoop_name_s3_by_its_scheme(page: Path) -> None:
    # Hadoop has s3a:// alone. The commands that only read open s3:// as well, by pyarrow.
    jvm = r"stoplog (?:adopt|announce|check-config|clean|compact|finalize|reset|rewind) s3://"
    assert re.findall(jvm, page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_the_options_of_a_recipe_exist(page: Path) -> None:
    prose = re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    named = set(
        re.findall(r"`((?:on|max|compact|bucket|rollover|inactivity|manifest|reject)[A-Z]\w+)[=`]", prose)
    )
    assert named - KNOWN - NO_OPTIONS == set()
