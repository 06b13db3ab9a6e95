# SPDX-License-Identifier: Apache-2.0
"""A hook of mkdocs: pages of the guide that lie outside of docs/, and the links that lead there.

The README is the guide's first page. What examples link to comes along as files. The guide also has the
Markdown of each page next to the page, and `llms.txt` and `llms-full.txt` for programs that read text. Its
search understands sentences, and other forms of a word.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

ROOT = Path(__file__).resolve().parent.parent
# By their places in the repository: where they lie in the guide.
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "CHANGELOG.md": "CHANGELOG.md",
    "SECURITY.md": "SECURITY.md",
}
# Pages for people who work on stoplog: the search of the guide leaves them out.
UNSEARCHED = (
    "correctness/decisions/",
    "correctness/crash-matrix.md",
    "correctness/simulator.md",
    "correctness/test-tiers.md",
    "contributing/mutants.md",
    "contributing/releasing.md",
    "contributing/renames.md",
    "repository/",
)
# What people type to find a page. Other pages name their own words, as `tags` at their start.
WORDS = {
    "index.md": "overview, introduction, features, demo, license, licence",
    "CHANGELOG.md": "changes, release notes, version history",
    "CONTRIBUTING.md": "contribute, build from source, develop",
    "SECURITY.md": "vulnerability, security",
    "operate/errors.md": "error message, error condition, exception, failed",
    "reference/benchmarks.md": "benchmark, throughput",
    "reference/benchmarks-quick.md": "benchmark, throughput",
    "reference/benchmarks-peers.md": "benchmark, comparison, performance, flink, versus",
    "reference/compatibility.md": "supported versions, requirements, spark version, scala version,"
    " python version, java version, hadoop version, scala 2.12, scala 2.13, spark 3.5, pyspark",
    "reference/options.md": "options, settings, configuration, parameters, defaults, file name, prefix",
    "reference/source-options.md": "source settings, maxFilesPerTrigger, maxFileAge",
    "reference/kafka-options.md": "kafka settings",
    "reference/jdbc-options.md": "database settings, batchsize, numPartitions",
    "reference/jdbc-types.md": "data types, column types, type mapping, decimal, timestamp, uuid",
    "reference/cassandra-options.md": "cassandra settings, consistency level",
    "reference/wal-options.md": "write-ahead settings, http settings",
}
# These pages have most words of any query: they are long, explain why, or compare with other products.
WEIGHTS = {
    "CHANGELOG.md": 0.3,
    "CONTRIBUTING.md": 0.3,
    "contributing/": 0.5,
    "correctness/architecture.md": 0.5,
    "files/bucketing-sink.md": 0.5,
    "getting-started/moving.md": 0.7,
    "correctness/protocol.md": 0.3,
    "operate/errors.md": 0.6,
    "operate/findings.md": 0.6,
    "operate/troubleshooting.md": 0.7,
    "reference/benchmarks.md": 0.3,
    "reference/benchmarks-quick.md": 0.3,
}
# The style sheet gives the width of the window to a page with this element.
FULL_WIDTH = '\n\n<span class="full-width"></span>\n'
SEARCH_WORDS = ROOT / "scripts" / "guide_search_words.js"
REPOSITORY = "repository/"  # in the guide, above the files that are no pages
_LINK = re.compile(r"(\]\()((?:\.\./)+|docs/)?([^)#:\s]+)((?:#[^)\s]*)?\))")


def on_files(files: Any, config: Any) -> Any:
    """Adds the pages, and the files that all pages link to."""
    made = import_module("mkdocs.structure.files").File.generated  # only the guide's own environment has it

    for source, target in PAGES.items():
        text = at_place((ROOT / source).read_text(encoding="utf-8"), PurePosixPath(source))
        files.append(made(config, target, content=text))
    for linked in sorted(linked_files(files)):
        content = (ROOT / linked).read_bytes()
        files.append(made(config, f"{REPOSITORY}{linked}", content=content))
    return files


# The Markdown of the pages, by place in the guide; mkdocs keeps the hook for all of a build.
_texts: dict[str, str] = {}


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links that leave docs/ stay in the guide, and the search knows the words of readers for each page."""
    place = page.file.src_uri
    page.meta["search"] = {"exclude": not is_searched(place), "boost": weight(place)}
    if place in WORDS:
        page.meta["tags"] = WORDS[place].split(", ")
    text = markdown if place in PAGES.values() else at_place(markdown, PurePosixPath("docs") / place)
    _texts[place] = text
    if place.startswith("reference/"):
        text += FULL_WIDTH
    return text


def on_post_build(config: Any, **_: Any) -> None:
    """Writes the Markdown of each page, `llms.txt` and `llms-full.txt`, and completes the search."""
    site = Path(config["site_dir"])
    words = SEARCH_WORDS.read_text(encoding="utf-8")
    for worker in (site / "assets" / "javascripts" / "workers").glob("search.*.js"):
        worker.write_text(words + worker.read_text(encoding="utf-8"), encoding="utf-8")
    for place, text in _texts.items():
        (site / place).write_text(text, encoding="utf-8")
    (site / "llms.txt").write_text(contents(config["site_description"], config["nav"], _texts), "utf-8")
    pages = [place for _, places in sections(config["nav"]) for place in places if is_searched(place)]
    whole = "\n\n".join(f"<!-- {place} -->\n\n{_texts[place].strip()}" for place in pages)
    (site / "llms-full.txt").write_text(whole + "\n", encoding="utf-8")


