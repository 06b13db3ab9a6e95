# SPDX-License-Identifier: Apache-2.0
"""Counts what a reader finds, with plain Python: neither stoplog nor Spark is asked."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from demo.storage import Storage

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


def is_visible(name: str) -> bool:
    """Whether any reader sees a file of this path: nothing on it is hidden by a leading `_` or `.`."""
    return not any(part.startswith(("_", ".")) for part in name.split("/"))


def verify(storage: Storage, sent: list[str], columns: list[str]) -> Found:
    """Turns every JSON row back into its line of the original CSV file, and compares the two as multisets.

    A row that is there twice is surplus; one that is changed in any value is surplus, and missing as well.
    """
    files = {name: size for name, size in sorted(storage.files().items()) if is_visible(name)}
    found: Counter[str] = Counter()
    torn = 0
    for name in files:
        hour = str(int(name.split("/")[0].removeprefix("hour=")))
        for line in storage.text(name).splitlines():
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
        sizes=tuple(files.values()),
    )


def as_csv(row: dict[str, Any], columns: list[str]) -> str:
    values = {**row, "time_hour": _seconds(row["time_hour"])}
    return ",".join(str(values.get(column, NULL)) for column in columns)


def _seconds(timestamp: str) -> str:
    return datetime.fromisoformat(timestamp).strftime("%Y-%m-%dT%H:%M:%SZ")
