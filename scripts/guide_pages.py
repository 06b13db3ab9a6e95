# SPDX-License-Identifier: Apache-2.0
"""A hook of mkdocs: pages of the guide that lie outside of docs/, and the links that lead there.

The README is the guide's first page. What examples link to comes along as files.
"""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

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
)
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


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links that leave docs/ stay in the guide, and some pages stay out of the search."""
    place = page.file.src_uri
    if place.startswith(UNSEARCHED):
        page.meta["search"] = {"exclude": True}
    return markdown if place in PAGES.values() else at_place(markdown, PurePosixPath("docs") / place)


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
