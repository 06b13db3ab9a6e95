# SPDX-License-Identifier: Apache-2.0
"""The directories of one test, and the input that arrives in them."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from support.tree import files_below

if TYPE_CHECKING:
    from pathlib import Path

ROWS_PER_FILE = 100


@dataclass(slots=True)
class Place:
    """Input, output and checkpoint of one query.

    Every row is `<file>-<row>` in fixed width, so that it occurs once in the whole input.
    """

    root: Path
    rows: list[str] = field(default_factory=list)
    files: int = 0

    def __post_init__(self) -> None:
        self.input.mkdir(parents=True, exist_ok=True)

    @property
    def input(self) -> Path:
        return self.root / "in"

    @property
    def out(self) -> Path:
        return self.root / "out"

    @property
    def checkpoint(self) -> Path:
        return self.root / "checkpoint"

    @property
    def own(self) -> Path:
        """What the sink keeps for itself."""
        return self.out / "_stoplog" / "main"

    def feed(self, files: int = 1, rows: int = ROWS_PER_FILE, age_seconds: float = 0) -> None:
        """Lets files arrive, each whole at once, as a file source wants it, with times of that age."""
        for _ in range(files):
            added = [f"{self.files:05d}-{row:05d}" for row in range(rows)]
            hidden = self.input / f".{self.files:05d}"
            hidden.write_text("".join(f"{row}\n" for row in added))
            if age_seconds:
                then = hidden.stat().st_mtime - age_seconds
                os.utime(hidden, (then, then))
            hidden.rename(self.input / f"{self.files:05d}.txt")
            self.rows += added
            self.files += 1

    def age_unfinished(self, seconds: float) -> None:
        """Makes unfinished files look that much older."""
        for file in self.unfinished():
            then = file.stat().st_mtime - seconds
            os.utime(file, (then, then))

    def leave_orphan(self) -> None:
        """A copy of an unfinished file that no record names, as an attempt leaves it that was cut off."""
        attempt = self.unfinished()[0]
        shutil.copy(attempt, attempt.with_name(f"{attempt.name[:-4]}0000"))

    def unfinished(self) -> list[Path]:
        places = (self.own / "open", self.own / "beside")
        return [file for place in places for file in files_below(place)]

    def records(self) -> list[Path]:
        """The records of the commit log, oldest first."""
        return sorted((self.own / "log").glob("*.commit"))
