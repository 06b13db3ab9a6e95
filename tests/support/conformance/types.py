# SPDX-License-Identifier: Apache-2.0
"""Columns of all types of Spark, each with the values on which writers and readers differ first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROW = "n"
"""The number of a row, by which readers' rows are put in order."""

_JSON = {"json"}
_BULK = {"parquet", "orc", "avro"}
_NESTED = _JSON | _BULK
"""Where columns may have columns of their own."""
_ALL = _NESTED | {"csv"}


@dataclass(frozen=True, slots=True)
class Column:
    """
    Args:
        type: in SQL.
        values: literals of SQL, which are cast to the type; a null comes with each column besides.
        formats: that Spark's own sink writes it to.
    """

    type: str
    values: tuple[str, ...]
    formats: frozenset[str]


def _column(type: str, *values: str, formats: set[str] = _ALL) -> Column:
    return Column(type, values, frozenset(formats))


_FRACTIONS = ("0.1", "'-0.0'", "'NaN'", "'Infinity'", "'-Infinity'", "1e10", "-2.5e-7")
_DAYS = ("0001-01-01", "1582-10-04", "1582-10-15", "1970-01-01", "2024-02-29", "9999-12-31")
_LAST_SECOND = "1969-12-31 23:59:59.999999"
"""Readers of ORC find a TIMESTAMP of this second a second later, also in files of Spark."""

_TIMES = (
    "0001-01-01 00:00:00", "1582-10-15 12:00:00", "1900-01-01 00:00:00.000001", _LAST_SECOND,
    "1970-01-01 00:00:00", "2026-03-29 02:30:00.123456", "9999-12-31 23:59:59.999999",
)  # fmt: skip
_LATELY = ("1970-01-01 00:00:00", "2026-03-29 02:30:00.123456", "2100-12-31 23:59:59.999999")
"""Years that every reader knows: some count nanoseconds from 1970 on."""

_TEXTS = (
    "''", "'a'", "' b '", "'c,d;e'", "'quote \"f\"'", r"'back\\slash'", r"'tab\t'", "'null'", "'Grüße 🎉'",
    "'#'",
)  # fmt: skip

COLUMNS: dict[str, Column] = {
    "flag": _column("BOOLEAN", "true", "false"),
    "byte": _column("TINYINT", "-128", "0", "127"),
    "short": _column("SMALLINT", "-32768", "0", "32767"),
    "whole": _column("INT", "-2147483648", "0", "2147483647"),
    "long": _column("BIGINT", "-9223372036854775808", "0", "9223372036854775807"),
    "float": _column("FLOAT", *_FRACTIONS),
    "double": _column("DOUBLE", *_FRACTIONS, "1.7976931348623157e308", "4.9e-324"),
    "cents": _column("DECIMAL(5, 2)", "-999.99", "0", "999.99"),
    "exact": _column("DECIMAL(18, 6)", "-999999999999.999999", "0.000001"),
    "large": _column("DECIMAL(38, 18)", "-99999999999999999999.999999999999999999", "0.000000000000000001"),
    "text": _column("STRING", *_TEXTS),
    "word": _column("STRING", "'a'", "'c,d;e'", "'two words'", "'Grüße 🎉'"),
    "lines": _column("STRING", r"'two\nlines'", r"'\r'", formats=_NESTED),
    "bytes": _column("BINARY", "X''", "X'00'", "X'00FF10'", formats=_NESTED),
    "day": _column("DATE", *(f"'{day}'" for day in _DAYS)),
    "at": _column("TIMESTAMP", *(f"'{time}Z'" for time in _TIMES if time != _LAST_SECOND)),
    "last_second": _column("TIMESTAMP", f"'{_LAST_SECOND}Z'", formats=_ALL - {"orc"}),
    "local": _column("TIMESTAMP_NTZ", *(f"'{time}'" for time in _TIMES)),
    "lately": _column("TIMESTAMP", *(f"'{time}Z'" for time in _LATELY)),
    "lately_local": _column("TIMESTAMP_NTZ", *(f"'{time}'" for time in _LATELY)),
    "lately_day": _column("DATE", *(f"'{time[:10]}'" for time in _LATELY)),
    "months": _column(
        "INTERVAL YEAR TO MONTH", "INTERVAL '-10-3' YEAR TO MONTH", "INTERVAL '0-0' YEAR TO MONTH"
    ),
    "span": _column(
        "INTERVAL DAY TO SECOND",
        "INTERVAL '1 02:03:04.000005' DAY TO SECOND",
        "INTERVAL '-1 00:00:00' DAY TO SECOND",
    ),
    "calendar": _column("INTERVAL", "make_interval(1, 2, 0, 3, 4, 5, 6.7)", formats=set()),
    "nothing": _column("VOID", formats={"json", "parquet", "avro"}),
    "any": _column(
        "VARIANT",
        """parse_json('{"a": [1, "b", null, 2.5]}')""",
        "parse_json('7')",
        formats=_JSON | {"parquet"},
    ),
    "list": _column("ARRAY<INT>", "array()", "array(1, NULL, 3)", formats=_NESTED),
    "texts": _column("ARRAY<STRING>", "array('', NULL, 'Grüße')", formats=_NESTED),
    "lists": _column("ARRAY<ARRAY<DOUBLE>>", "array(array(), NULL, array(1.5, NULL))", formats=_NESTED),
    "names": _column("MAP<STRING, INT>", "map()", "map('a', 1, 'b', NULL)", formats=_NESTED),
    "records": _column(
        "ARRAY<STRUCT<a: INT, b: STRING>>",
        "array(named_struct('a', 1, 'b', 'x'), NULL, named_struct('a', NULL, 'b', NULL))",
        formats=_NESTED,
    ),
    "record": _column(
        "STRUCT<a: INT, b: STRUCT<c: STRING, d: ARRAY<DATE>>>",
        "named_struct('a', 1, 'b', named_struct('c', 'x', 'd', array(DATE'2026-01-31', NULL)))",
        "named_struct('a', NULL, 'b', NULL)",
        formats=_NESTED,
    ),
    "deep": _column(
        "MAP<STRING, ARRAY<STRUCT<t: TIMESTAMP, m: MAP<STRING, DECIMAL(10, 2)>>>>",
        "map('k', array(named_struct('t', TIMESTAMP'2026-01-31 23:59:59.5Z', 'm', map('x', 1.25))))",
        formats=_NESTED,
    ),
    "numbers": _column("MAP<INT, STRING>", "map(1, 'a', 2, NULL)", formats={"parquet", "orc"}),
}


def rows(spark: SparkSession, *names: str) -> DataFrame:
    """All values of these columns, each column's in its own order; shorter ones end in nulls."""
    count = 1 + max(len(COLUMNS[name].values) for name in names)
    columns = [f"{_by_row(COLUMNS[name])} AS `{name}`" for name in names]
    return spark.range(0, count, 1, 1).selectExpr(f"CAST(id AS INT) AS {ROW}", *columns)


def _by_row(column: Column) -> str:
    cases = [f"WHEN {row} THEN CAST({value} AS {column.type})" for row, value in enumerate(column.values)]
    return f"CASE CAST(id AS INT) {' '.join(cases)} END" if cases else "NULL"
