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


def found(guide: Path, *queries: str) -> list[list[str]]:
    """The pages that the search of the guide shows for each query, best first."""
    done = subprocess.run(
        ["node", str(ROOT / "scripts" / "guide_search.mjs"), str(guide)],
        input=json.dumps(queries),
        capture_output=True,
        text=True,
        check=True,
    )
    return [[page.removesuffix(".html") for page in hits] for hits in json.loads(done.stdout)]


needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="node runs the search of the guide")


@needs_node
def test_the_answering_page_is_among_the_first_hits(guide: Path) -> None:
    first = [hits[:FIRST] for hits in found(guide, *(query for query, _ in QUERIES))]
    missed = {
        query: hits
        for (query, pages), hits in zip(QUERIES, first, strict=True)
        if not set(pages.split()) & set(hits)
    }
    assert missed == {}


@needs_node
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("how do I deduplicate my rows?", "deduplicate rows"),
        ("What is the rollover interval", "rollover interval"),
        ("I want to use Airflow with Spark.", "airflow"),
    ],
)
def test_words_of_all_pages_and_marks_change_no_hit(guide: Path, one: str, other: str) -> None:
    first, second = found(guide, one, other)
    assert first == second != []


@needs_node
@pytest.mark.parametrize(
    ("form", "word"),
    [
        ("policies", "policy"),
        ("overwriting", "overwrite"),
        ("Watermarks", "watermark"),
        ("compacted", "compact"),
    ],
)
def test_a_form_of_a_word_finds_the_same_pages(guide: Path, form: str, word: str) -> None:
    hits, others = found(guide, form, word)
    assert set(hits) == set(others) != set()


@needs_node
def test_an_unknown_name_finds_pages_with_its_words(guide: Path) -> None:
    hits, known = found(guide, "ProducerFencedException", "maxFilesPerTrigger")
    assert "beyond-files/kafka" in hits[:FIRST]
    assert "reference/source-options" in known[:FIRST]


@needs_node
def test_signs_of_a_search_keep_their_meaning(guide: Path) -> None:
    both, one = found(guide, "+kafka +iceberg", "kafka iceberg")
    assert 0 < len(both) < len(one)


def test_each_page_of_the_index_has_search_words(guide: Path) -> None:
    index = json.loads((guide / "search" / "search_index.json").read_text(encoding="utf-8"))
    assert {entry["location"] for entry in index["docs"] if not entry.get("tags")} == set()


def test_each_page_of_a_query_is_in_the_index(guide: Path) -> None:
    named = {f"{page}.html" for _, pages in QUERIES for page in pages.split()}
    assert named - indexed(guide) == set()


def test_pages_for_people_who_work_on_stoplog_are_not_in_the_index(guide: Path) -> None:
    pages = indexed(guide)
    assert [page for page in pages if re.search("decisions/|matrix|simulator|mutants|renames", page)] == []
    assert (guide / "correctness" / "simulator.html").exists()


QUESTIONS = [
    ("Which option limits the size of a file?", "reference/options", "`maxPartSize`"),
    ("After which time does a part close?", "getting-started/rolling", "`rolloverInterval`"),
    ("How do I keep rows that cannot be written?", "recipes/dead-letter", '.with_on_bad_row("reject")'),
    ("Where are these rows?", "files/bad-rows", "_rejected"),
    ("How do I skip bytes that cannot be decoded?", "recipes/dead-letter", ".with_quarantine("),
    ("How do I replace one day?", "recipes/replace-a-day", ".with_replace_where(\"day = '2026-01-31'\")"),
    ("How do I replace the partitions of the rows?", "files/overwrites", "partitionOverwriteMode=dynamic"),
    ("How do I delete old partitions?", "recipes/gdpr", "`DELETE FROM t WHERE day <"),
    ("How do I compact an old directory?", "recipes/small-files", "stoplog compact /data/old"),
    ("How does a running query compact small files?", "files/compaction", "compaction=smallParts"),
    (
        "Which marker names a complete hour?",
        "files/complete-buckets",
        'with_bucket_complete("watermark")',
    ),
    ("How does the source wait for a marker?", "recipes/airflow", '.with_ready_marker("_SUCCESS")'),
    ("What happens to a new column?", "recipes/schema-evolution", '.with_on_schema_change("additive")'),
    ("How do I see open parts?", "operate/cli", "stoplog status"),
    ("How do I compare the log with the files?", "operate/cli", "stoplog check"),
    ("How do I publish the rows of a stopped query?", "operate/operations", "stoplog finalize"),
    ("How do I go back to an older epoch?", "operate/operations", "stoplog rewind"),
    (
        "How does a new checkpoint go on?",
        "operate/operations",
        "stoplog adopt PATH --checkpoint DIR",
    ),
    ("Is a moved directory whole?", "operate/operations", "stoplog relocate"),
    ("How do I stop a query after its batch?", "operate/stopping", "stoplog.stop_after_batch("),
    ("How do I run once and wait for the rows?", "recipes/trigger", "sink.run_available_now("),
    ("How do I read the metrics in Python?", "recipes/monitor", "`stoplog.progress(query)`"),
    ("How do I check a sink before the start?", "operate/preflight", "sink.check("),
    ("How do I update rows of a database by key?", "beyond-files/jdbc", "with_upsert("),
    ("Which Hadoop does S3 need?", "storage/s3", "Hadoop 3.4.2"),
]


@pytest.mark.parametrize(("question", "page", "answer"), QUESTIONS)
def test_the_text_for_programs_answers_a_question(guide: Path, question: str, page: str, answer: str) -> None:
    place = f"{page}.md"
    assert answer in (guide / place).read_text(encoding="utf-8"), question
    assert answer in (guide / "llms-full.txt").read_text(encoding="utf-8"), question
    assert f"]({place}): " in (guide / "llms.txt").read_text(encoding="utf-8")


def test_the_markdown_is_next_to_each_page(guide: Path) -> None:
    pages = {page.relative_to(guide).with_suffix("") for page in guide.rglob("*.html")}
    pages -= {Path("404")}
    texts = {text.relative_to(guide).with_suffix("") for text in guide.rglob("*.md")}
    # mkdocs makes `index.html` of a folder's README.
    assert {page for page in pages - texts if page.name != "index"} == set()


def test_links_between_the_texts_lead_to_texts(guide: Path) -> None:
    broken = [
        (text.relative_to(guide), link)
        for text in [*guide.rglob("*.md"), guide / "llms.txt"]
        if "repository" not in text.parts
        for link in re.findall(r"\]\((?![a-z]+:)([^)#\s]+\.md)", text.read_text(encoding="utf-8"))
        if not (text.parent / link).exists()
    ]
    assert broken == []
