# SPDX-License-Identifier: Apache-2.0
"""The imports of the package: each module, and each package of modules, may import those in a table."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1] / "stoplog"
TOP = "stoplog"

MAY_IMPORT = {
    # Text, numbers and definitions.
    "_text": "",
    "_shared": "_text",
    "errors": "_shared _text",
    # The JVM, and builders whose options the jar checks.
    "_jvm": "_shared errors",
    "_doctor": "_jvm _shared _text errors",
    "diagnosis": "_doctor _text errors",
    "_options": "_jvm _shared _text errors",
    # Code of users that runs in other processes.
    "_functions": "_shared _text errors",
    "split_source": "_functions",
    "bucket": "_functions _options _text",
    "bulk": "_options _text",
    "compaction": "_jvm _text",
    "encoder": "_functions _options _text",
    "output_file": "_text",
    "preflight": "_jvm",
    "rolling": "_functions _options _text",
    "stream_format": "_functions _options _text",
    "sink": (
        "_functions _options _shared _text announcement bucket bulk compaction encoder errors metrics "
        "output_file preflight rolling stopping"
    ),
    "source": "_functions _options _text bulk errors stream_format",
    "bucketing": "_functions _options _text bucket encoder sink",
    "views": "_options _text",
    # User code in Python.
    "_python": "_shared",
    "two_phase": "_python _text",
    "write_ahead_target": "_python",
    "announcement_target": "_python",
    "announcement": "_options _python _shared _text announcement_target",
    # Connectors.
    "_async": "errors",
    "async_io": "_async errors",
    "cassandra": "_options _text sink",
    "jdbc": "_options _text sink",
    "kafka": "_jvm _options _shared _text errors sink",
    "write_ahead": "_options _python _text sink write_ahead_target _shared",
    # Sessions and running queries.
    "session": "_jvm _shared errors",
    "finished": "_html _jvm errors metrics views",
    "stopping": "_jvm errors finished",
    "metrics": "_html _jvm errors",
    "live": "_html _text metrics",
    # Directories, read without Spark. Only tables that are compared with a directory need a JVM.
    "_html": "_text",
    "_storage": "_text errors",
    "_log": "_shared _storage errors",
    "_inspect": "_html _log _shared _storage _text errors",
    "_report": "_html _inspect _log _shared _storage _text errors",
    "_exporter": "_inspect _log _storage _text errors",
    "inspection": "_inspect _jvm _log _report _storage _text",
    # The jar's commands in a JVM of their own, and the command line.
    "admin": "_jvm _text errors",
    "cli": "_exporter _shared _text admin compaction diagnosis errors inspection preflight session",
    "__main__": "cli",
    "templates": f"testing {TOP} jdbc",
    "testing": (
        f"_functions _log _python _shared _storage announcement_target encoder split_source stream_format "
        f"{TOP} two_phase write_ahead_target"
    ),
}


@cache
def imports() -> dict[str, set[str]]:
    """The modules of this package that each module imports, at any place in its code."""
    modules = {name_of(file): file for file in ROOT.rglob("*.py")}
    return {name: set(imported(file, set(modules))) - {name} for name, file in modules.items()}


def name_of(file: Path) -> str:
    return ".".join(("stoplog", *file.relative_to(ROOT).with_suffix("").parts)).removesuffix(".__init__")


def imported(file: Path, modules: set[str]) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            whole = [f"{node.module}.{alias.name}" for alias in node.names]
            found += [name if name in modules else str(node.module) for name in whole]
    return [name for name in found if name in modules]


def layer_of(module: str) -> str:
    return module.split(".")[1] if "." in module else TOP


def test_imports_have_no_cycle() -> None:
    # Raises CycleError with the modules of the circle.
    TopologicalSorter(imports()).prepare()


def test_no_layer_has_a_circular_import() -> None:
    # Raises CycleError with the layers of the circle.
    TopologicalSorter({layer: others.split() for layer, others in MAY_IMPORT.items()}).prepare()


def test_each_private_module_belongs_to_a_package() -> None:
    assert [file.name for file in ROOT.glob("_*.py") if not file.name.startswith("__")] == []


@pytest.mark.parametrize("layer", MAY_IMPORT)
def test_a_layer_imports_only_lower_layers(layer: str) -> None:
    taken = {
        layer_of(other)
        for module, others in imports().items()
        for other in others
        if layer_of(module) == layer != layer_of(other)
    }
    assert taken == set(MAY_IMPORT[layer].split()), "a new import needs a reason; delete one that is gone"


def test_the_table_has_every_layer() -> None:
    assert {layer_of(module) for module in imports()} - {TOP} == set(MAY_IMPORT)