def contents(summary: str, nav: list[Any], texts: Mapping[str, str]) -> str:
    """Returns `llms.txt`: the pages of each section of the navigation, with a link and a sentence.

    >>> nav = ["index.md", {"Files": [{"Tables": "files/tables.md"}]}]
    >>> texts = {"index.md": "Rolling files for Spark.", "files/tables.md": "# Names\\n\\nA name for a sink."}
    >>> print(contents("Rolling files.", nav, texts))
    # stoplog
    <BLANKLINE>
    > Rolling files.
    <BLANKLINE>
    ## Start
    <BLANKLINE>
    - [stoplog](index.md): Rolling files for Spark.
    <BLANKLINE>
    ## Files
    <BLANKLINE>
    - [Names](files/tables.md): A name for a sink.
    <BLANKLINE>
    """
    parts = [f"# stoplog\n\n> {summary}\n"]
    for section, places in sections(nav):
        lines = [f"- [{title_of(texts[place])}]({place}): {summary_of(texts[place])}" for place in places]
        parts.append(f"## {section}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def sections(nav: list[Any]) -> list[tuple[str, list[str]]]:
    """Returns the sections of a navigation, with the places of the pages."""
    found: list[tuple[str, list[str]]] = []
    for entry in nav:
        for section, pages in {"Start": entry}.items() if isinstance(entry, str) else entry.items():
            listed = (
                [pages] if isinstance(pages, str) else [place for each in pages for place in each.values()]
            )
            found.append((section, listed))
    return found


def title_of(markdown: str) -> str:
    """Returns the first heading of a page; the first page has a picture instead."""
    heading = re.search(r"^# (.+)$", markdown, re.MULTILINE)
    return heading[1].replace("`", "") if heading else "stoplog"


def summary_of(markdown: str) -> str:
    """Returns the first sentence of the first paragraph that is neither a heading, a list, a table nor code.

    >>> summary_of("# Title\\n\\n| a |\\n\\nOne [link](a.md)\\nto a page. Two.")
    'One link to a page.'
    """
    for paragraph in re.sub(r"^```.*?^```$|<!--.*?-->", "", markdown, flags=re.DOTALL | re.MULTILINE).split(
        "\n\n"
    ):
        text = " ".join(re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", paragraph).split())
        if len(text) > 10 and text[0] not in "#|-<!" and not text[0].isdigit():
            return text.partition(". ")[0].rstrip(".:") + "."
    return ""


def is_searched(place: str) -> bool:
    """Returns whether the search of the guide, and the text for programs, contain a page."""
    return not place.startswith(UNSEARCHED)


def weight(place: str) -> float:
    """Returns how much a hit on a page counts in the search.

    >>> weight("reference/benchmarks-quick.md"), weight("files/tables.md")
    (0.3, 1.0)
    """
    return next((part for start, part in WEIGHTS.items() if place.startswith(start)), 1.0)


def at_place(markdown: str, source: PurePosixPath) -> str:
    """The same text with each relative link leading to the same thing in the guide.

    >>> at_place("[a](docs/storage/s3.md#x) [b](LICENSE)", PurePosixPath("README.md"))
    '[a](storage/s3.md#x) [b](repository/LICENSE)'
    >>> at_place("[c](../../CONTRIBUTING.md)", PurePosixPath("docs/storage/s3.md"))
    '[c](../CONTRIBUTING.md)'
    >>> at_place("[c](hdfs.md) [d](../files/source.md)", PurePosixPath("docs/storage/s3.md"))
    '[c](hdfs.md) [d](../files/source.md)'
    """
    here = guide_place(str(source))

    def moved(link: re.Match[str]) -> str:
        target = resolved(source.parent, (link[2] or "") + link[3])
        if not (ROOT / target).exists():
            return link[0]  # mkdocs says that it leads nowhere
        return f"{link[1]}{relative(guide_place(target), here)}{link[4]}"

    return _LINK.sub(moved, markdown)


def linked_files(files: Iterable[Any]) -> set[str]:
    """The files of the repository that pages link to and that are no pages themselves."""
    sources = {source: ROOT / source for source in PAGES}
    sources |= {f"docs/{file.src_uri}": ROOT / "docs" / file.src_uri for file in files}
    found = set()
    for source, path in sources.items():
        if path.suffix == ".md" and path.exists():
            for link in _LINK.finditer(path.read_text(encoding="utf-8")):
                target = resolved(PurePosixPath(source).parent, (link[2] or "") + link[3])
                if (ROOT / target).is_file() and guide_place(target).startswith(REPOSITORY):
                    found.add(target)
    return found


def guide_place(source: str) -> str:
    """Where a file of the repository lies in the guide."""
    if source in PAGES:
        return PAGES[source]
    return source.removeprefix("docs/") if source.startswith("docs/") else f"{REPOSITORY}{source}"


def resolved(folder: PurePosixPath, link: str) -> str:
    """A link of a page in this folder, from the root of the repository."""
    parts: list[str] = []
    for part in (*folder.parts, *PurePosixPath(link).parts):
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def relative(target: str, here: str) -> str:
    """From one place of the guide to another."""
    ups = len(PurePosixPath(here).parts) - 1
    shared = 0
    for one, other in zip(PurePosixPath(here).parts[:-1], PurePosixPath(target).parts[:-1], strict=False):
        if one != other:
            break
        shared += 1
    return "/".join([*[".."] * (ups - shared), *PurePosixPath(target).parts[shared:]])
