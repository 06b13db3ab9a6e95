# SPDX-License-Identifier: Apache-2.0
"""Prints figures of the project's prose, and fails if a figure is beyond its limit.

    python scripts/prose.py                             the table
    python scripts/prose.py --files "core comments"     the files with the highest counts of some figures
    python scripts/prose.py --tighten                   writes stricter limits for figures that have improved

scripts/prose-words.txt lists the counted words. scripts/prose-ceilings.json contains the limit and the target
of each figure. A limit is a ceiling, except for MUST and SHOULD in the protocol, where the limit is a floor.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import prose_texts

ROOT = Path(__file__).resolve().parent.parent
WORDS = Path(__file__).with_name("prose-words.txt")
LIMITS = Path(__file__).with_name("prose-ceilings.json")
COLUMNS = 110
CODE_COLUMNS = 76
PER = 10_000

_MAIN_SCALA = (
    "scala-core/src/main/**/*.scala",
    "connectors/*/src/main/**/*.scala",
    "laws/src/main/**/*.scala",
)
_MAIN_PYTHON = ("python/stoplog/**/*.py", "python/pytest_stoplog.py")
_PROTOCOL = "docs/correctness/protocol.md"
_ERRORS = (
    "scala-core/src/main/resources/error/*.json",
    "connectors/*/src/main/resources/error/*.json",
    "python/stoplog/conditions/*.json",
)
_SCALA_TESTS = (
    *("scala-core/src/test/**/*.scala", "connectors/*/src/test/**/*.scala"),
    *("laws/src/**/*.scala", "tests/users/src/test/**/*.scala"),
)
_RECIPES = "docs/recipes/"
_COUNTED_ELSEWHERE = ("/decisions/", "/benchmarks", "/renames.md")
_PYTHON_TESTS = ("python/tests/**/test_*.py", "scripts/tests/test_*.py", "tests/e2e/test_*.py")


@dataclass(frozen=True)
class Text:
    """The prose or the code of one file."""

    path: str
    words: tuple[str, ...]

    def count(self, counted: frozenset[str]) -> int:
        return sum(word in counted for word in self.words)


@dataclass(frozen=True)
class Figure:
    """One line of the table, with the number of findings in each file."""

    name: str
    value: float
    files: tuple[tuple[str, int], ...] = ()
    is_floor: bool = False

    @property
    def shown(self) -> str:
        return f"{self.value:,.1f}".removesuffix(".0")

    def is_beyond(self, limit: float) -> bool:
        return self.value < limit if self.is_floor else self.value > limit


@dataclass(frozen=True)
class Limit:
    """The current limit of a figure, and the target of the project."""

    limit: float
    target: float

    def tightened(self, figure: Figure) -> Limit:
        """Returns the strictest limit that the figure meets, between the current limit and the target."""
        if figure.is_floor:
            return Limit(max(self.limit, min(math.floor(figure.value), self.target)), self.target)
        return Limit(min(self.limit, max(math.ceil(figure.value), self.target)), self.target)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--files", metavar="NAME", help="list the files behind figures whose names contain NAME"
    )
    parser.add_argument("--tighten", action="store_true", help="write stricter limits")
    given = parser.parse_args(arguments)
    found = list(figures(ROOT, counted_words(WORDS.read_text(encoding="utf-8"))))
    limits = limits_of(LIMITS.read_text(encoding="utf-8"))
    missing = limits.keys() ^ {figure.name for figure in found}
    if missing:
        print(f"{LIMITS.name} and the figures differ in: {', '.join(sorted(missing))}.")
        return 1
    if given.files is not None:
        print(*files_of(found, given.files), sep="\n")
        return 0
    if given.tighten:
        limits = {figure.name: limits[figure.name].tightened(figure) for figure in found}
        LIMITS.write_text(as_json(limits), encoding="utf-8")
    print(*table(found, limits), sep="\n")
    beyond = [figure for figure in found if figure.is_beyond(limits[figure.name].limit)]
    for figure in beyond:
        print(
            f"{figure.name}: {figure.shown} is beyond the limit of {limits[figure.name].limit:g}. "
            f"Rewrite the text of your change. `python scripts/prose.py --files '{figure.name}'` lists files."
        )
    return 1 if beyond else 0


def figures(root: Path, counted: dict[str, frozenset[str]]) -> Iterator[Figure]:
    """Returns all figures of a checkout, in the order of the table."""
    for name, texts in prose(root):
        yield rate(f"{name}: markers", texts, counted["markers"])
        yield rate(f"{name}: pronouns", texts, counted["pronouns"])
    yield from protocol(root, counted["requirements"])
    yield from identifiers(root, counted["identifiers"])
    yield from long_lines(root)
    yield from guide(root)


def prose(root: Path) -> Iterator[tuple[str, list[Text]]]:
    """Returns each tree of prose with its name."""
    for name, glob in zip(("core", "connectors", "laws"), _MAIN_SCALA, strict=True):
        yield f"{name} comments", read(root, [glob], prose_texts.scala_comments)
    yield "Python docstrings", read(root, _MAIN_PYTHON, prose_texts.python_docstrings)
    for name, glob in zip(("core", "connectors"), _MAIN_SCALA[:2], strict=True):
        yield f"{name} messages", read(root, [glob], prose_texts.scala_messages)
    yield "Python messages", read(root, _MAIN_PYTHON, prose_texts.python_messages)
    yield "docs", read(root, ["docs/**/*.md"], prose_texts.markdown, is_no_decision)
    yield "README", read(root, ["README.md"], prose_texts.markdown)
    yield "error texts", read(root, _ERRORS, prose_texts.error_messages)
    yield "Scala test names", read(root, _SCALA_TESTS, prose_texts.scala_test_names)
    yield "Python test names", read(root, _PYTHON_TESTS, prose_texts.python_test_names)


def is_no_decision(path: Path, page: str) -> bool:
    """Returns whether a page counts. Decisions are history, and keep their wording."""
    return "decisions" not in path.parts


def rate(name: str, texts: Iterable[Text], counted: frozenset[str], is_floor: bool = False) -> Figure:
    """Returns the number of counted words per 10,000 words."""
    texts = list(texts)
    counts = {text.path: text.count(counted) for text in texts}
    total = sum(len(text.words) for text in texts)
    return Figure(name, sum(counts.values()) / max(1, total) * PER, _highest(counts), is_floor)


def protocol(root: Path, requirements: frozenset[str]) -> Iterator[Figure]:
    """Returns the length of sentences of the protocol, and the density of its requirements."""
    page = (root / _PROTOCOL).read_text(encoding="utf-8")
    lengths = [len(prose_texts.words(sentence)) for sentence in prose_texts.sentences(page)]
    yield Figure("protocol: words per sentence", sum(lengths) / max(1, len(lengths)))
    text = Text(_PROTOCOL, tuple(prose_texts.words(prose_texts.markdown(page))))
    yield rate("protocol: must and should", [text], requirements, is_floor=True)


def identifiers(root: Path, names: frozenset[str]) -> Iterator[Figure]:
    """Returns how often main code uses each of these names as an identifier."""
    code = [
        *read(root, _MAIN_SCALA, prose_texts.scala_code, words=_names),
        *read(root, _MAIN_PYTHON, prose_texts.python_names, words=_names),
    ]
    for name in sorted(names):
        counts = {text.path: text.count(frozenset([name])) for text in code}
        yield Figure(f"identifier {name}", sum(counts.values()), _highest(counts))


def long_lines(root: Path) -> Iterator[Figure]:
    """Returns the number of lines of main Scala code over 110 columns. In Python, ruff rejects such lines."""
    for name, lines in (
        ("comment lines over 110 columns", prose_texts.scala_comment_lines),
        ("lines over 110 columns", str.splitlines),
    ):
        counts = {
            path: sum(len(line) > COLUMNS for line in lines(source))
            for path, source in sources(root, _MAIN_SCALA)
        }
        yield Figure(name, sum(counts.values()), _highest(counts))


def guide(root: Path) -> Iterator[Figure]:
    """Returns the words of hand-written pages, as `wc -w` counts, and the wide lines of their code.

    Generated pages, results of benchmarks, decisions and the list of renames do not count.
    """
    pages = dict(sources(root, ["docs/**/*.md"]))
    lengths = {path: len(page.split()) for path, page in pages.items() if is_hand_written(path, page)}
    recipes = {path: length for path, length in lengths.items() if path.startswith(_RECIPES)}
    others = {path: length for path, length in lengths.items() if path not in recipes}
    yield Figure("guide: words", sum(others.values()), _highest(others))
    yield Figure("recipes: words", sum(recipes.values()), _highest(recipes))
    code = {
        path: sum(len(line) > CODE_COLUMNS for line in prose_texts.code_lines(page))
        for path, page in (*pages.items(), *sources(root, ["README.md", "CONTRIBUTING.md"]))
    }
    yield Figure("code lines of pages over 76 columns", sum(code.values()), _highest(code))


def is_hand_written(path: str, page: str) -> bool:
    """Returns whether people write the page.

    >>> is_hand_written("docs/operate/errors.md", "<!-- Generated by stoplog.docs.GenerateDocs"), (
    ...     is_hand_written("docs/files/lines.md", "# Lines")
    ... )
    (False, True)
    """
    return not any(part in path for part in _COUNTED_ELSEWHERE) and "<!-- Generated " not in page


def read(
    root: Path,
    globs: Iterable[str],
    extract: Callable[[str], str],
    is_read: Callable[[Path, str], bool] = lambda path, source: True,
    words: Callable[[str], list[str]] = prose_texts.words,
) -> list[Text]:
    """Returns the extracted text of each file."""
    return [
        Text(path, tuple(words(extract(source))))
        for path, source in sources(root, globs)
        if is_read(Path(path), source)
    ]


def sources(root: Path, globs: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Returns the path from the root and the content of each file, without files that a build has written."""
    for glob in globs:
        for file in sorted(root.glob(glob)):
            path = file.relative_to(root)
            if "target" not in path.parts:
                yield str(path), file.read_text(encoding="utf-8")


