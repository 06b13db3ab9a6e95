# SPDX-License-Identifier: Apache-2.0
"""The plugin is loaded in each run of pytest on a machine that has the package, whatever is tested there."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import stoplog

ROOT = Path(stoplog.__file__).resolve().parent.parent
PROJECT = Path(__file__).resolve().parent.parent / "pyproject.toml"


def test_it_imports_no_spark() -> None:
    code = "import sys, stoplog.testing.plugin; print({'pyspark', 'py4j', 'pyarrow'} & set(sys.modules))"
    said = subprocess.check_output([sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT)}, text=True)
    assert said == "set()\n"


def test_a_child_imports_no_pytest() -> None:
    code = "import sys, stoplog.testing._child; print('pytest' in sys.modules)"
    said = subprocess.check_output([sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT)}, text=True)
    assert said == "False\n"


def test_the_wheel_names_it_by_its_module() -> None:
    named = PROJECT.read_text(encoding="utf-8").partition("[project.entry-points.pytest11]\n")[2]
    name, module = (each.strip().strip('"') for each in named.splitlines()[0].split("="))
    assert name == module
    assert callable(import_module(module).stoplog_pipeline)
