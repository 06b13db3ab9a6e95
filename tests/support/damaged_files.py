# SPDX-License-Identifier: Apache-2.0
"""Damaged files of every format and compression, and the rows that other readers find in them.

Each row has a number that no other row of the format has, so that one query reads all files. A reader may
return rows that no writer wrote, from damaged bytes without a checksum. Such rows do not count.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import io
import json
import random
import subprocess
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import cramjam
import fastavro
import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
import zstandard

if TYPE_CHECKING:
    from pathlib import Path

Row = tuple[int, str]
Members = list[bytes]

LINES = 600
RECORDS = 3000
_GROUP = 500
_AVRO = {
    "type": "record",
    "name": "r",
    "fields": [{"name": "id", "type": "long"}, {"name": "word", "type": "string"}],
}


@dataclass(frozen=True, slots=True)
class Damaged:
    """A damaged file.

    Args:
        rows: the rows that were written.
        data: the damaged bytes.
        others: the number of these rows that a reader outside of the JVM returns.
    """

    name: str
    rows: frozenset[Row]
    data: bytes
    others: int


def _patched(whole: bytes, by: bytes, share: float = 0.5) -> bytes:
    at = int(len(whole) * share)
    return (whole[:at] + by + whole[at + len(by) :])[: len(whole)]


def _of_all(damage: Callable[[bytes], bytes]) -> Callable[[Members], bytes]:
    return lambda members: damage(b"".join(members))


DAMAGE: dict[str, Callable[[Members], bytes]] = {
    "without its last 9 bytes": _of_all(lambda whole: whole[:-9]),
    "without its last 6 bytes": _of_all(lambda whole: whole[:-6]),
    "cut at two thirds": _of_all(lambda whole: whole[: 2 * len(whole) // 3]),
    "cut in its head": _of_all(lambda whole: whole[:5]),
    "with another byte amid": _of_all(lambda whole: _patched(whole, b"\x55")),
    "with zero bytes amid": _of_all(lambda whole: _patched(whole, bytes(200))),
    "with other bytes near its start": _of_all(lambda whole: _patched(whole, b"\xff" * 30, share=0.1)),
    "with another checksum in its second member": lambda members: (
        members[0] + members[1][:-6] + b"\x55\x55" + members[1][-4:] + b"".join(members[2:])
        if len(members) > 1
        else _patched(members[0], b"\x55\x55", share=0.3)
    ),
    "padded by zero bytes": _of_all(lambda whole: whole + bytes(512)),
    "with foreign bytes at its end": _of_all(lambda whole: whole + b"garbage!" * 10),
    "with another last byte": _of_all(lambda whole: whole[:-1] + bytes([whole[-1] ^ 0x7F])),
}


def _hadoop(compress: Callable[[bytes], Any]) -> Callable[[bytes], bytes]:
    """Returns Hadoop's frames of blocks: the length of the block, the length of its compressed form."""

    def framed(data: bytes) -> bytes:
        out = b""
        for at in range(0, len(data), 2000):
            block = data[at : at + 2000]
            packed = bytes(compress(block))
            out += len(block).to_bytes(4, "big") + len(packed).to_bytes(4, "big") + packed
        return out

    return framed


COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".deflate": zlib.compress,
    ".zst": lambda data: zstandard.ZstdCompressor(write_checksum=True).compress(data),
    ".lz4": _hadoop(lambda block: cramjam.lz4.compress_block(block, store_size=False)),
    ".snappy": _hadoop(cramjam.snappy.compress_raw),
}
"""By suffix."""

LINE: dict[str, Callable[[Row], str]] = {
    "text": lambda row: f"{row[0]},{row[1]}",
    "csv": lambda row: f"{row[0]},{row[1]}",
    "json": lambda row: json.dumps({"id": row[0], "word": row[1]}),
}
"""The formats of lines."""

CODECS: dict[str, tuple[str, ...]] = {
    "parquet": ("none", "snappy", "gzip", "zstd"),
    "orc": ("uncompressed", "zlib", "snappy", "zstd"),
    "avro": ("null", "deflate", "snappy"),
}
"""The formats of blocks."""


def row_of_line(line: str) -> Row | None:
    """Returns the row of a line of text; `None` for damaged text."""
    number, _, word = line.partition(",")
    return (int(number), word) if number.isascii() and number.isdigit() else None


def damaged(form: str, seed: int) -> Iterator[Damaged]:
    """All files of a format: each damage with each compression."""
    numbers = random.Random(f"{form} {seed}")
    first = 0
    for codec in COMPRESS if form in LINE else CODECS[form]:
        for kind, damage in DAMAGE.items():
            count = LINES if form in LINE else RECORDS
            rows = [(first + number, f"{numbers.getrandbits(128):032x}") for number in range(count)]
            first += count
            members = _lines(form, codec, rows) if form in LINE else [_blocks(form, codec, rows)]
            data = damage(members)
            found = _by_decoder(form, codec, data) if form in LINE else _by_library(form, data)
            name = (
                f"{codec.lstrip('.') or 'plain'} {kind}".replace(" ", "-")
                + f".{form}{codec if form in LINE else ''}"
            )
            if codec == "snappy" and form == "avro" and not found <= set(rows):
                found = set()  # fastavro does not compare the checksums of these blocks
            yield Damaged(name, frozenset(rows), data, len(found & set(rows)))


