# SPDX-License-Identifier: Apache-2.0
"""Each row of random tables is read back as it was written, or is rejected for a reason with a name."""

from __future__ import annotations

import os
import re
import shutil
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from support import round_trip_readers, round_trips

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from support.place import Place

FORMATS = ("text", "json", "csv", "parquet", "orc", "avro")
RULES = {"STOPLOG_UNREADABLE_ROW", "STOPLOG_NULL_VALUE", "STOPLOG_BUCKET_ID"}


def trip(spark: SparkSession, path: Path, of: round_trips.Table, mode: str) -> None:
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir()
    written = round_trips.Written(of, path)
    getattr(written, mode)(spark)
    rejected = written.rejected()
    assert {re.search(r"\[(\w+)]", why)[1] for why in rejected.values()} <= RULES, rejected  # type: ignore[index]
    rows = of.canonical(of.values(of.carriers(spark)))
    own = of.canonical(round_trip_readers.by_stoplog(spark, written))
    sparks = round_trip_readers.by_spark(spark, written)
    theirs = own if sparks is None else of.canonical(sparks)
    if of.form == "text":
        assert Counter(theirs) == Counter(own)
        assert not Counter(own) - Counter(rows)
        assert len(own) + len(rejected) == len(rows)
    else:
        expected = sorted((row for row in rows if row[0] not in rejected), key=lambda row: row[0])
        assert sorted(own, key=lambda row: row[0]) == expected
        assert sorted(theirs, key=lambda row: row[0]) == expected
        others = round_trip_readers.by_others(written)
        for number, texts in (others or {}).items():
            for name, value in texts.items():
                assert value == of.rows[number][1 + list(of.columns).index(name)], (number, name)
        assert not of.plain & rejected.keys() or of.options, rejected


@pytest.mark.parametrize("form", FORMATS)
def test_rows_of_random_tables_are_read_back_or_rejected(
    spark: SparkSession, place: Place, form: str
) -> None:
    """100 rows of each format, and in the long run more than 50,000 rows of all formats."""
    tables, rows = (60, 150) if os.environ.get("STOPLOG_LONG") else (6, 40)
    for seed in range(tables):
        of = round_trips.table(form, seed, rows)
        try:
            trip(spark, place.root / "trip", of, "stream" if seed % 2 else "batch")
        except BaseException as e:
            e.add_note(f"{of} of seed {seed}")
            raise
