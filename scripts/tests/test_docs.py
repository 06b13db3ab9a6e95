# SPDX-License-Identifier: Apache-2.0
"""The pages lie as the guide's navigation has them, each link and each path to one leads somewhere, and their
tables are whole.
"""

from __future__ import annotations

import json
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from steps import ROOT
from stoplog._shared.spark_modules import PUBLISHED

DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]
NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))
PROGRAM_COLUMNS = 110  # `docs/stylesheets/guide.css` wraps longer lines
VARIABLES = {"STOPLOG_LONG"}  # of the environment
_FENCED = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
_PROGRAM = re.compile(r"^```(?:java|python|scala|sql)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)
_LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]*))?\)")


@pytest.mark.parametrize("page", [*PAGES, *NOTEBOOKS], ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    broken = []
    for path, anchor in _LINK.findall(text_of(page)):
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(f"{path}#{anchor}" if anchor else path)
    assert broken == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_programs_fit_into_a_window_of_the_guide(page: Path) -> None:
    programs = _PROGRAM.findall(page.read_text(encoding="utf-8"))
    assert [line for each in programs for line in each.splitlines() if len(line) > PROGRAM_COLUMNS] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_each_row_of_a_table_has_the_number_of_cells_of_the_head(page: Path) -> None:
    uneven = []
    for table in _TABLE.findall(text_of(page)):
        head, *rows = table.splitlines()
        uneven += [row for row in rows if cells_of(row) != cells_of(head)]
    assert uneven == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_modules_of_spark_have_the_versions_of_the_build(page: Path) -> None:
    versions = (ROOT / "project/Versions.scala").read_text(encoding="utf-8")
    avro = set(PUBLISHED["spark-avro"].values())
    kafka = set(re.findall(r'SparkKafka\("([^"]+)"', versions))
    text = page.read_text(encoding="utf-8")
    assert set(re.findall(r"spark-avro_2\.13:([\d.]+\d)", text)) <= avro
    assert set(re.findall(r"spark-sql-kafka-0-10_2\.13:([\d.]+\d)", text)) <= kafka


@pytest.mark.parametrize(
    "page",
    # Pages for people who work on stoplog name former conditions, and environment variables.
    [page for page in PAGES if not {"contributing", "correctness"} & set(page.parts)],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_each_named_error_exists(page: Path) -> None:
    errors = anchors(DOCS / "operate" / "errors.md")
    named = set(re.findall(r"\bSTOPLOG_[A-Z_]*[A-Z]\b", page.read_text(encoding="utf-8")))
    assert {name for name in named if name.lower() not in errors} - VARIABLES == set()


def test_each_page_is_in_the_folder_of_the_section() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    section, misplaced, found = "", [], set()
    for line in navigation.splitlines():
        if heading := re.fullmatch(r"  - ([\w ]+):", line):
            section = heading[1].lower().replace(" ", "-")
        elif page := re.fullmatch(r"      - .+: (\S+\.md)", line):
            found.add(page[1])
            if (DOCS / page[1]).exists() and not page[1].startswith(f"{section}/"):
                misplaced.append(page[1])
    assert misplaced == []
    pages = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
    assert {page for page in pages - found if not page.startswith("correctness/decisions/0")} == set()


def test_every_decision_is_listed() -> None:
    decisions = DOCS / "correctness" / "decisions"
    listed = (decisions / "README.md").read_text(encoding="utf-8")
    assert {page.name for page in decisions.glob("0*.md")} == set(re.findall(r"\((\d{4}-[^)]+)\)", listed))


def test_the_page_of_errors_has_at_most_105_conditions() -> None:
    page = (DOCS / "operate" / "errors.md").read_text(encoding="utf-8")
    assert 80 < len(re.findall(r"^## STOPLOG_", page, re.MULTILINE)) <= 105


def test_every_page_named_by_a_source_exists() -> None:
    listed = subprocess.check_output(["git", "ls-files"], cwd=ROOT, text=True).splitlines()
    named = [
        (file, path.decode())
        for file in listed
        if (ROOT / file).is_file()
        for path in re.findall(rb"\bdocs/[\w/-]+\.md\b", (ROOT / file).read_bytes())
    ]
    assert len(named) > 50
    assert [each for each in named if not (ROOT / each[1]).exists()] == []


def text_of(page: Path) -> str:
    """The prose of a page or of a notebook, without its code."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        cells = json.loads(text)["cells"]
        text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    return _FENCED.sub("", text)


def cells_of(row: str) -> int:
    r"""How many cells a row of a table has.

    >>> cells_of(r"| `a \| b` | c |")
    2
    """
    return len(re.findall(r"(?<!\\)\|", row)) - 1


@cache
def anchors(page: Path) -> frozenset[str]:
    """What a link may name on a page, as GitHub and the guide both call it."""
    found: set[str] = set()
    if page.suffix == ".md":
        for heading in re.findall(r"^#+ +(.*?) *$", text_of(page), re.MULTILINE):
            found |= {slug_of_repository(heading)} & {slug_of_guide(heading)}
    return frozenset(found)


def slug_of_repository(heading: str) -> str:
    """The name that GitHub gives a heading.

    >>> slug_of_repository("`a.b` – [and](c.md) D")
    'ab--and-d'
    """
    return re.sub(r"[^\w\- ]", "", plain(heading).lower()).replace(" ", "-")


def slug_of_guide(heading: str) -> str:
    """The name that mkdocs gives a heading.

    >>> slug_of_guide("`a.b` – [and](c.md) D")
    'ab-and-d'
    """
    kept = re.sub(r"[^\w\s-]", "", plain(heading).encode("ascii", "ignore").decode()).strip().lower()
    return re.sub(r"[-\s]+", "-", kept)


def plain(heading: str) -> str:
    return (
        re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "").replace("\\", "")
    )
