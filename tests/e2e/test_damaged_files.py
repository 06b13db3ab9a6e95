# SPDX-License-Identifier: Apache-2.0
"""Damaged files: every row that another reader can read is read, with and without limits."""

from __future__ import annotations

import bz2
import gzip
import random
import subprocess
import zlib
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.rejections import assert_rejected

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession

_RANDOM = random.Random(43)
LINES = [f"{number},{_RANDOM.getrandbits(128):032x}" for number in range(2000)]
TEXT = "".join(f"{line}\n" for line in LINES).encode()
THIRDS = [TEXT[: len(TEXT) // 3], TEXT[len(TEXT) // 3 : 2 * len(TEXT) // 3], TEXT[2 * len(TEXT) // 3 :]]
LIMITS = [{}, {"maxRowsPerTrigger": "300"}, {"maxBytesPerTrigger": "10k"}]

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "deflate": zlib.compress,
}

DAMAGE: dict[str, Callable[[list[bytes]], bytes]] = {
    "without its last 9 bytes": lambda members: b"".join(members)[:-9],
    "without 6 bytes of its trailer": lambda members: b"".join(members)[:-6],
    "cut at two thirds": lambda members: b"".join(members)[: 2 * len(b"".join(members)) // 3],
    "cut in its head": lambda members: members[0][:5],
    "with another byte amid": lambda members: _patched(b"".join(members), b"\x55"),
    "with zero bytes amid": lambda members: _patched(b"".join(members), bytes(200)),
    "with another checksum in its second member": lambda members: (
        members[0] + members[1][:-6] + b"\x55\x55" + members[1][-4:] + members[2]
    ),
    "padded by zero bytes": lambda members: b"".join(members) + bytes(512),
    "with foreign bytes at its end": lambda members: b"".join(members) + b"garbage!" * 10,
    "with another last byte": lambda members: b"".join(members)[:-1] + b"\x7f",
}


def _patched(whole: bytes, by: bytes) -> bytes:
    return whole[: len(whole) // 2] + by + whole[len(whole) // 2 + len(by) :]


def _by_others(suffix: str, data: bytes) -> list[str]:
    """Returns the whole lines that a program or a library outside of the JVM reads before the damage."""
    if suffix == "gz":
        out = subprocess.run(["gzip", "-dc"], input=data, capture_output=True, check=False).stdout
    else:
        reader = bz2.BZ2Decompressor() if suffix == "bz2" else zlib.decompressobj()
        out = b""
        for at in range(len(data)):  # a library drops what the failing call has decoded
            try:
                out += reader.decompress(data[at : at + 1])
            except (OSError, zlib.error, EOFError):
                break
            if reader.eof:
                break
    return out.decode(errors="replace").split("\n")[:-1]


def _read(spark: SparkSession, place: Path, name: str, limit: dict[str, str]) -> list[str]:
    """Reads a file as a stream that leaves out what cannot be read."""
    query = (
        spark.readStream.format("stoplog")
        .schema("value STRING")
        .options(format="text", onCorrupt="quarantine", quarantinePath=str(place / f"notes-{name}"), **limit)
        .load(str(place / "in"))
        .writeStream.format("memory")
        .queryName(f"damaged_{name}")
        .option("checkpointLocation", str(place / f"checkpoint-{name}"))
        .trigger(availableNow=True)
        .start()
    )
    query.awaitTermination()
    return [row.value for row in spark.table(f"damaged_{name}").collect()]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("suffix", COMPRESS)
def test_a_damaged_file_gives_all_rows_of_other_readers(
    spark: SparkSession, tmp_path: Path, suffix: str, damage: str
) -> None:
    members = [COMPRESS[suffix](third) for third in THIRDS]
    data = DAMAGE[damage](members)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / f"a.txt.{suffix}").write_bytes(data)
    expected = _by_others(suffix, data)
    found = [_read(spark, tmp_path, str(number), limit) for number, limit in enumerate(LIMITS)]
    assert found[1] == found[0]
    assert found[2] == found[0]
    assert found[0][: len(expected)] == expected


def test_small_files_with_a_damaged_trailer_give_their_rows(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(20):
        data = gzip.compress(f"row {number}\n".encode())
        (tmp_path / "in" / f"{number}.gz").write_bytes(data[:-6] if number % 2 else data)
    assert sorted(_read(spark, tmp_path, "small", {})) == sorted(f"row {number}" for number in range(20))


def test_a_damaged_row_group_leaves_the_others(spark: SparkSession, tmp_path: Path) -> None:
    table = pa.table({"id": range(40000), "word": [f"{_RANDOM.getrandbits(128):032x}" for _ in range(40000)]})
    file = tmp_path / "in" / "a.parquet"
    file.parent.mkdir()
    pq.write_table(table, file, row_group_size=5000)
    group = pq.ParquetFile(file).metadata.row_group(4).column(1)
    begin = group.dictionary_page_offset or group.data_page_offset
    data = file.read_bytes()
    file.write_bytes(data[:begin] + b"\xff" * 2000 + data[begin + 2000 :])
    options = {"format": "parquet", "onCorrupt": "quarantine", "quarantinePath": str(tmp_path / "notes")}
    rows = (
        spark.read.format("stoplog")
        .schema("id BIGINT, word STRING")
        .options(**options)
        .load(str(file.parent))
    )
    assert sorted(row.id for row in rows.collect()) == [
        number for number in range(40000) if number // 5000 != 4
    ]


def test_a_missing_codec_ends_the_query_and_quarantines_nothing(spark: SparkSession, tmp_path: Path) -> None:
    file = tmp_path / "in" / "a.parquet"
    file.parent.mkdir()
    pq.write_table(pa.table({"id": range(10)}), file, compression="brotli")
    notes = tmp_path / "notes"
    options = {"format": "parquet", "onCorrupt": "quarantine", "quarantinePath": str(notes)}
    rows = spark.read.format("stoplog").schema("id BIGINT").options(**options).load(str(file.parent))
    assert_rejected(rows.collect, "STOPLOG_SOURCE_FILE_SETTINGS", "class path")
    assert not notes.exists() or not list(notes.iterdir())
