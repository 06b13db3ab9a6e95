# SPDX-License-Identifier: Apache-2.0
"""Whether each row is there once, by readers that are none of the writers' own: NumPy over the bytes of text,
Arrow over Parquet, delta-rs for which files are a Delta table's, and fastavro for those of an Iceberg table.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from bench.engines.iceberg import live_files
from bench.engines.paths import READERS
from bench.engines.plan import FILLER, FIRST_NUMBER, ROW_BYTES, Contender

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DIGITS = len(str(FIRST_NUMBER))
_LINE_START = np.frombuffer(FILLER.encode("ascii"), dtype=np.uint8)
_PIECE_LINES = 200_000
_POWERS = 10 ** np.arange(_DIGITS - 1, -1, -1, dtype=np.int64)


def require_each_once(contender: Contender, files: Sequence[bytes | Path], rows: int) -> None:
    """Raises `RuntimeError` if the files do not hold the rows from 0 to `rows` once each, whole."""
    read = numbers_of_lines if contender.kind == "text" else numbers_of_parquet
    found = np.sort(np.concatenate([np.empty(0, np.int64), *(read(file) for file in files)]))
    if not np.array_equal(found, np.arange(rows)):
        different = len(np.unique(found))
        raise RuntimeError(
            f"{contender.name}: {len(found):,} rows, {different:,} of them different, and not the {rows:,} "
            f"that were written, in {len(files)} files"
        )


def numbers_of_lines(file: bytes | Path) -> NDArray[np.int64]:
    content = np.frombuffer(file, np.uint8) if isinstance(file, bytes) else np.fromfile(file, np.uint8)
    if len(content) % ROW_BYTES:
        raise RuntimeError(f"{_named(file)}: {len(content):,} bytes are no whole lines of {ROW_BYTES}")
    lines = content.reshape(-1, ROW_BYTES)
    pieces = [lines[at : at + _PIECE_LINES] for at in range(0, len(lines), _PIECE_LINES)]
    return np.concatenate([np.empty(0, np.int64), *(_numbers(piece, _named(file)) for piece in pieces)])


def numbers_of_parquet(file: bytes | Path) -> NDArray[np.int64]:
    table = pq.ParquetFile(io.BytesIO(file) if isinstance(file, bytes) else file).read(["id", "line"])
    numbers: NDArray[np.int64] = table["id"].to_numpy()
    if table.num_rows:
        shown = pc.cast(pc.add(table["id"], FIRST_NUMBER), pa.string())
        lines = pc.binary_join_element_wise(FILLER, shown, "")
        if not pc.all(pc.equal(lines, table["line"])).as_py():
            raise RuntimeError(f"{_named(file)}: a line that is not that of its row")
    return numbers


def files_of_table(contender: Contender, table: Path) -> list[Path]:
    """The files that make up a table: all that are not hidden, or those that the table's log names."""
    if contender.engine == "Delta":
        return [local(uri) for uri in delta_files(str(table), {})]
    if contender.engine == "Iceberg":
        return [local(uri) for uri in live_files(str(table), lambda uri: local(uri).read_bytes())]
    return sorted(file for file in table.iterdir() if file.is_file() and file.name[0] not in "._")


def local(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))


def delta_files(table: str, options: Mapping[str, str]) -> list[str]:
    """The addresses of the files, by delta-rs."""
    if str(READERS) not in sys.path:
        sys.path.append(str(READERS))
    reader: Any = import_module("deltalake")
    uris: list[str] = reader.DeltaTable(table, storage_options=dict(options)).file_uris()
    return uris


def _numbers(lines: NDArray[np.uint8], where: str) -> NDArray[np.int64]:
    digits = lines[:, len(FILLER) : -1]
    whole = (
        bool((lines[:, : len(FILLER)] == _LINE_START).all())
        and bool((lines[:, -1] == ord("\n")).all())
        and bool(((digits >= ord("0")) & (digits <= ord("9"))).all())
    )
    if not whole:
        raise RuntimeError(f"{where} holds bytes that are none of the lines")
    numbers: NDArray[np.int64] = (digits.astype(np.int64) - ord("0")) @ _POWERS - FIRST_NUMBER
    return numbers


def _named(file: bytes | Path) -> str:
    return "a file" if isinstance(file, bytes) else str(file)
