# SPDX-License-Identifier: Apache-2.0
"""Prints the figures of the code's shape: sizes, cycles, names, constructors, and who imports whom.

Reads the sources as text, so that it needs neither a compiler nor a build:

    python scripts/house.py            the table of figures
    python scripts/house.py --long     the findings behind each figure

The classes that a row or an epoch passes are counted in the tables of docs/correctness/architecture.md,
because calls cannot be followed in text. Each class of the tables must exist.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import connectors

ROOT = Path(__file__).resolve().parent.parent
CORE = ROOT / "scala-core" / "src" / "main" / "scala"
PYTHON = ROOT / "python" / "stoplog"
ARCHITECTURE = ROOT / "docs" / "correctness" / "architecture.md"

_DEFINITION = re.compile(
    r"^(?P<modifiers>(?:(?:private|protected)(?:\[\w+\])?\s+|final\s+|sealed\s+|abstract\s+|case\s+|implicit\s+)*)"
    r"(?P<kind>class|trait|object)\s+(?P<name>\w+)",
    re.MULTILINE,
)


_GOES_ON = re.compile(r"\s*(?:\(|\[|\{|\b(?:extends|with|private|protected)\b\s*(?:\(|\[|\w))")
"""The next line belongs to the header of the definition before it."""

_SEAMS = ("FileStore", "PartStore")
"""The two traits through which a sink reaches its storage."""


@dataclass(frozen=True)
class Source:
    """One Scala file: its path, the package that it declares, and its code without comments and strings."""

    path: Path
    package: str
    code: str
    lines: int

    @property
    def where(self) -> str:
        """The path from the root of the repository."""
        return str(self.path.relative_to(ROOT))


@dataclass(frozen=True)
class Figure:
    """One line of the table, with what was counted."""

    name: str
    value: str
    findings: tuple[str, ...] = ()


def main() -> int:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="print what was counted, too")
    asked = parser.parse_args()
    for figure in figures():
        print(f"{figure.name:58} {figure.value:>16}")
        for finding in figure.findings if asked.long else ():
            print(f"    {finding}")
    return 0


def figures() -> Iterator[Figure]:
    """All figures, in the order of the table."""
    core = sources(CORE)
    beyond = [
        source
        for id in connectors.ids()
        for source in sources(connectors.DIRECTORY / id / "src" / "main" / "scala")
    ]
    long_files = [f"{s.where}: {s.lines}" for s in core + beyond if s.lines > 400]
    yield Figure("core main: files / lines", f"{len(core)} / {_total(core)}", tuple(long_files))
    yield Figure("core main: median file", str(sorted(s.lines for s in core)[len(core) // 2]))
    yield Figure("connectors main: lines", str(_total(beyond)))
    cycles = cycles_of(package_graph(core + beyond))
    yield Figure("package cycles, core and connectors", str(len(cycles)), _joined(cycles))
    cycles = cycles_of(python_graph())
    yield Figure("module cycles, Python", str(len(cycles)), _joined(cycles))
    yield from storage(core)
    yield types(core)
    yield twice(core + beyond)
    yield constructors(core + beyond)
    yield spark_importers(core)
    yield from paths(core, ARCHITECTURE.read_text(encoding="utf-8"))


def sources(directory: Path) -> list[Source]:
    """The Scala files below a directory."""
    return [_source(path) for path in sorted(directory.rglob("*.scala"))]


def package_graph(files: Iterable[Source]) -> dict[str, set[str]]:
    """Which package imports, or names in full, which other package of stoplog."""
    files = list(files)
    packages = {file.package for file in files}
    graph: dict[str, set[str]] = {package: set() for package in packages}
    for file in files:
        graph[file.package] |= {p for p in _named(file, packages) if p != file.package}
    return graph


def python_graph() -> dict[str, set[str]]:
    """Which module of the Python package imports which, at any place in its code."""
    modules = {_module(path): path for path in sorted(PYTHON.rglob("*.py"))}
    return {name: _imports(name, path, modules) for name, path in modules.items()}


def cycles_of(graph: Mapping[str, set[str]]) -> list[list[str]]:
    """The strongly connected components with more than one member (Tarjan's algorithm)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            component = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(component) > 1:
                found.append(sorted(component))

    sys.setrecursionlimit(10_000)
    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def storage(core: list[Source]) -> Iterator[Figure]:
    """Public traits of the storage packages, and the classes and objects of them, also by inheritance."""
    traits = {
        match["name"]
        for s in core
        if re.match(r"stoplog\.storage\b", s.package)
        for match in _DEFINITION.finditer(s.code)
        if match["kind"] == "trait" and not re.search(r"sealed|private", match["modifiers"])
    }
    yield _implementations("storage: public traits / classes of them", core, traits)
    yield _implementations("storage: FileStore and PartStore / classes of them", core, traits & set(_SEAMS))


def _implementations(name: str, core: list[Source], traits: set[str]) -> Figure:
    every = [(s, *found) for s in core for found in _parents(s)]
    parents: dict[str, set[str]] = defaultdict(set)
    for _, _, child, taken in every:
        parents[child] |= taken
    classes = sorted(
        f"{child} ({', '.join(sorted(taken))}): {source.where}"
        for source, kind, child, direct in every
        if kind != "trait" and (taken := _ancestors(direct, parents) & traits)
    )
    return Figure(name, f"{len(traits)} / {len(classes)}", (*sorted(traits), *classes))


def _ancestors(direct: set[str], parents: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    left = set(direct)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left |= parents.get(name, set())
    return found


def types(core: list[Source]) -> Figure:
    """Top-level types; a class and its companion count once."""
    every = {(s.package, name) for s in core for _, name, _ in definitions(s)}
    public = {
        (s.package, name)
        for s in core
        for kind, name, public in definitions(s)
        if public and kind != "object"
    }
    return Figure("core: top-level types / public classes and traits", f"{len(every)} / {len(public)}")


def twice(files: list[Source]) -> Figure:
    """Names of top-level types that exist in two packages."""
    places: dict[str, set[str]] = defaultdict(set)
    for source in files:
        for _, name, _ in definitions(source):
            if name != "package":
                places[name].add(source.package)
    found = sorted(f"{name}: {', '.join(sorted(p))}" for name, p in places.items() if len(p) > 1)
    return Figure("type names that exist twice", str(len(found)), tuple(found))


def constructors(files: list[Source]) -> Figure:
    """Constructors with more than seven parameters."""
    found = sorted(
        (
            f"{source.where}: {name} {count}"
            for source in files
            for name, count in _arities(source)
            if count > 7
        )
    )
    return Figure("constructors with more than 7 parameters", str(len(found)), tuple(found))


def spark_importers(core: list[Source]) -> Figure:
    """Packages outside `stoplog.spark` that import `stoplog.spark`, and how many that package imports."""
    graph = package_graph(core)
    spark = {p for p in graph if p == "stoplog.spark" or p.startswith("stoplog.spark.")}
    taken = sorted({other for p in spark for other in graph[p]} - spark)
    return Figure(
        "packages of core that `spark` imports", f"{len(taken)} of {len(graph) - len(spark)}", tuple(taken)
    )


def paths(core: list[Source], page: str) -> Iterator[Figure]:
    """The classes in each table `The path of …` of a page. Fails if a class of a table does not exist."""
    known = {(s.package, name) for s in core for _, name, _ in definitions(s)}
    for section in re.split(r"^## ", page, flags=re.MULTILINE):
        title = section.partition("\n")[0]
        classes = re.findall(r"^\| \d+ \| `([\w.]+)`", section, re.MULTILINE)
        if not title.startswith("The path of") or not classes:
            continue
        for name in classes:
            package, _, type_name = re.sub(r"(\.[A-Z]\w*)\..*", r"\1", name).rpartition(".")
            if (f"stoplog.{package}", type_name) not in known:
                raise ValueError(f"'{title}' lists {name}, which does not exist")
        yield Figure(f"classes on {title[0].lower()}{title[1:]}", str(len(classes)), tuple(classes))


def definitions(source: Source) -> Iterator[tuple[str, str, bool]]:
    """Kind, name and visibility of each top-level definition."""
    for match in _DEFINITION.finditer(source.code):
        modifiers = match["modifiers"]
        yield match["kind"], match["name"], "private" not in modifiers and "protected" not in modifiers


def _source(path: Path) -> Source:
    text = path.read_text()
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    code = re.sub(r'""".*?"""', '""', code, flags=re.DOTALL)
    code = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', code)
    code = re.sub(r"//[^\n]*", "", code)
    packages = re.findall(r"^package\s+(?!object\b)([\w.]+)", code, re.MULTILINE)
    return Source(path, ".".join(packages), code, text.count("\n"))


def _named(file: Source, packages: set[str]) -> Iterator[str]:
    for name in re.findall(r"\bstoplog(?:\.\w+)+", file.code):
        candidate = name
        while candidate and candidate not in packages:
            candidate = candidate.rpartition(".")[0]
        if candidate:
            # `import stoplog.{A, B}` and `stoplog.FileSink` name the root package's own types.
            yield candidate
    for group in re.findall(r"import\s+(stoplog(?:\.\w+)*)\.\{", file.code):
        if group in packages:
            yield group


def _parents(source: Source) -> Iterator[tuple[str, str, set[str]]]:
    """Kind and name of each class, trait and object, also of nested ones, with those that it extends."""
    for match in re.finditer(r"\b(class|object|trait)\s+(\w+)", source.code):
        yield (
            match[1],
            match[2],
            set(re.findall(r"\b(?:extends|with)\s+(\w+)", _header(source.code, match.end()))),
        )


def _header(code: str, begin: int) -> str:
    """A definition from behind its name to its body, without what stands in brackets.

    It ends at the body, at a bracket that closes around it, or at the end of a line behind which neither
    parameters nor parents follow.
    """
    depth, header = 0, ""
    for at, char in enumerate(code[begin:], begin):
        if depth == 0 and (char in "{=)]}" or (char == "\n" and not _GOES_ON.match(code, at))):
            break
        depth += (char in "([{") - (char in ")]}")
        header += char if depth == 0 else " "
    return header


def _arities(source: Source) -> Iterator[tuple[str, int]]:
    pattern = r"\bclass\s+(\w+)(?:\[[^\]]*\])?\s*(?:(?:private|protected)(?:\[\w+\])?\s*)?\("
    for match in re.finditer(pattern, source.code):
        yield match[1], _parameters(source.code, match.end())


def _parameters(code: str, begin: int) -> int:
    depth, count, empty = 1, 1, True
    for char in code[begin:]:
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
        if depth == 0:
            break
        if char == "," and depth == 1:
            count += 1
        empty = empty and char.isspace()
    return 0 if empty else count


def _module(path: Path) -> str:
    parts = path.relative_to(PYTHON.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imports(name: str, path: Path, modules: Mapping[str, Path]) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            package = name if path.name == "__init__.py" else name.rpartition(".")[0]
            for _ in range(node.level - 1):
                package = package.rpartition(".")[0]
            base = ".".join(filter(None, [package if node.level else "", node.module or ""]))
            found |= {f"{base}.{a.name}" if f"{base}.{a.name}" in modules else base for a in node.names}
    return {module for module in found if module in modules and module != name}


def _total(files: list[Source]) -> int:
    return sum(source.lines for source in files)


def _joined(cycles: list[list[str]]) -> tuple[str, ...]:
    return tuple(", ".join(cycle) for cycle in cycles)


if __name__ == "__main__":
    raise SystemExit(main())
