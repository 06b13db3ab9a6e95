# SPDX-License-Identifier: Apache-2.0
"""Columns that become names of directories, with the values that need care there."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TEXTS = (
    "'a'", "' '", "'a b'", "' a '", "'a=b'", "'a/b'", "'a%b'", "'%2F'", r"'\"\'`'", "'#?*'", "'[a]{b}'",
    r"'a\\b:c'", r"'\n\t'", r"'\u0001\u007f'", "'Grüße 🎉'", "'null'",
    "'.a'", "'_a'", "'01'", "NULL",
)  # fmt: skip

COLUMNS: dict[str, tuple[str, tuple[str, ...]]] = {
    "flag": ("BOOLEAN", ("true", "false", "NULL")),
    "whole": ("INT", ("-1", "0", "2147483647", "NULL")),
    "long": ("BIGINT", ("-9223372036854775808", "7", "NULL")),
    "share": ("DOUBLE", ("0.1", "'-0.0'", "'NaN'", "'Infinity'", "1e10", "-2.5e-7", "NULL")),
    "price": ("DECIMAL(20, 3)", ("-1.5", "0", "12345678901234567.891", "NULL")),
    "day": ("DATE", ("'0001-01-01'", "'2026-01-31'", "'9999-12-31'", "NULL")),
    "at": ("TIMESTAMP", ("'2026-01-31 23:59:59.123456Z'", "'1969-12-31 23:59:59Z'", "NULL")),
    "local": ("TIMESTAMP_NTZ", ("'2026-01-31 23:59:59.5'", "'1900-01-01 00:00:00'", "NULL")),
    "Text": ("STRING", _TEXTS),
}
"""By name: the type, and literals of SQL."""


def rows(spark: SparkSession) -> DataFrame:
    """Each value of each column at least once; shorter columns begin again."""
    count = max(len(values) for _, values in COLUMNS.values())
    columns = [
        f"CAST(element_at(array({', '.join(f'CAST({value} AS {type})' for value in values)}), "
        f"CAST(id % {len(values)} AS INT) + 1) AS {type}) AS `{name}`"
        for name, (type, values) in COLUMNS.items()
    ]
    return spark.range(0, count, 1, 1).selectExpr("CAST(id AS INT) AS n", *columns)
