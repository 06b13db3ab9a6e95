# SPDX-License-Identifier: Apache-2.0
"""The quick start of the guide, taken apart into what its reader types, and followed to the letter."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = Path(__file__).resolve().parent.parent / "docs" / "getting-started" / "quick-start.md"
INIT_PAGE = PAGE.with_name("init.md")
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^## (.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block of the page.

    Args:
        section: the heading above it, without its number.
        language: of the fence; nothing for what is shown on a screen.
    """

    section: str
    language: str
    text: str


class QuickStart:
    """The page, by what its blocks are for.

    Example:
        QuickStart().feed(shell)
    """

    def __init__(self) -> None:
        page = PAGE.read_text(encoding="utf-8")
        headings = [(found.start(), found.group(1)) for found in _HEADING.finditer(page)]
        self._blocks = [
            Block(_section(headings, found.start()), found.group(1), found.group(2))
            for found in _FENCE.finditer(page)
        ]

    def commands(self, section: str) -> list[str]:
        """What the reader types under a heading, block by block."""
        return self._of(section, "sh", "bash")

    def files(self, section: str) -> list[str]:
        """The Python under a heading, block by block."""
        return self._of(section, "python", "py")

    def shown(self, section: str) -> list[str]:
        """What the page shows under a heading as seen on the screen."""
        return self._of(section, "")

    def install(self, spark: str, wheel: Path) -> str:
        """The commands that fill an environment, with this pyspark and the wheel at this path."""
        (install,) = self.shown("Install")
        typed = "\n".join(line for line in install.splitlines() if line.startswith("pip install "))
        typed, sparks = re.subn(r"pyspark==\S+", f"pyspark=={spark}", typed)
        typed, wheels = re.subn(r"\S*stoplog-\S+\.whl", f"'{wheel}'", typed)
        assert (sparks, wheels) == (1, 1), install
        return typed

    def feed(self, shell: Callable[[str], str]) -> None:
        """Lay down the files that the stream reads."""
        (feed,) = self.commands("Have some files")
        shell(feed)

    def job(self) -> str:
        """The program of the stream."""
        (job,) = self.files("Stream them")
        return job

    def job_of_client(self) -> str:
        """The same as the page has it for Spark Connect: another session."""
        (session,) = self.files("With Spark Connect")
        job = self.job()
        (statement,) = (
            each
            for each in ast.parse(job).body
            if (ast.get_source_segment(job, each) or "").startswith("spark =")
        )
        lines = job.splitlines(keepends=True)
        return "".join([*lines[: statement.lineno - 1], session, *lines[statement.end_lineno :]])

    def run(self) -> str:
        """The command that starts it."""
        (run,) = self.commands("Stream them")
        return run

    def run_without_wheel(self) -> str:
        """The command that starts it with the jar from a Maven repository."""
        (run,) = self.commands("Without the wheel: Scala, Java, R, SQL")
        return run

    def serve(self) -> str:
        """The command that starts a Spark Connect server."""
        (serve,) = self.commands("With Spark Connect")
        return serve

    def look(self, shell: Callable[[str], str], folder: Path) -> None:
        """See what the page promises: a directory for each day, each row once, and the state of the sink."""
        days = {file.parent.name for file in (folder / "weather").glob("*/part-*.parquet")}
        assert days == {"day=2026-05-01", "day=2026-05-02"}, days
        (look,) = self.files("Look")
        (folder / "look.py").write_text(look, encoding="utf-8")
        seen = shell("python look.py")
        assert seen in self.shown("Look"), seen
        (status,) = self.commands("Look")
        told = shell(status)
        assert "2026-05-01" in told, told

    def _of(self, section: str, *languages: str) -> list[str]:
        return [b.text for b in self._blocks if b.section == section and b.language in languages]


def commands_from_a_template() -> str:
    """The commands of the page of `stoplog init`, from an empty directory to rows."""
    blocks = [found.group(2) for found in _FENCE.finditer(INIT_PAGE.read_text(encoding="utf-8"))]
    (commands,) = (block for block in blocks if "stoplog init" in block and "python job.py" in block)
    return commands


def _section(headings: list[tuple[int, str]], at: int) -> str:
    above = [title for start, title in headings if start < at]
    return re.sub(r"^\d+\. ", "", above[-1]) if above else ""
