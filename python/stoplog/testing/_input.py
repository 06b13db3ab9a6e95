# SPDX-License-Identifier: Apache-2.0
"""The input files of a pipeline."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from stoplog.testing.rows import Row


class Input:
    """A directory in which each file appears atomically, as a file source requires."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._files = 0
        self._rows: list[Row] = []
        self._is_known = True
        directory.mkdir(parents=True)

    @property
    def rows(self) -> tuple[Row, ...]:
        """Returns all rows that were fed.

        Raises:
            ValueError: some rows were fed as files, whose contents are unknown to this process.
        """
        if not self._is_known:
            raise ValueError(
                "The rows of fed files are unknown to the test. Pass the expected rows by expected=…"
            )
        return tuple(self._rows)

    def add(self, rows: Iterable[Row]) -> None:
        if isinstance(rows, (str, Mapping)):
            raise TypeError("feed() accepts the rows of one file, such as a list, and not a single row")
        added = list(rows)
        lines = [_line(row) for row in added]
        suffix = ".txt" if all(isinstance(row, str) for row in added) else ".json"
        self._appear(suffix).write_text("".join(f"{line}\n" for line in lines))
        self._rows += added
        self._show(suffix)

    def copy(self, file: Path) -> None:
        shutil.copyfile(file, self._appear("".join(file.suffixes)))
        self._is_known = False
        self._show("".join(file.suffixes))

    def _appear(self, suffix: str) -> Path:
        return self._directory / f".{self._files:05d}{suffix}"

    def _show(self, suffix: str) -> None:
        self._appear(suffix).rename(self._directory / f"{self._files:05d}{suffix}")
        self._files += 1


def _line(row: Row) -> str:
    if not isinstance(row, str):
        return json.dumps(row)
    if "\n" in row or "\r" in row:
        raise ValueError(f"{row!r} would be more than one line")
    return row
