# SPDX-License-Identifier: Apache-2.0
"""The recipes are short, and their code and their commands are accepted by stoplog."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
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
def test_the_code_of_a_recipe_runs(page: Path) -> None:
    names: dict[str, object] = {"stoplog": stoplog, "spark": MagicMock(), "rows": MagicMock()}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), names)
    built = [each for each in names.values() if isinstance(each, OptionBacked)]
    assert all(each.options() for each in built)


@pytest.mark.parametrize("page", RECIPES, ids=lambda page: page.stem)
def test_the_commands_of_a_recipe_are_commands_of_stoplog(page: Path) -> None:
    for block in blocks(page, "sh"):
        for line in block.replace("\\\n", " ").splitlines():
            program, *arguments = shlex.split(line)
            assert program in {"stoplog", "spark-submit"}
            if program == "stoplog":
                parser().parse_args(arguments)


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
