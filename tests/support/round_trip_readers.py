# SPDX-License-Identifier: Apache-2.0
"""The readers of random tables: stoplog, Spark, and one that neither of them has made."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from support.round_trips import TIMES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from support.round_trips import Table, Written


def read_schema(of: Table) -> str:
    """Avro has no integers of one or two bytes, and its readers refuse to narrow."""
    return re.sub(r"\b(TINYINT|SMALLINT)\b", "INT", of.schema) if of.form == "avro" else of.schema


def by_stoplog(spark: SparkSession, of: Written) -> DataFrame:
    reader = spark.read.format("stoplog").options(**of.options).schema(read_schema(of.table))
    return reader.load(str(of.path / "out"))


# What Spark's own readers need beside the options of the sink: docs/files/lines.md.
DIALECT: dict[str, Mapping[str, str]] = {"csv": {"escape": '"', "nullValue": "\ufffe"}}


def by_spark(spark: SparkSession, of: Written) -> DataFrame | None:
    options = dict(of.table.options)
    options.pop("compression", None)
    if of.table.form == "text" and options.keys() & {"nullValue", "charset"}:
        return None  # Spark's reader of text has neither option
    if of.table.form == "csv":
        options.setdefault("escape", options.get("quote", '"'))
        if "emptyValue" not in options and "multiLine" not in options:
            options.setdefault("nullValue", DIALECT["csv"]["nullValue"])
    if of.table.form == "json" and "charset" in options:
        options.setdefault("lineSep", "\n")  # Spark requires the option with a charset
    reader = spark.read.format(of.table.form).options(**options).schema(read_schema(of.table))
    return reader.load(str(of.path / "out"))


def by_others(of: Written) -> dict[int, dict[str, bytes | None]] | None:
    """The strings of columns in files, by pyarrow, fastavro or Python's JSON; none without such an option."""
    read = OTHERS.get(of.table.form)
    texts = [
        name for name, kind in of.table.columns.items() if kind.sql == "STRING" and name != of.table.partition
    ]
    if of.table.form == "avro" and {kind.sql for kind in of.table.columns.values()} & TIMES:
        return None  # Python has no times of other years than 1 to 9999
    if read is None or of.table.options.keys() & {
        "charset",
        "emptyValue",
        "comment",
        "lineSep",
        "compression",
    }:
        return None
    found: dict[int, dict[str, bytes | None]] = {}
    for file in of.files():
        found.update(read(of.table, file, texts))
    return found


Texts = dict[int, dict[str, "bytes | None"]]


def _encoded(value: str | bytes | None) -> bytes | None:
    return value.encode() if isinstance(value, str) else value


def _json(_: Table, file: Path, texts: list[str]) -> Texts:
    rows = [json.loads(line) for line in file.read_bytes().split(b"\n")[:-1]]
    return {row["id"]: {name: _encoded(row.get(name)) for name in texts} for row in rows}


def _csv(of: Table, file: Path, texts: list[str]) -> Texts:
    import pyarrow
    import pyarrow.csv

    if len(of.options.get("sep", ",")) > 1 or of.options.keys() & {
        "nullValue",
        "escape",
        "quoteAll",
        "header",
    }:
        return {}
    names = ["id", *(name for name in of.columns if name != of.partition)]
    found = pyarrow.csv.read_csv(
        file,
        read_options=pyarrow.csv.ReadOptions(column_names=names),
        parse_options=pyarrow.csv.ParseOptions(
            delimiter=of.options.get("sep", ","),
            quote_char=of.options.get("quote", '"'),
            newlines_in_values=True,
        ),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types={name: pyarrow.int32() if name == "id" else pyarrow.string() for name in names},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    return {row["id"]: {name: _encoded(row[name]) for name in texts} for row in found.to_pylist()}


def _arrow(read: Callable[[Path, list[str]], Any]) -> Callable[[Table, Path, list[str]], Texts]:
    def rows(_: Table, file: Path, texts: list[str]) -> Texts:
        import pyarrow

        found = read(file, ["id", *texts])
        ids = found.column("id").to_pylist()
        values = {name: found.column(name).cast(pyarrow.binary()).to_pylist() for name in texts}
        return {number: {name: values[name][at] for name in texts} for at, number in enumerate(ids)}

    return rows


def _parquet(file: Path, names: list[str]) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(file).read(columns=names)


def _orc(file: Path, names: list[str]) -> Any:
    import pyarrow.orc

    return pyarrow.orc.ORCFile(file).read(columns=names)


def _avro(_: Table, file: Path, texts: list[str]) -> Texts:
    import fastavro

    with file.open("rb") as opened:
        rows = list(fastavro.reader(opened, handle_unicode_errors="surrogateescape"))
    return {
        row["id"]: {
            name: None if row[name] is None else row[name].encode(errors="surrogateescape") for name in texts
        }
        for row in rows
    }


OTHERS: dict[str, Callable[[Table, Path, list[str]], Texts]] = {
    "json": _json,
    "csv": _csv,
    "parquet": _arrow(_parquet),
    "orc": _arrow(_orc),
    "avro": _avro,
}
