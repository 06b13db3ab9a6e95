# SPDX-License-Identifier: Apache-2.0
"""The template for classes on the JVM, as far as Python has a part in it: sbt compiles it (tests/users)."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import stoplog

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).resolve().parents[2]


def template() -> Any:
    spec = importlib.util.spec_from_file_location("own_classes", ROOT / "examples/own-classes/build.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_compiler_is_from_pyspark_and_the_api_from_the_jar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stoplog, "jar", lambda: "/jars/stoplog.jar")
    command = template().command("out.jar")
    spark, own = command[command.index("-cp") + 1].split(os.pathsep)
    assert own == "/jars/stoplog.jar"
    assert list(Path(spark).parent.glob("scala-compiler-*.jar"))
    assert command[command.index("-d") + 1] == "out.jar"
    sources = {Path(each).stem for each in command if each.endswith(".scala")}
    assert {"RollByRows", "ByInitial", "Pairs", "ManifestFinder", "OwnParquet"} == sources


def test_the_page_names_the_classes_of_the_template() -> None:
    page = (ROOT / "docs/beyond-files/own-classes.md").read_text(encoding="utf-8")
    for name in (
        "own.PairsEncoder",
        "own.ByInitial",
        "own.RollByRows",
        "own.PairsFormat",
        "own.ManifestFinder",
    ):
        assert name in page
        sources = (ROOT / "examples/own-classes/src").glob("*.scala")
        assert any(
            f"class {name.removeprefix('own.')}(" in each.read_text(encoding="utf-8") for each in sources
        )
