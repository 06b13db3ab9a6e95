# SPDX-License-Identifier: Apache-2.0
"""The plugin is loaded in each run of pytest on a machine that has the package, whatever is tested there."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import stoplog

ROOT = Path(stoplog.__file__).resolve().parent.parent
PROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"


def test_the_plugin_imports_no_other_module() -> None:
    code = """
import pytest, sys
before = set(sys.modules)
import pytest_stoplog
print(*sorted(set(sys.modules) - before))
"""
    said = subprocess.check_output([sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT)}, text=True)
    assert said == "pytest_stoplog\n"


def test_a_run_of_other_tests_imports_no_stoplog(tmp_path: Path) -> None:
    (tmp_path / "test_other.py").write_text(
        "import sys\n\ndef test_other():\n    assert 'pytest_stoplog' in sys.modules\n"
        "    assert not [name for name in sys.modules if name.split('.')[0] in ('stoplog', 'pyspark')]\n"
    )
    pytest_passes(tmp_path, "test_other.py")


def test_the_fixture_needs_no_import(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(
        "def test_own(stoplog_pipeline):\n    assert repr(stoplog_pipeline) == 'stoplog_pipeline'\n"
    )
    pytest_passes(tmp_path, "test_own.py")


def test_a_child_imports_no_pytest() -> None:
    code = "import sys, stoplog.testing._child; print('pytest' in sys.modules)"
    said = subprocess.check_output([sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT)}, text=True)
    assert said == "False\n"


def test_the_wheel_registers_the_plugin_by_module_name() -> None:
    """So that naming the plugin with `-p` as well loads it once."""
    named = PROJECT.read_text(encoding="utf-8").partition("[project.entry-points.pytest11]\n")[2]
    name, module = (each.strip().strip('"') for each in named.splitlines()[0].split("="))
    assert name == module
    assert callable(import_module(module).stoplog_pipeline)


def pytest_passes(folder: Path, test: str) -> None:
    """A run of a user's tests, with the plugin by name: the checkout may not be installed."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "pytest_stoplog", test]
    done = subprocess.run(
        command, cwd=folder, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
