# SPDX-License-Identifier: Apache-2.0
"""A clone that begins with the classes of a run that passed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import kept_classes

PROJECTS = ("core", "connectors/one")


@pytest.fixture
def built(tmp_path: Path) -> Path:
    root = tmp_path / "built"
    for project in PROJECTS:
        write(root / project / "target" / "classes" / "A.class", project)
        write(root / project / "target" / "test-reports" / "A.xml", "of that run")
        write(root / project / "target" / "a.jar", "of that clone")
        write(root / project / "target" / "active.json", "its sbt server")
    write(root / "core" / "src" / "A.scala", "not of a build")
    return root


def test_a_new_clone_gets_the_classes_with_their_times(built: Path, tmp_path: Path) -> None:
    kept_classes.keep(built, PROJECTS, tmp_path / "kept")
    assert kept_classes.bring(tmp_path / "new", PROJECTS, tmp_path / "kept")
    for project in PROJECTS:
        found = tmp_path / "new" / project / "target"
        assert files(found) == {"classes/A.class"}
        assert (found / "classes/A.class").read_text() == project
        assert (found / "classes/A.class").stat().st_mtime == 1_000_000
    assert files(tmp_path / "new" / "core") == {"target/classes/A.class"}


def test_a_compiled_clone_keeps_the_present_classes(built: Path, tmp_path: Path) -> None:
    kept_classes.keep(built, PROJECTS, tmp_path / "kept")
    write(tmp_path / "used" / "core" / "target" / "B.class", "its own")
    assert not kept_classes.bring(tmp_path / "used", PROJECTS, tmp_path / "kept")
    assert files(tmp_path / "used") == {"core/target/B.class"}


def test_a_clone_without_a_cache_starts_empty(tmp_path: Path) -> None:
    assert not kept_classes.bring(tmp_path / "new", PROJECTS, tmp_path / "kept")
    assert not (tmp_path / "new").exists()


def test_the_next_run_replaces_the_cache(built: Path, tmp_path: Path) -> None:
    kept_classes.keep(built, PROJECTS, tmp_path / "cache" / "kept")
    kept_classes.keep(built, PROJECTS[:1], tmp_path / "cache" / "kept")
    assert files(tmp_path / "cache") == {"kept/core/target/classes/A.class"}


def test_an_unreadable_cache_restores_nothing(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept_classes.keep(built, PROJECTS, tmp_path / "kept")
    copy = kept_classes.copy

    def breaks_off(source: Path, target: Path) -> None:
        if "one" in target.parts:
            raise OSError("it is replaced right now")
        copy(source, target)

    monkeypatch.setattr(kept_classes, "copy", breaks_off)
    assert not kept_classes.bring(tmp_path / "new", PROJECTS, tmp_path / "kept")
    assert files(tmp_path / "new") == set()


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    os.utime(file, (1_000_000, 1_000_000))


def files(root: Path) -> set[str]:
    return {str(file.relative_to(root)) for file in root.rglob("*") if file.is_file()}
