# SPDX-License-Identifier: Apache-2.0
"""The names of the package `stoplog`: which a user sees, and when Python imports their modules."""

from __future__ import annotations

import ast
import builtins
import subprocess
import sys
from pathlib import Path

import pytest

import stoplog
from stoplog import __all__ as STARRED  # type: ignore[attr-defined]

PUBLIC = sorted([*STARRED, "inspect"])
PACKAGE = Path(stoplog.__file__).parent


def test_dir_has_the_public_names_only() -> None:
    assert [name for name in dir(stoplog) if not name.startswith("_")] == PUBLIC


def test_dir_stays_the_same_after_all_modules_are_imported() -> None:
    printed = run(
        "import stoplog, stoplog.inspection, stoplog.jdbc\n"
        "before = dir(stoplog)\n"
        "[getattr(stoplog, name) for name in stoplog.__all__]\n"
        "print(before == dir(stoplog))"
    )
    assert printed == "True"


def test_import_star_binds_the_public_names_only() -> None:
    bound: dict[str, object] = {}
    exec("from stoplog import *", bound)
    assert bound.keys() - {"__builtins__"} == set(STARRED)


def test_import_star_hides_no_module_and_no_builtin_of_python() -> None:
    assert set(STARRED) & (sys.stdlib_module_names | set(dir(builtins))) == set()


@pytest.mark.parametrize("name", [*PUBLIC, "__version__"])
def test_each_public_name_exists(name: str) -> None:
    assert getattr(stoplog, name) is not None


def test_type_checkers_read_the_same_names_and_modules() -> None:
    tree = ast.parse(Path(stoplog.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    exported = [(f"{node.module}", alias.asname) for node in imports for alias in node.names if alias.asname]
    homes = stoplog._HOMES.items()
    assert exported == [(f"stoplog.{home}", name) for home, names in homes for name in names.split()]


def test_no_public_name_is_the_name_of_a_module() -> None:
    modules = {file.stem for file in PACKAGE.iterdir()}
    assert modules & set(PUBLIC) == set()


def test_the_import_of_the_package_imports_none_of_the_modules() -> None:
    printed = run(
        "import sys; before = set(sys.modules); import stoplog\n"
        "print(*sorted(name for name in set(sys.modules) - before if name.startswith(('stoplog.', 'py'))))"
    )
    assert printed == ""


def test_the_import_after_pyspark_adds_one_module() -> None:
    printed = run(
        "import pyspark, sys; before = set(sys.modules); import stoplog\n"
        "print(*sorted(set(sys.modules) - before))"
    )
    assert printed == "stoplog"


def test_a_public_module_is_an_attribute_of_the_package() -> None:
    assert run("import stoplog; print(stoplog.jdbc.JdbcSink is stoplog.JdbcSink)") == "True"


def test_the_module_for_tests_is_an_attribute_of_the_package() -> None:
    assert run("import stoplog; print(stoplog.testing.Step.AFTER_RECORD.name)") == "AFTER_RECORD"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'stoplog' has no attribute 'no_such_name'"):
        stoplog.no_such_name  # type: ignore[attr-defined]  # noqa: B018


def run(program: str) -> str:
    """Runs a program in a new Python, and returns what the program prints."""
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout.strip()
