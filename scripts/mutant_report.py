# SPDX-License-Identifier: Apache-2.0
"""What became of mutmut's mutants: how many were killed, and each survivor with its place and its change."""

from __future__ import annotations

import ast
import difflib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import tomllib

FAILED = (1, 3)
KILLED = (*FAILED, 24, -24, 36, 152, 255)
"""How tests end that notice a mutant: they fail, break off, or take much longer than they should."""

_EQUIVALENT = "python/tests/equivalent_mutants"
_PARTS = re.compile(r"x(?:_|ǁ(?P<owner>.+)ǁ)(?P<function>.+)__mutmut_(?P<number>\d+)$")


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of one function: the lines that it takes away and puts there, without their indentation."""

    file: str
    line: int
    was: str
    becomes: str

    def __str__(self) -> str:
        lines = [f"  - {line}" for line in self.was.splitlines()] + [
            f"  + {line}" for line in self.becomes.splitlines()
        ]
        return "\n".join([f"{self.file}:{self.line}", *lines])

    def key(self) -> tuple[str, str, str]:
        return (self.file, self.was, self.becomes)


@dataclass(frozen=True, slots=True)
class Score:
    """A package's mutants. Equivalent ones, which no test can tell from the original, are not in the total.

    `stale` are entries of the list of equivalents of which there is no surviving mutant (any more).
    """

    package: str
    killed: int
    total: int
    equivalent: int
    stale: tuple[str, ...]

    @property
    def percent(self) -> float:
        return 100 * self.killed / self.total if self.total else 100.0


def score(package: str, folder: Path, root: Path) -> Score:
    """Prints the survivors, and counts."""
    ends = dict(_ends(folder / "mutants"))
    equivalent = _equivalent(root / _EQUIVALENT / f"{package}.toml")
    found = set()
    left = []
    for key, end in ends.items():
        if end in KILLED:
            continue
        mutant = _mutant(folder, key)
        if mutant.key() in equivalent:
            found.add(key)
        else:
            left.append(mutant)
    keys = {_mutant(folder, key).key() for key in found}
    stale = tuple(f"{file}: {was} -> {becomes}" for file, was, becomes in sorted(equivalent - keys))
    for mutant in sorted(left, key=lambda mutant: (mutant.file, mutant.line)):
        print(mutant)
    for entry in stale:
        print(f"{package}.toml lists as equivalent what no surviving mutant is: {entry}")
    return Score(package, len(ends) - len(left) - len(found), len(ends) - len(found), len(found), stale)


def table(scores: list[Score]) -> Iterator[str]:
    yield ""
    yield "| Package | Killed | Of | Equivalent | Score |"
    yield "|---|--:|--:|--:|--:|"
    for one in scores:
        yield f"| {one.package} | {one.killed} | {one.total} | {one.equivalent} | {one.percent:.1f} % |"


def _ends(mutants: Path) -> Iterator[tuple[str, int | None]]:
    for file in sorted(mutants.rglob("*.meta")):
        yield from json.loads(file.read_text(encoding="utf-8"))["exit_code_by_key"].items()


def _equivalent(file: Path) -> set[tuple[str, str, str]]:
    if not file.exists():
        return set()
    entries = tomllib.loads(file.read_text(encoding="utf-8"))["mutant"]
    if without := [entry for entry in entries if not entry.get("reason")]:
        raise ValueError(f"{file.name} gives no reason for {without[0]}")
    return {(entry["file"], entry["was"], entry["becomes"]) for entry in entries}


def _mutant(folder: Path, key: str) -> Mutant:
    module, _, name = key.rpartition(".")
    path = f"{module.replace('.', '/')}.py"
    if not (folder / path).exists():
        path = f"{module.replace('.', '/')}/__init__.py"
    parts = _PARTS.fullmatch(name)
    if parts is None:
        raise ValueError(f"mutmut has given a mutant the name {key}, which this program cannot read")
    original = _function(folder / path, parts["owner"], parts["function"])
    mutated = folder / "mutants" / path
    before = _function(mutated, parts["owner"], re.sub(r"\d+$", "orig", name)).lines
    after = _function(mutated, parts["owner"], name).lines
    first, was, becomes = _change(before[_body(before) :], after[_body(after) :])
    if was or becomes:
        return Mutant(path, original.line + _body(original.lines) + first, was, becomes)
    # The mutation is in the head, but for the name, which always differs.
    head, kept = " ".join(before[: _body(before)]), " ".join(after[: _body(after)])
    return Mutant(path, original.line, head.partition("(")[2], kept.partition("(")[2])


@dataclass(frozen=True, slots=True)
class _Function:
    line: int
    lines: list[str]


def _function(file: Path, owner: str | None, name: str) -> _Function:
    found = _functions(file).get((owner, name))
    if found is None:
        raise ValueError(f"{file} has no function {name}")
    return found


@cache  # mutmut's file has each function as often as there are mutants of it
def _functions(file: Path) -> dict[tuple[str | None, str], _Function]:
    source = file.read_text(encoding="utf-8")
    lines, tree = source.splitlines(), ast.parse(source)
    owners = [(None, tree), *((node.name, node) for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
    return {
        (owner, node.name): _Function(node.lineno, lines[node.lineno - 1 : node.end_lineno])
        for owner, body in owners
        for node in ast.iter_child_nodes(body)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }


def _body(lines: list[str]) -> int:
    """The index of the first line after the head of a function."""
    return next(index for index, line in enumerate(lines) if line.rstrip().endswith(":")) + 1


def _change(before: list[str], after: list[str]) -> tuple[int, str, str]:
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    if not changes:
        return 0, "", ""
    was = [line.strip() for _, start, end, _, _ in changes for line in before[start:end]]
    becomes = [line.strip() for _, _, _, start, end in changes for line in after[start:end]]
    return changes[0][1], "\n".join(was), "\n".join(becomes)
