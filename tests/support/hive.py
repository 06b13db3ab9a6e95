# SPDX-License-Identifier: Apache-2.0
"""Readers other than Spark, which take directories `name=value` for columns without being told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

Rows = list[tuple[Any, ...]]


def by_pyarrow(path: str, form: str, columns: list[str]) -> Rows:
    import pyarrow.dataset

    found = pyarrow.dataset.dataset(path, format=form, partitioning="hive").to_table(columns=columns)
    return [tuple(row.values()) for row in found.to_pylist()]


def by_pandas(path: str, form: str, columns: list[str]) -> Rows:
    """It reads one file of JSON at a time, and directories of Parquet alone."""
    import pandas

    assert form == "parquet"
    return list(pandas.read_parquet(path)[columns].itertuples(index=False, name=None))


def by_duckdb(path: str, form: str, columns: list[str]) -> Rows:
    import duckdb

    files = f"{path}/*=*/**/*.{form}"
    return duckdb.sql(f"SELECT {', '.join(columns)} FROM read_{form}('{files}')").fetchall()


def by_polars(path: str, form: str, columns: list[str]) -> Rows:
    """By the call that the recipe for readers names. Polars has hive partitions for Parquet alone."""
    import polars

    assert form == "parquet"
    return polars.read_parquet(f"{path}/**/*.parquet", hive_partitioning=True).select(columns).rows()


OF_PARQUET = {"pandas", "polars"}
"""The readers that find partitions of Parquet alone."""

READERS: dict[str, Callable[[str, str, list[str]], Rows]] = {
    "pyarrow": by_pyarrow,
    "pandas": by_pandas,
    "duckdb": by_duckdb,
    "polars": by_polars,
}
