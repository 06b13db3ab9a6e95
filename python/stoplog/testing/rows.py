# SPDX-License-Identifier: Apache-2.0
"""Finished files as any reader of the directory sees them: plain Python, no log, no Spark.

A reader is a function from a file to its rows; `stoplog_pipeline` takes one as its argument `reader`.
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

from stoplog._storage.local import LocalStorage

Row: TypeAlias = str | Mapping[str, Any] | Sequence[Any]
"""A line of text, or columns by name, or columns in order."""

Reader: TypeAlias = Callable[[Path], Iterable[Row]]


def files(directory: Path) -> list[Path]:
    """Every file that a reader of the directory finds: no hidden one, none below a hidden directory."""
    # Not by `rglob`, which fails when a query deletes a directory under it.
    found = LocalStorage(str(directory)).files(enter=_is_shown)
    return sorted(directory / file.path for file in found if _is_shown(file.path))


def by_suffix(file: Path) -> Iterable[Row]:
    """The rows by the first known suffix of the name; lines of text if there is none."""
    for suffix in file.suffixes:
        if suffix in _READERS:
            return _READERS[suffix](file)
    return lines(file)


def lines(file: Path) -> list[str]:
    """The lines of a text, each without its end."""
    return [line.rstrip("\n") for line in _text(file)]


def json_records(file: Path) -> list[Row]:
    """The JSON values of a file, one on each line."""
    return [json.loads(line) for line in _text(file)]


def csv_rows(file: Path) -> list[Row]:
    """The rows of a CSV file as tuples of strings; a header would be a row as well."""
    return [tuple(row) for row in csv.reader(_text(file))]


def csv_records(file: Path) -> list[Row]:
    """The rows of a CSV file as dicts of strings, by the names in its first line."""
    return list(csv.DictReader(_text(file)))


def parquet(file: Path) -> list[Row]:
    """The rows of a Parquet file as dicts. Needs pyarrow."""
    from pyarrow import parquet

    return list(parquet.ParquetFile(file).read().to_pylist())


def orc(file: Path) -> list[Row]:
    """The rows of an ORC file as dicts. Needs pyarrow."""
    from pyarrow import orc

    return list(orc.ORCFile(file).read().to_pylist())


def avro(file: Path) -> list[Row]:
    """The records of an Avro file, mostly dicts. Needs fastavro."""
    import fastavro

    with file.open("rb") as stream:
        found: list[Any] = list(fastavro.reader(stream))
    return found


def content(file: Path) -> bytes:
    """The bytes of the file once it is decompressed, all of its members.

    Raises:
        ValueError: Python's own library cannot decompress it.
    """
    if file.suffix in _UNKNOWN:
        raise ValueError(
            f"{file} is compressed with what Python has no library for. "
            "Give stoplog_pipeline a reader=… of yours."
        )
    opened = _OPENERS.get(file.suffix)
    return opened(file) if opened else file.read_bytes()


def _text(file: Path) -> io.StringIO:
    # Lines end where Spark's reader ends them, and not at each character that Unicode calls a line's end.
    return io.StringIO(content(file).decode(), newline=None)


def _is_shown(path: str) -> bool:
    """True for a name that readers see; the walk has asked for the directories above it."""
    return not path.rpartition("/")[2].startswith(("_", "."))


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
