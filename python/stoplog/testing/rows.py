# SPDX-License-Identifier: Apache-2.0
"""Reads finished files like any reader of the directory: plain Python, without the log and Spark.

A reader is a function from a file to its rows; `stoplog_pipeline` accepts a reader as its argument `reader`.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from stoplog._log.paths import hides
from stoplog._storage.local import LocalStorage

Row: TypeAlias = str | Mapping[str, Any] | Sequence[Any]
"""A line of text, columns by name, or columns in order."""

Reader: TypeAlias = Callable[[Path], Iterable[Row]]


def files(directory: Path) -> list[Path]:
    """Returns all files that a reader of the directory finds, without hidden files and directories."""
    # Not by `rglob`, which fails when a query deletes a directory during the walk.
    found = LocalStorage(str(directory)).files(enter=_is_shown)
    return sorted(directory / file.path for file in found if _is_shown(file.path))


def by_suffix(file: Path) -> Iterable[Row]:
    """Reads the rows by the first known suffix of the name; reads lines of text without such a suffix."""
    for suffix in file.suffixes:
        if suffix in _READERS:
            return _READERS[suffix](file)
    return lines(file)


def lines(file: Path) -> list[str]:
    """Returns the lines of a text, without line ends."""
    return [line.rstrip("\n") for line in _text(file)]


def json_records(file: Path) -> list[Row]:
    """Returns the JSON values of a file, one for each line."""
    return [json.loads(line) for line in _text(file)]


def csv_rows(file: Path) -> list[Row]:
    """Returns the rows of a CSV file as tuples of strings; a header is also returned as a row."""
    return [tuple(row) for row in csv.reader(_text(file))]


def csv_records(file: Path) -> list[Row]:
    """Returns the rows of a CSV file as dicts of strings, by the names in the first line."""
    return list(csv.DictReader(_text(file)))


def parquet(file: Path) -> list[Row]:
    """Returns the rows of a Parquet file as dicts. Needs pyarrow."""
    from pyarrow import parquet

    return list(parquet.ParquetFile(file).read().to_pylist())


def orc(file: Path) -> list[Row]:
    """Returns the rows of an ORC file as dicts. Needs pyarrow."""
    from pyarrow import orc

    return list(orc.ORCFile(file).read().to_pylist())


def avro(file: Path) -> list[Row]:
    """Returns the records of an Avro file, mostly dicts. Needs fastavro."""
    import fastavro

    with file.open("rb") as stream:
        found: list[Any] = list(fastavro.reader(stream))
    return found


def content(file: Path) -> bytes:
    """Returns the decompressed bytes of all members of a file.

    Raises:
        ValueError: Python's standard library cannot decompress the file.
    """
    if file.suffix in _UNKNOWN:
        raise ValueError(
            f"Python has no library for the compression of {file}. "
            "Pass a custom reader=… to stoplog_pipeline."
        )
    opened = _OPENERS.get(file.suffix)
    return opened(file) if opened else file.read_bytes()


def _text(file: Path) -> io.StringIO:
    # Splits lines like Spark's reader, not at all line breaks of Unicode.
    return io.StringIO(content(file).decode(), newline=None)


def _is_shown(path: str) -> bool:
    """Returns true if readers see the name; the walk has checked the parent directories."""
    return not hides(path.rpartition("/")[2])


def _unzstd(file: Path) -> bytes:
    import zstandard

    with file.open("rb") as stream:
        return zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True).read()


_READERS: dict[str, Reader] = {
    ".json": json_records,
    ".csv": csv_rows,
    ".parquet": parquet,
    ".orc": orc,
    ".avro": avro,
}

_OPENERS: dict[str, Callable[[Path], bytes]] = {
    ".gz": lambda file: gzip.decompress(file.read_bytes()),
    ".bz2": lambda file: bz2.decompress(file.read_bytes()),
    ".zst": _unzstd,
}
_UNKNOWN = {".lz4", ".snappy", ".sz"}
