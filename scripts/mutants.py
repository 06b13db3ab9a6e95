# SPDX-License-Identifier: Apache-2.0
"""Change the Python package in thousands of small ways, and count how many of them its tests notice.

usage: mutants.py [--fresh] [--jobs N] [PACKAGE ...]     (default: all of builders, log, inspect, report)

mutmut makes the mutants and runs for each the tests and doctests that reach its function. A second run tries
again the mutants that survived and those of changed functions; --fresh tries all.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import mutant_report

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".cache" / "mutants" / "python"
WORK = ROOT / "build" / "mutants" / "python"
ENOUGH = 85
"""Percent of a package's mutants."""

_BUILDERS = (
    "_options/builder _text/values _text/words kafka/* sink/*"
    " bucket bulk cassandra encoder jdbc output_file rolling source/* stream_format write_ahead"
)
PACKAGES = {
    "builders": [f"stoplog/{name}.py" for name in _BUILDERS.split()],
    "log": ["stoplog/_log/*"],
    "inspect": ["stoplog/_inspect/*"],
    "report": ["stoplog/_report/*"],
}
# A package is pinned down by tests of its own: those of others reach it too, and take ten times as long.
_TESTS = {
    "builders": [
        "tests/test_builder*.py",
        "tests/test_kafka.py",
        "tests/test_odd_values.py",
        "tests/test_shown.py",
        "tests/test_sink.py",
        "tests/test_values.py",
        "tests/test_words_and_options.py",
        "tests/test_wrong_arguments.py",
        "stoplog/*.py",
        "stoplog/sink",
        "stoplog/_options",
        "stoplog/_text",
        "stoplog/kafka",
        "stoplog/source",
    ],
    "log": [
        "tests/test_commit_log.py",
        "tests/test_handles.py",
        "tests/test_inspection.py",
        "tests/test_log_*.py",
        "tests/test_verdicts.py",
        "stoplog/_log",
    ],
    "report": ["tests/test_report*.py", "stoplog/_report"],
    "inspect": [
        "tests/test_check*.py",
        "tests/test_inspect*.py",
        "tests/test_liveness.py",
        "tests/test_verdicts.py",
        "stoplog/_inspect",
    ],
}

# Tests that read a page or a source of another part of the repository find it beside the copy.
_BESIDE = ("docs", "project", "scala-core", "connectors", "python/requirements")
# These start Python anew or a browser, for which no mutant is switched on.
_APART = ("test_report_in_browser.py", "test_testing_*.py")


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", choices=[*PACKAGES, []])
    asked = parser.parse_args(arguments)
    scores = []
    for name in asked.packages or PACKAGES:
        folder = WORK / name
        if asked.fresh:
            shutil.rmtree(folder, ignore_errors=True)
        prepare(folder, name)
        forget_survivors(folder / "mutants")
        run_mutmut(folder, asked.jobs)
        scores.append(mutant_report.score(name, folder, ROOT))
    print("\n".join(mutant_report.table(scores)))
    return 0 if all(score.percent >= ENOUGH and not score.stale for score in scores) else 1


def prepare(folder: Path, package: str) -> None:
    """Copies package and tests to where mutmut looks for them; what has not changed keeps its time."""
    folder.mkdir(parents=True, exist_ok=True)
    copy_changed(ROOT / "python" / "stoplog", folder / "stoplog")
    copy_changed(ROOT / "python" / "tests", folder / "tests")
    shutil.rmtree(folder / "mutants" / "tests", ignore_errors=True)
    for name in _BESIDE:
        link = folder / name
        if not link.is_symlink():
            link.parent.mkdir(exist_ok=True)
            link.symlink_to(ROOT / name)
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    patterns = _TESTS.get(package, ["tests", "stoplog"])
    tests = sorted(str(path.relative_to(folder)) for pattern in patterns for path in folder.glob(pattern))
    settings = mutmut_settings(PACKAGES[package], tests)
    (folder / "pyproject.toml").write_text(f"{project}\n{settings}", encoding="utf-8")


def copy_changed(source: Path, target: Path) -> None:
    """Makes the files below the target those below the source."""
    files = {file.relative_to(source) for file in source.rglob("*") if file.is_file()}
    wanted = {file for file in files if not {"jars", "__pycache__"} & set(file.parts)}
    for left in [file for file in target.rglob("*.py") if file.relative_to(target) not in wanted]:
        left.unlink()
        # What mutmut made of it would still be imported, and counted.
        for made in (target.parent / "mutants").glob(f"{left.relative_to(target.parent)}*"):
            made.unlink()
    for file in wanted:
        copied, content = target / file, (source / file).read_bytes()
        if not copied.exists() or copied.read_bytes() != content:
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.write_bytes(content)


def mutmut_settings(mutated: list[str], tests: list[str]) -> str:
    """mutmut's part of pyproject.toml. Its copies of functions have doctests too, which are left out."""
    arguments = ["--doctest-modules", "-k", "not __mutmut_", "-p", "no:cacheprovider"]
    arguments += [f"--ignore-glob=*/{file}" for file in _APART]
    values = {
        "source_paths": ["stoplog"],
        "only_mutate": mutated,
        "pytest_add_cli_args": arguments,
        "pytest_add_cli_args_test_selection": tests,
        "timeout_constant": 3.0,  # seconds: a busy machine must not be taken for a loop without end
        "use_git_change_detection": False,
    }
    lines = [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return "\n".join(["[tool.mutmut]", *lines, ""])


def forget_survivors(mutants: Path) -> None:
    """So that the next run tries again what survived or took too long: tests may have been added."""
    for file in mutants.rglob("*.meta"):
        meta = json.loads(file.read_text(encoding="utf-8"))
        ends: dict[str, int | None] = meta["exit_code_by_key"]
        meta["exit_code_by_key"] = {
            key: end if end in mutant_report.FAILED else None for key, end in ends.items()
        }
        file.write_text(json.dumps(meta), encoding="utf-8")
    # Which test reaches which function is asked anew as well.
    (mutants / "mutmut-stats.json").unlink(missing_ok=True)


def run_mutmut(folder: Path, jobs: int) -> None:
    command = [
        sys.executable,
        "-c",
        "from mutmut.__main__ import cli; cli()",
        "run",
        f"--max-children={jobs}",
    ]
    if subprocess.run(command, cwd=folder, env=_environment([TOOLS]), check=False).returncode:
        sys.exit(
            f"mutmut has ended early: {folder} has what it ran, and its tests have to pass without mutants."
        )


def _environment(path: Iterable[Path]) -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(map(str, path)),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
