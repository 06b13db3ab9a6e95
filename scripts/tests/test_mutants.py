# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
from pathlib import Path

import pytest

import mutant_report
import mutants

SOURCE = """\
class Box:
    def is_full(self, n: int) -> bool:
        # a comment
        return n > 7


def small(n: int = 1) -> bool:
    return n < 3
"""
MUTATED = """\
class Box:
    def xǁBoxǁis_full__mutmut_orig(self, n: int) -> bool:
        # a comment
        return n > 7

    def xǁBoxǁis_full__mutmut_1(self, n: int) -> bool:
        # a comment
        return n >= 7

def x_small__mutmut_orig(n: int = 1) -> bool:
    return n < 3

def x_small__mutmut_1(n: int = 2) -> bool:
    return n < 3

def x_small__mutmut_2(n: int = 1) -> bool:
    return n <= 3
"""
FULL = "stoplog/a.py:4\n  - return n > 7\n  + return n >= 7"
HEAD = "stoplog/a.py:7\n  - n: int = 1) -> bool:\n  + n: int = 2) -> bool:"


def entry(was: str, becomes: str, reason: str = "it is the same") -> str:
    lines = {"file": "stoplog/a.py", "was": was, "becomes": becomes, "reason": reason}
    return "\n".join(["[[mutant]]", *(f"{key} = {json.dumps(value)}" for key, value in lines.items())])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What mutmut leaves after a run in which one mutant was killed and two survived."""
    for below, text in (("stoplog", SOURCE), ("mutants/stoplog", MUTATED)):
        (tmp_path / below).mkdir(parents=True)
        (tmp_path / below / "a.py").write_text(text, encoding="utf-8")
    ends = {
        "stoplog.a.xǁBoxǁis_full__mutmut_1": 0,
        "stoplog.a.x_small__mutmut_1": 33,
        "stoplog.a.x_small__mutmut_2": 1,
    }
    meta = tmp_path / "mutants/stoplog/a.py.meta"
    meta.write_text(json.dumps({"exit_code_by_key": ends}), encoding="utf-8")
    (tmp_path / "python/tests/equivalent_mutants").mkdir(parents=True)
    mutant_report._functions.cache_clear()
    return tmp_path


def listed(folder: Path, *entries: str) -> mutant_report.Score:
    file = folder / "python/tests/equivalent_mutants/box.toml"
    file.write_text("\n".join(entries), encoding="utf-8")
    return mutant_report.score("box", folder, folder)


def test_survivors_are_reported_with_line_and_change(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = mutant_report.score("box", folder, folder)
    assert capsys.readouterr().out == f"{FULL}\n{HEAD}\n"
    assert found == mutant_report.Score("box", killed=1, total=3, equivalent=0, stale=())
    assert [*mutant_report.table([found])][-1] == "| box | 1 | 3 | 0 | 33.3 % |"


def test_equivalent_mutants_are_not_counted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = listed(folder, entry("return n > 7", "return n >= 7"))
    assert found == mutant_report.Score("box", killed=1, total=2, equivalent=1, stale=())
    assert capsys.readouterr().out == f"{HEAD}\n"


def test_a_listed_mutant_that_was_killed_is_stale(folder: Path) -> None:
    found = listed(folder, entry("return n < 3", "return n <= 3"))
    assert (found.total, found.stale) == (3, ("stoplog/a.py: return n < 3 -> return n <= 3",))


def test_an_equivalent_mutant_needs_a_reason(folder: Path) -> None:
    with pytest.raises(ValueError, match=r"box\.toml gives no reason for"):
        listed(folder, entry("return n > 7", "return n >= 7", ""))


def test_the_next_run_repeats_surviving_mutants(folder: Path) -> None:
    mutants.forget_survivors(folder / "mutants")
    ends = json.loads((folder / "mutants/stoplog/a.py.meta").read_text(encoding="utf-8"))["exit_code_by_key"]
    assert list(ends.values()) == [None, None, 1]


def test_only_changed_files_are_copied(tmp_path: Path) -> None:
    source, target = tmp_path / "source", tmp_path / "work/stoplog"
    (source / "jars").mkdir(parents=True)
    for name in ("a.py", "b.py", "jars/c.jar"):
        (source / name).write_text(name, encoding="utf-8")
    mutants.copy_changed(source, target)
    copied = target / "a.py"
    before = copied.stat().st_mtime_ns
    made = tmp_path / "work/mutants/stoplog/b.py.meta"
    made.parent.mkdir(parents=True)
    made.touch()
    (source / "b.py").unlink()
    mutants.copy_changed(source, target)
    assert [file.name for file in target.rglob("*")] == ["a.py"]
    assert (copied.stat().st_mtime_ns, made.exists()) == (before, False)


def test_every_package_has_files() -> None:
    for patterns in mutants.PACKAGES.values():
        assert all(list((mutants.ROOT / "python").glob(pattern)) for pattern in patterns), patterns
