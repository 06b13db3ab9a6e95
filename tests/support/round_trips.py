# SPDX-License-Identifier: Apache-2.0
"""Random tables whose rows must be read back as they were written, or be rejected with a reason.

A value is made in Python as a carrier (bytes, a number of microseconds), because Python has neither strings
that are not UTF-8 nor all times of Spark. Rows are compared in a canonical form, which Spark computes from
the rows of a reader.
"""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import stoplog

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

Canonical = dict[int, tuple[Any, ...]]

WORDS = ("a", "Z9", "word", "two words", "7", "-1.5", "true", "x.y")
ODD = (
    "",
    " ",
    "  ",
    "\t",
    " a ",
    "a,b",
    'say "x"',
    '"',
    '""',
    "'",
    "it's",
    "\\",
    "a\\",
    '\\"',
    "#",
    "#a",
    ";",
    "a;b",
    "|",
    "::",
    "a::b",
    "NULL",
    "-",
    "E",
    "null",
    "\\N",
    "NaN",
    "\n",
    "a\nb",
    "\r",
    "a\r\nb",
    "\u0085",
    "\u2028",
    "\ufeff",
    "\ufeffa",
    "\ufffd",
    "\u20ac",
    "M\u00fcnchen",
    "\U0001f680",
    "\x00",
    "a\x00",
    "\x01",
    "%41",
    "a=b",
    "a/b",
    "..",
    "__HIVE_DEFAULT_PARTITION__",
    "_x",
    ".x",
    "{",
    '{"a":1}',
    "[1]",
    "1e5",
    "2026-01-31",
    "/",
    "*",
)
INVALID = (b"\xff", b"\xfe", b"M\xfcnchen", b"\xed\xa0\x80", b"a\xc3", b"\xc0\x80")
MICROS = (
    0, 1, -1, 999_999, -999_001, -999_000, -1_000_000,
    1_762_061_400_123_456, 1_762_063_200_000_000, 1_762_066_800_000_000,
    -2_208_988_800_000_001, -5_364_662_400_000_001, -62_135_596_800_000_000,
    -62_135_596_799_999_999, 253_402_300_799_999_999, -12_219_292_800_000_000,
    -12_219_292_800_000_001, 1_711_846_800_000_000, 1_729_990_800_000_000,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kind:
    """A type: its carrier, the expression of its value, and the expression of its canonical form."""

    sql: str
    carrier: str
    value: str
    canonical: str
    plain: Callable[[random.Random], Any]
    odd: Callable[[random.Random], Any]


def _text(pick: random.Random) -> bytes:
    if pick.random() < 0.15:
        return pick.choice(INVALID)
    return "".join(pick.choice(ODD) for _ in range(pick.randint(1, 2))).encode()


def _word(pick: random.Random) -> bytes:
    return pick.choice(WORDS).encode()


def _number(bits: int) -> Callable[[random.Random], int]:
    edge = 1 << bits - 1
    return lambda pick: pick.choice((0, 1, -1, edge - 1, -edge, pick.randrange(-edge, edge)))


def _double(pick: random.Random) -> float:
    return pick.choice(
        (0.0, -0.0, 1e300, 5e-324, float("inf"), float("-inf"), float("nan"), pick.random(), 1e16)
    )


TIMES = {"DATE", "TIMESTAMP", "TIMESTAMP_NTZ"}
HEX = "hex(cast({0} AS BINARY))"
_NUMBER = _number(31)
KINDS: dict[str, Kind] = {
    "string": Kind("STRING", "BINARY", "cast({0} AS STRING)", HEX, _word, _text),
    "binary": Kind("BINARY", "BINARY", "{0}", "hex({0})", _word, _text),
    "byte": Kind("TINYINT", "INT", "cast({0} AS TINYINT)", "{0}", lambda p: p.randint(0, 9), _number(8)),
    "short": Kind("SMALLINT", "INT", "cast({0} AS SMALLINT)", "{0}", lambda p: p.randint(0, 9), _number(16)),
    "int": Kind("INT", "INT", "{0}", "{0}", lambda p: p.randint(0, 99), _number(32)),
    "long": Kind("BIGINT", "BIGINT", "{0}", "{0}", lambda p: p.randint(0, 99), _number(64)),
    "float": Kind(
        "FLOAT", "DOUBLE", "cast({0} AS FLOAT)", "cast({0} AS STRING)", lambda p: p.random(), _double
    ),
    "double": Kind("DOUBLE", "DOUBLE", "{0}", "cast({0} AS STRING)", lambda p: p.random(), _double),
    "boolean": Kind("BOOLEAN", "INT", "{0} > 0", "{0}", lambda p: p.randint(0, 1), lambda p: p.randint(0, 1)),
    "decimal": Kind(
        "DECIMAL(38,18)",
        "BIGINT",
        "cast({0} / 1000BD AS DECIMAL(38,18))",
        "cast({0} AS STRING)",
        _NUMBER,
        _number(64),
    ),
    "date": Kind(
        "DATE",
        "INT",
        "date_from_unix_date({0})",
        "unix_date({0})",
        lambda p: p.randint(0, 20000),
        lambda p: p.choice((0, -1, -719162, 2932896, -141427, -141428, -141438, p.randint(-99999, 99999))),
    ),
    "timestamp": Kind(
        "TIMESTAMP",
        "BIGINT",
        "timestamp_micros({0})",
        "unix_micros({0})",
        lambda p: p.randrange(0, 2 * 10**9) * 10**6,
        lambda p: p.choice(MICROS),
    ),
    "timestamp_ntz": Kind(
        "TIMESTAMP_NTZ",
        "BIGINT",
        "timestamp_ntz'1970-01-01' + make_dt_interval(0, 0, 0, {0} / 1000000BD)",
        "cast({0} AS STRING)",
        lambda p: p.randrange(0, 2 * 10**9) * 10**6,
        lambda p: p.choice(MICROS),
    ),
    "months": Kind(
        "INTERVAL YEAR TO MONTH",
        "INT",
        "make_ym_interval(0, {0})",
        "cast({0} AS STRING)",
        lambda p: p.randint(0, 99),
        lambda p: p.randint(-9999, 9999),
    ),
    "words": Kind(
        "ARRAY<STRING>",
        "BINARY",
        "array(cast({0} AS STRING), 'x', NULL)",
        f"cast(transform({{0}}, e -> {HEX.format('e')}) AS STRING)",
        _word,
        _text,
    ),
    "struct": Kind(
        "STRUCT<s: STRING, n: INT>",
        "BINARY",
        "named_struct('s', cast({0} AS STRING), 'n', 1)",
        f"concat({HEX.format('{0}.s')}, {{0}}.n)",
        _word,
        _text,
    ),
    "map": Kind(
        "MAP<STRING, STRING>",
        "BINARY",
        "map('k', cast({0} AS STRING), 'n', NULL)",
        f"cast(transform_values({{0}}, (k, e) -> {HEX.format('e')}) AS STRING)",
        _word,
        _text,
    ),
}

FLAT = (
    "string",
    "string",
    "byte",
    "short",
    "int",
    "long",
    "float",
    "double",
    "boolean",
    "decimal",
    "date",
    "timestamp",
    "timestamp_ntz",
)
DEEP = (*FLAT, "binary", "words", "struct", "map")
COLUMNS = {
    "json": (*DEEP, "months"),
    "csv": (*FLAT, "months"),
    "parquet": (*DEEP, "months"),
    "orc": DEEP,
    "avro": DEEP,
}
PARTITIONS = (
    "string",
    "string",
    "binary",
    "byte",
    "int",
    "long",
    "double",
    "boolean",
    "decimal",
    "date",
    "timestamp",
    "timestamp_ntz",
    "months",
)
ZONES = ("UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata")

# Each option with its values; a table has some of them.
OPTIONS: dict[str, dict[str, tuple[str, ...]]] = {
    "text": {
        "lineSep": (";", "\r\n", "::"),
        "nullValue": ("NULL", "-"),
        "charset": ("ISO-8859-1",),
        "compression": ("gzip",),
    },
    "json": {
        "lineSep": (";", "\r\n"),
        "ignoreNullFields": ("false",),
        "charset": ("ISO-8859-1",),
        "timeZone": ZONES,
        "writeNonAsciiCharacterAsCodePoint": ("true",),
        "compression": ("zstd",),
    },
    "csv": {
        "sep": (";", "\t", "|", "::", " "),
        "quote": ("'",),
        "header": ("true",),
        "nullValue": ("NULL", "-"),
        "quoteAll": ("true",),
        "lineSep": (";", "\r\n"),
        "multiLine": ("true",),
        "comment": ("#",),
        "charset": ("ISO-8859-1",),
        "emptyValue": ("E", ""),
        "timeZone": ZONES,
        "escape": ("\\", '"'),
        "compression": ("gzip",),
    },
    "parquet": {"timeZone": ZONES, "compression": ("gzip",)},
    "orc": {"timeZone": ZONES},
    "avro": {"timeZone": ZONES, "compression": ("deflate",)},
}


@dataclass(frozen=True, slots=True)
class Table:
    """A random table, with rows of carriers: the number of the row, and a carrier for each column."""

    form: str
    columns: dict[str, Kind]
    options: dict[str, str]
    partition: str | None
    rows: list[tuple[Any, ...]] = field(repr=False)
    plain: frozenset[int] = field(repr=False)

    @property
    def schema(self) -> str:
        own = "" if self.form == "text" else "id INT, "
        return own + ", ".join(f"{name} {kind.sql}" for name, kind in self.columns.items())

    def values(self, carriers: DataFrame) -> DataFrame:
        own = [] if self.form == "text" else ["id"]
        return carriers.selectExpr(
            *own, *(f"{kind.value.format(name)} AS {name}" for name, kind in self.columns.items())
        )

    def carriers(self, spark: SparkSession) -> DataFrame:
        names = ", ".join(f"{name} {kind.carrier}" for name, kind in self.columns.items())
        return spark.createDataFrame(self.rows, f"id INT, {names}").coalesce(1)

    def canonical(self, rows: DataFrame) -> list[tuple[Any, ...]]:
        own = [] if self.form == "text" else ["id"]
        forms = (f"{kind.canonical.format(self._value(at))} AS {at}" for at, kind in self.columns.items())
        return [tuple(row) for row in rows.selectExpr(*own, *forms).collect()]

    def _value(self, name: str) -> str:
        """The ORC library reads zeros of both signs as equal: `-0.0` may become `0.0`."""
        is_float = self.form == "orc" and self.columns[name].sql in ("FLOAT", "DOUBLE")
        return f"({name} + cast(0 AS {self.columns[name].sql}))" if is_float else name


def table(form: str, seed: int, rows: int) -> Table:
    pick = random.Random(f"{form} {seed}")
    if form == "text":
        columns = {"value": KINDS["string"]}
    else:
        columns = {f"c{i}": KINDS[pick.choice(COLUMNS[form])] for i in range(pick.randint(1, 5))}
    chosen = OPTIONS[form]
    options = {name: pick.choice(chosen[name]) for name in chosen if pick.random() < 1.5 / len(chosen)}
    partition = None
    if seed % 3 == 2:
        partition = "p"
        columns["p"] = KINDS["int" if form == "text" else pick.choice(PARTITIONS)]
    odd = {name: pick.random() < 0.6 for name in columns}
    made, plain = [], set()
    for number in range(rows):
        is_plain = pick.random() < 0.4
        row: list[Any] = [number]
        for name, kind in columns.items():
            if is_plain or not odd[name]:
                row.append(kind.plain(pick))
            else:
                row.append(None if pick.random() < 0.15 else kind.odd(pick))
        made.append(tuple(row))
        if is_plain:
            plain.add(number)
    return Table(form, columns, options, partition, made, frozenset(plain))


@dataclass(frozen=True, slots=True)
class Written:
    table: Table
    path: Path

    @property
    def options(self) -> dict[str, str]:
        kept = {"partitionBy": "p"} if self.table.partition else {"bucketAssigner": "basePath"}
        return {"format": self.table.form, **self.table.options, **kept}

    def batch(self, spark: SparkSession) -> None:
        writer = self.table.values(self.table.carriers(spark)).write.format("stoplog").options(**self.options)
        writer.option("onBadRow", "reject").mode("append").save(str(self.path / "out"))

    def stream(self, spark: SparkSession) -> None:
        carriers = self.table.carriers(spark)
        carriers.write.parquet(str(self.path / "in"))
        rows = self.table.values(spark.readStream.schema(carriers.schema).parquet(str(self.path / "in")))
        writer = rows.writeStream.format("stoplog").options(**self.options).option("onBadRow", "reject")
        query = (
            writer.option("checkpointLocation", str(self.path / "checkpoint"))
            .trigger(availableNow=True)
            .start(str(self.path / "out"))
        )
        query.awaitTermination()
        assert stoplog.await_finished(query, timeout=300).in_time

    def files(self) -> list[Path]:
        found = (self.path / "out").rglob("part-*")
        return [
            file
            for file in found
            if not any(part.startswith("_") for part in file.parts[len(self.path.parts) :])
        ]

    def rejected(self) -> dict[int, str]:
        """The reasons, by the number of the row; rows of text are numbered as they come."""
        reasons: dict[int, str] = {}
        for file in (self.path / "out/_rejected").rglob("*.rejected"):
            for line in file.read_bytes().split(b"\n")[:-1]:
                found = json.loads(line)
                if self.table.form == "text":
                    number = len(reasons)
                elif "row" in found:
                    number = found["row"]["id"]
                else:
                    number = int(re.match(r"id=(\d+)", found["text"]).group(1))  # type: ignore[union-attr]
                reasons[number] = found["reason"]
        return reasons
