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
    # Words, numbers and definitions.
    "_redaction": "",
    "_shared": "",
    "_version": "_shared",
    "_words": "",
    "_values": "_words",
    "_formats": "",
    "errors": "_redaction _version",
    # The JVM, and builders that ask it.
    "_jvm": "_version errors",
    "_builder": "_jvm _redaction _values errors",
    "bucket": "_builder _values",
    "bulk": "_builder _formats _values",
    "compaction": "_jvm _values",
    "encoder": "_builder _formats _values",
    "output_file": "_values",
    "preflight": "_jvm",
    "rolling": "_builder _values",
    "stream_format": "_builder _formats _values",
    "_sink_methods": "_builder _values bucket compaction output_file rolling",
    "_sink": "_builder _values errors metrics stopping",
    "sink": "_builder _sink _sink_methods _values bulk encoder preflight",
    "source": "_builder _formats _values bulk stream_format",
    "bucketing": "_builder _values bucket encoder sink",
    "views": "_builder _values",
    # Connectors.
    "_async": "errors",
    "async_io": "_async",
    "cassandra": "_builder _sink _values",
    "jdbc": "_builder _sink _values",
    "_kafka_source": "_builder _jvm _values errors",
    "kafka": "_builder _kafka_source _sink _values",
    "write_ahead": "_builder _sink _values",
    # Sessions and running queries.
    "_artifact": "_version errors",
    "session": "_artifact _jvm _version errors",
    "finished": "_html _jvm errors metrics views",
    "stopping": "_jvm errors finished",
    "metrics": "_html _jvm errors",
    "live": "_html _words metrics",
    # Directories, read without Spark and without a JVM.
    "_html": "_words",
    "_storage": "_redaction _values errors",
    "_log": "_shared _storage errors",
    "_inspect": "_html _log _shared _storage _words errors",
    "_report": "_html _inspect _log _redaction _storage _version _words",
    "inspection": "_inspect _log _redaction _report _storage _values",
    # The jar's commands in a JVM of their own, and the command line.
    "_admin": "_artifact errors",
    "admin": "_admin _values",
    "cli": "_inspect _version _words admin compaction errors inspection preflight session",
    "__main__": "cli",
    "testing": f"_shared _storage {TOP}",
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