def counted_words(text: str) -> dict[str, frozenset[str]]:
    """Returns the words of each section.

    >>> counted_words("[a]\\n# a comment\\none two\\n[b]\\nthree")["b"]
    frozenset({'three'})
    """
    sections: dict[str, set[str]] = {}
    for line in text.splitlines():
        if line.startswith("["):
            sections[line.strip("[] ")] = current = set()
        elif line.strip() and not line.startswith("#"):
            current.update(line.split())
    return {name: frozenset(words) for name, words in sections.items()}


def limits_of(text: str) -> dict[str, Limit]:
    return {name: Limit(**limit) for name, limit in json.loads(text).items()}


def as_json(limits: dict[str, Limit]) -> str:
    """Returns the limits as JSON, one figure in a line."""
    lines = (
        f'  {json.dumps(name)}: {{"limit": {limit.limit:g}, "target": {limit.target:g}}}'
        for name, limit in limits.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def table(found: Iterable[Figure], limits: dict[str, Limit]) -> Iterator[str]:
    yield f"{'Prose':34} {'today':>9} {'limit':>9} {'target':>9}"
    for figure in found:
        limit = limits[figure.name]
        sign, state = (">=" if figure.is_floor else "<=", "  FAILED" if figure.is_beyond(limit.limit) else "")
        yield f"{figure.name:34} {figure.shown:>9} {sign}{limit.limit:7,g} {sign}{limit.target:7,g}{state}"


def files_of(found: Iterable[Figure], name: str, most: int = 20) -> Iterator[str]:
    """Returns the files with the highest counts of each figure with this name or a longer name."""
    for figure in found:
        if name.lower() in figure.name.lower():
            yield f"{figure.name}: {figure.shown}"
            yield from (f"{count:8,} {path}" for path, count in figure.files[:most])


def _names(code: str) -> list[str]:
    return re.findall(r"[A-Za-z_]\w*", code)


def _highest(counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple((path, count) for path, count in Counter(counts).most_common() if count)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
