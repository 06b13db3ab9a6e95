# SPDX-License-Identifier: Apache-2.0
"""The built guide: its search finds the pages that people look for, and programs find answers in its text."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from steps import ROOT

MKDOCS = ROOT / ".venv-docs" / "bin" / "mkdocs"
FIRST = 3
QUERIES = [
    tuple(part.strip() for part in line.split("|"))
    for line in Path(__file__).with_name("guide-queries.txt").read_text(encoding="utf-8").splitlines()
    if "|" in line
]

pytestmark = pytest.mark.skipif(not MKDOCS.exists(), reason="`make docs` installs what builds the guide")


@pytest.fixture(scope="module")
def guide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Builds the guide."""
    site = tmp_path_factory.mktemp("guide")
    command = [str(MKDOCS), "build", "--strict", "--quiet", "--site-dir", str(site)]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=True)
    return site


def indexed(guide: Path) -> set[str]:
    """The places of the pages in the index of the search."""
    index = json.loads((guide / "search" / "search_index.json").read_text(encoding="utf-8"))
    return {entry["location"].partition("#")[0] for entry in index["docs"]}


@pytest.mark.skipif(shutil.which("node") is None, reason="node runs the search of the guide")
def test_the_answering_page_is_among_the_first_hits(guide: Path) -> None:
    done = subprocess.run(
        ["node", str(ROOT / "scripts" / "guide_search.mjs"), str(guide)],
        input=json.dumps([query for query, _ in QUERIES]),
        capture_output=True,
        text=True,
        check=True,
    )
    first = [[page.removesuffix(".html") for page in hits[:FIRST]] for hits in json.loads(done.stdout)]
    missed = {
        query: hits
        for (query, pages), hits in zip(QUERIES, first, strict=True)
        if not set(pages.split()) & set(hits)
    }
    assert missed == {}


def test_each_page_of_a_query_is_in_the_index(guide: Path) -> None:
    named = {f"{page}.html" for _, pages in QUERIES for page in pages.split()}
    assert named - indexed(guide) == set()


def test_pages_for_people_who_work_on_stoplog_are_not_in_the_index(guide: Path) -> None:
    pages = indexed(guide)
    assert [page for page in pages if re.search("decisions/|matrix|simulator|mutants|renames", page)] == []
    assert (guide / "correctness" / "simulator.html").exists()
