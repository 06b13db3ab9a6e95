# SPDX-License-Identifier: Apache-2.0
"""One column of a file, as readers other than Spark read it."""

from __future__ import annotations

import datetime
import math
import struct
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias

import duckdb
import fastavro
import pandas
import polars
import pyarrow.orc
import pyarrow.parquet
import pyorc
from pyspark.sql import types as spark_types

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Read: TypeAlias = "Callable[[Path, str], list[Any]]"
"""Takes a file and the name of one of its columns, and answers with the column's values."""


def _parquet_by_pyarrow(file: Path, column: str) -> list[Any]:
    return pyarrow.parquet.ParquetFile(file).read(columns=[column]).column(0).to_pylist()


def _parquet_by_duckdb(file: Path, column: str) -> list[Any]:
    return _by_duckdb(f"read_parquet('{file}')", column)


def _parquet_by_polars(file: Path, column: str) -> list[Any]:
    return polars.read_parquet(file, columns=[column])[column].to_list()


def _parquet_by_pandas(file: Path, column: str) -> list[Any]:
    return _of_pandas(pandas.read_parquet(file, columns=[column], dtype_backend="pyarrow"), column)


def _orc_by_pyarrow(file: Path, column: str) -> list[Any]:
    return pyarrow.orc.ORCFile(file).read(columns=[column]).column(0).to_pylist()


def _orc_by_pandas(file: Path, column: str) -> list[Any]:
    return _of_pandas(pandas.read_orc(file, columns=[column], dtype_backend="pyarrow"), column)


def _orc_by_pyorc(file: Path, column: str) -> list[Any]:
    with file.open("rb") as stream:
        reader = pyorc.Reader(stream, column_names=[column], struct_repr=pyorc.StructRepr.DICT)
        return [row[column] for row in reader]


def _avro_by_fastavro(file: Path, column: str) -> list[Any]:
    with file.open("rb") as stream:
        return [row[column] for row in fastavro.reader(stream)]


def _avro_by_polars(file: Path, column: str) -> list[Any]:
    return polars.read_avro(file, columns=[column])[column].to_list()


def _json_by_duckdb(file: Path, column: str) -> list[Any]:
    return _by_duckdb(f"read_json('{file}', format = 'newline_delimited')", column)


def _json_by_polars(file: Path, column: str) -> list[Any]:
    return polars.read_ndjson(file, infer_schema_length=None)[column].to_list()


def _json_by_pandas(file: Path, column: str) -> list[Any]:
    return _of_pandas(
        pandas.read_json(file, lines=True, dtype_backend="pyarrow", convert_dates=False), column
    )


def _csv_by_duckdb(file: Path, column: str) -> list[Any]:
    return _by_duckdb(f"read_csv('{file}')", column)


def _csv_by_polars(file: Path, column: str) -> list[Any]:
    return polars.read_csv(file, infer_schema_length=None)[column].to_list()


def _csv_by_pandas(file: Path, column: str) -> list[Any]:
    return _of_pandas(pandas.read_csv(file, dtype_backend="pyarrow"), column)


def _by_duckdb(table: str, column: str) -> list[Any]:
    with duckdb.connect() as database:
        database.execute("SET TimeZone = 'UTC'")
        return [row[0] for row in database.execute(f'SELECT "{column}" FROM {table}').fetchall()]


def _of_pandas(frame: pandas.DataFrame, column: str) -> list[Any]:
    return pyarrow.array(frame[column].array).to_pylist()


READERS: dict[str, dict[str, Read]] = {
    "parquet": {
        "pyarrow": _parquet_by_pyarrow,
        "duckdb": _parquet_by_duckdb,
        "polars": _parquet_by_polars,
        "pandas": _parquet_by_pandas,
    },
    "orc": {"pyarrow": _orc_by_pyarrow, "pandas": _orc_by_pandas, "pyorc": _orc_by_pyorc},
    "avro": {"fastavro": _avro_by_fastavro},
}
"""By format: those that know all types of files which say what the types are, or most."""

PLAIN_READERS: dict[str, dict[str, Read]] = {
    "avro": {"polars": _avro_by_polars},
    "json": {"duckdb": _json_by_duckdb, "polars": _json_by_polars, "pandas": _json_by_pandas},
    "csv": {"duckdb": _csv_by_duckdb, "polars": _csv_by_polars, "pandas": _csv_by_pandas},
}
"""Those that take the types from the values, or refuse a file for one column."""


def column_read(read: Read, file: Path, column: str, of: spark_types.DataType) -> object:
    """Its values, alike for all readers; or why the reader cannot read the column."""
    try:
        return [alike(value, of) for value in read(file, column)]
    except BaseException as error:  # polars ends some reads with a panic, which is no Exception
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return f"{type(error).__name__}"


def alike(value: Any, of: spark_types.DataType) -> object:
    """A value as all readers have it: a map is pairs, a time is that of UTC, a NaN is equal to another."""
    match of:
        case _ if value is None:
            return None
        case spark_types.ArrayType():
            return [alike(each, of.elementType) for each in value]
        case spark_types.MapType():
            return sorted((alike(k, of.keyType), alike(v, of.valueType)) for k, v in _entries(value))
        case spark_types.StructType():
            named = value if isinstance(value, dict) else dict(zip(of.names, value, strict=True))
            return {field.name: alike(named[field.name], field.dataType) for field in of.fields}
        case spark_types.FloatType() | spark_types.DoubleType():
            # A float32 that a reader has made wider, or of which it shows fewer digits.
            same = struct.unpack("f", struct.pack("f", value))[0] if of == spark_types.FloatType() else value
            return "NaN" if math.isnan(same) else repr(float(same))
        case spark_types.DecimalType():
            return Decimal(str(value))
        case spark_types.TimestampType() | spark_types.TimestampNTZType():
            utc = value.astimezone(datetime.timezone.utc) if value.tzinfo else value
            return utc.strftime("%Y-%m-%d %H:%M:%S.%f").zfill(26)
        case spark_types.DateType():
            return str(value)[:10]
        case spark_types.BinaryType():
            return bytes(value)
        case _:
            return value


def _entries(value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, dict):
        return list(value.items())
    return [(each["key"], each["value"]) if isinstance(each, dict) else tuple(each) for each in value]
