"""Counts what a reader finds, with plain Python: neither stoplog nor Spark is asked."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from statistics import median
from typing import Any

NULL = "NA"


@dataclass(frozen=True, slots=True)
class Found:
    """The rows of a directory against the rows that were sent, and the sizes of its files in bytes."""

    rows: int
    missing: int
    surplus: int
    torn: int
    sizes: tuple[int, ...]

    @property
    def is_exact(self) -> bool:
        return self.missing == self.surplus == self.torn == 0

    @property
    def median_bytes(self) -> float:
        return median(self.sizes)


def visible_files(folder: Path) -> list[Path]:
    """What any reader sees: files on whose path nothing is hidden by a leading `_` or `.`."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not any(part.startswith(("_", ".")) for part in path.relative_to(folder).parts)
    )


def verify(folder: Path, sent: list[str], columns: list[str]) -> Found:
    """Turns every JSON row back into its line of the original CSV file, and compares the two as multisets.

    A row that is there twice is surplus; one that is changed in any value is surplus, and missing as well.
    """
    files = visible_files(folder)
    found: Counter[str] = Counter()
    torn = 0
    for file in files:
        hour = str(int(file.parent.name.removeprefix("hour=")))
        for line in file.read_text(encoding="utf-8").splitlines():
            try:
                found[as_csv(json.loads(line) | {"hour": hour}, columns)] += 1
            except ValueError:
                torn += 1
    expected = Counter(sent)
    return Found(
        rows=found.total(),
        missing=(expected - found).total(),
        surplus=(found - expected).total(),
        torn=torn,
        sizes=tuple(file.stat().st_size for file in files),
    )


def as_csv(row: dict[str, Any], columns: list[str]) -> str:
    values = {**row, "time_hour": _seconds(row["time_hour"])}
    return ",".join(str(values.get(column, NULL)) for column in columns)


def _seconds(timestamp: str) -> str:
    return datetime.fromisoformat(timestamp).strftime("%Y-%m-%dT%H:%M:%SZ")