def _lines(form: str, suffix: str, rows: list[Row]) -> Members:
    texts = "".join(f"{LINE[form](row)}\n" for row in rows).encode()
    thirds = [texts[len(texts) * i // 3 : len(texts) * (i + 1) // 3] for i in range(3)]
    if suffix == ".deflate":  # the format has no members
        return [COMPRESS[suffix](texts)]
    return [COMPRESS[suffix](third) for third in thirds]


def _blocks(form: str, codec: str, rows: list[Row]) -> bytes:
    out = io.BytesIO()
    if form == "avro":
        fastavro.writer(
            out,
            _AVRO,
            [{"id": number, "word": word} for number, word in rows],
            codec=codec,
            sync_interval=16_000,
        )
    else:
        table = pa.table({"id": [number for number, _ in rows], "word": [word for _, word in rows]})
        if form == "parquet":
            pq.write_table(table, out, row_group_size=_GROUP, compression=codec, data_page_size=4000)
        else:
            pyarrow.orc.write_table(
                table, out, compression=codec, stripe_size=16_000, batch_size=_GROUP, row_index_stride=_GROUP
            )
    return out.getvalue()


def _by_decoder(form: str, suffix: str, data: bytes) -> set[Row]:
    """Returns the rows of the whole lines that a decoder outside of the JVM returns before the damage."""
    text = _decoded(suffix, data).decode(errors="replace")
    rows = set()
    for line in text.split("\n")[:-1]:
        try:
            row = row_of_line(line) if form != "json" else _row_of_json(line)
        except ValueError:
            row = None
        if row is not None:
            rows.add(row)
    return rows


def _row_of_json(line: str) -> Row:
    value = json.loads(line)
    return (
        (value["id"], value["word"])
        if isinstance(value, dict) and {"id", "word"} <= value.keys()
        else (-1, "")
    )


def _decoded(suffix: str, data: bytes) -> bytes:
    if suffix == "":
        return data
    if suffix == ".gz":
        return subprocess.run(["gzip", "-dc"], input=data, capture_output=True, check=False).stdout
    if suffix in (".lz4", ".snappy"):
        return _unframed(suffix, data)
    new: Callable[[], Any] = {
        ".bz2": bz2.BZ2Decompressor,
        ".deflate": zlib.decompressobj,
        ".zst": lambda: zstandard.ZstdDecompressor().decompressobj(),
    }[suffix]
    reader, out = new(), b""
    for at in range(len(data)):  # a library drops the bytes that the failing call has decoded
        try:
            out += reader.decompress(data[at : at + 1])
        except (OSError, zlib.error, zstandard.ZstdError, EOFError):
            break
        if reader.eof:
            if suffix == ".deflate":
                break
            reader = new()
    return out


def _unframed(suffix: str, data: bytes) -> bytes:
    out, at = b"", 0
    while at + 8 <= len(data):
        raw, packed = (int.from_bytes(data[at + i : at + i + 4], "big") for i in (0, 4))
        block = data[at + 8 : at + 8 + packed]
        if len(block) < packed or not 0 < raw <= 2000:
            break
        try:
            if suffix == ".lz4":
                out += bytes(cramjam.lz4.decompress_block(block, output_len=raw))
            else:
                out += bytes(cramjam.snappy.decompress_raw(block))
        except cramjam.DecompressionError:
            break
        at += 8 + packed
    return out


def _by_library(form: str, data: bytes) -> set[Row]:
    """Returns the rows of the row groups, stripes or blocks that pyarrow or fastavro can read."""
    rows: set[Row] = set()
    with contextlib.suppress(Exception):  # any failure of a library means that it reads no more
        for batch in _avro_blocks(data) if form == "avro" else _groups(form, data):
            rows.update(batch)
    return rows


def _avro_blocks(data: bytes) -> Iterator[list[Row]]:
    for record in fastavro.reader(io.BytesIO(data)):
        yield [(record["id"], record["word"])]


def _groups(form: str, data: bytes) -> Iterator[list[Row]]:
    if form == "parquet":
        file = pq.ParquetFile(io.BytesIO(data))
        count, read = file.metadata.num_row_groups, file.read_row_group
    else:
        stripes = pyarrow.orc.ORCFile(io.BytesIO(data))
        count, read = stripes.nstripes, stripes.read_stripe
    for number in range(count):
        try:
            group = read(number)
            yield list(zip(group.column("id").to_pylist(), group.column("word").to_pylist(), strict=True))
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            continue


def written(form: str, seed: int, folder: Path) -> list[Damaged]:
    """Writes all files of a format to a folder."""
    folder.mkdir(parents=True)
    files = list(damaged(form, seed))
    for file in files:
        (folder / file.name).write_bytes(file.data)
    return files
