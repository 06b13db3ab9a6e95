# SPDX-License-Identifier: Apache-2.0
"""The codecs of each format, and how a reader that knows neither Spark nor stoplog unpacks them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import fastavro
import pyarrow
import pyarrow.orc
import pyarrow.parquet

if TYPE_CHECKING:
    from pathlib import Path

_LINES = ("none", "gzip", "bzip2", "lz4", "snappy")

CODECS: dict[str, tuple[str, ...]] = {
    "text": _LINES,
    "json": _LINES,
    "csv": _LINES,
    "parquet": ("none", "uncompressed", "snappy", "gzip", "lz4", "lz4_raw", "zstd", "brotli", "lzo"),
    "orc": ("none", "snappy", "zlib", "zstd", "lz4", "lzo", "brotli"),
    "avro": ("uncompressed", "deflate", "snappy", "bzip2", "xz", "zstandard"),
}
"""By format, all that Spark's own sink of it knows."""

READ_ALONE = {("json", "deflate"), ("csv", "deflate"), ("text", "deflate")}
"""Written by Spark, and read here; not written here, because no other reader knows such files."""

WRITTEN_ALONE = {("json", "zstd"), ("csv", "zstd"), ("text", "zstd")}
"""Read by Spark, whose own sink does not write it."""

HADOOPS = {"lz4", "snappy"}
"""Of lines: framed as Hadoop does it, which pyarrow does not read."""


def is_readable_by_others(form: str, codec: str) -> bool:
    """Whether the library that `rows_by_others` uses knows the codec."""
    return not (form in {"text", "json", "csv"} and codec in HADOOPS) and (form, codec) not in {
        ("orc", "lzo"),
        ("parquet", "lz4"),
        ("avro", "zstandard"),
    }


def rows_by_others(form: str, file: Path) -> int:
    """How many rows pyarrow or fastavro finds in the file."""
    match form:
        case "parquet":
            return int(pyarrow.parquet.ParquetFile(file).read().num_rows)
        case "orc":
            return int(pyarrow.orc.ORCFile(file).read().num_rows)
        case "avro":
            with file.open("rb") as stream:
                return sum(1 for _ in fastavro.reader(stream))
        case _:
            with pyarrow.input_stream(file, compression="detect") as stream:
                return int(stream.read().count(b"\n"))
