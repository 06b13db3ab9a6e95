"""Finished files as a stranger sees them: plain Python, no log, no Spark."""

from __future__ import annotations

import bz2
import gzip
import json
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

_NAME = re.compile(r"part-[0-9a-f]{12}-m?\d+(\.\w+)*")


def files(path: Path) -> list[Path]:
    """Every file that a reader of the directory would match: no hidden one, none below a hidden directory."""
    found = (file for file in path.rglob("*") if file.is_file())
    return sorted(file for file in found if not _is_hidden(file.relative_to(path).parts))


def lines(path: Path) -> list[str]:
    return [line for file in files(path) for line in content(file).decode().splitlines()]


def rows(path: Path) -> list[str]:
    """The column `value` of all parts, compressed or not."""
    return [row for file in files(path) for row in _rows(file)]


def content(file: Path) -> bytes:
    """What the file holds once it is decompressed, all of its members."""
    opened = _OPENERS.get(file.suffix)
    return opened(file) if opened else file.read_bytes()


def assert_each_once(path: Path, expected: Iterable[str]) -> None:
    """These rows, each once, in files that are named as parts and not empty, and nothing else."""
    _assert_parts(path)
    found, wanted = Counter(rows(path)), Counter(expected)
    missing, surplus = wanted - found, found - wanted
    difference = (
        f"{missing.total()} missing {sorted(missing)[:5]}, {surplus.total()} too many {sorted(surplus)[:5]}"
    )
    assert found == wanted, difference


def assert_none_twice(path: Path, written: Iterable[str]) -> None:
    """Some of these rows, none twice: what must hold at any moment."""
    _assert_parts(path)
    surplus = Counter(rows(path)) - Counter(written)
    assert not surplus, f"{surplus.total()} too many {sorted(surplus)[:5]}"


def _assert_parts(path: Path) -> None:
    for file in files(path):
        assert _NAME.fullmatch(file.name), f"{file} is visible and not a part"
        assert file.stat().st_size > 0, f"{file} is empty"


def _rows(file: Path) -> list[str]:
    if file.suffix in _TABLES:
        return _TABLES[file.suffix](file)
    found = content(file).decode().splitlines()
    return [json.loads(line)["value"] for line in found] if ".json" in file.suffixes else found


def _is_hidden(parts: tuple[str, ...]) -> bool:
    return any(part.startswith(("_", ".")) for part in parts)


def _unzstd(file: Path) -> bytes:
    import zstandard

    with file.open("rb") as stream:
        return zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True).read()


def _parquet(file: Path) -> list[str]:
    import pyarrow.parquet

    return pyarrow.parquet.ParquetFile(file).read().column("value").to_pylist()


def _orc(file: Path) -> list[str]:
    import pyarrow.orc

    return pyarrow.orc.ORCFile(file).read().column("value").to_pylist()


def _avro(file: Path) -> list[str]:
    import fastavro

    with file.open("rb") as stream:
        return [record["value"] for record in fastavro.reader(stream)]


_TABLES: dict[str, Callable[[Path], list[str]]] = {".parquet": _parquet, ".orc": _orc, ".avro": _avro}

_OPENERS: dict[str, Callable[[Path], bytes]] = {
    ".gz": lambda file: gzip.decompress(file.read_bytes()),
    ".bz2": lambda file: bz2.decompress(file.read_bytes()),
    ".zst": _unzstd,
}
