# SPDX-License-Identifier: Apache-2.0
"""Finished files, read without Spark."""

from __future__ import annotations

import bz2
import gzip
import os
from pathlib import Path
from typing import Any

import pytest

from stoplog.testing.rows import by_suffix, csv_records, files


def written(folder: Path, name: str, content: bytes) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return file


@pytest.mark.parametrize(
    ("name", "content", "rows"),
    [
        ("part-1.txt", "a\r\nb\n\u2028c".encode(), ["a", "b", "\u2028c"]),
        ("part-1", b"a\n\nb\n", ["a", "", "b"]),
        ("part-1.json", b'{"id": 1}\n{"id": 2}\n', [{"id": 1}, {"id": 2}]),
        (
            "part-1.json.gz",
            gzip.compress(b'{"id": 1}\n', mtime=0) + gzip.compress(b"2\n", mtime=0),
            [{"id": 1}, 2],
        ),
        ("part-1.txt.bz2", bz2.compress(b"a\n"), ["a"]),
        ("part-1.csv", b'1,"a,b"\n2,c\n', [("1", "a,b"), ("2", "c")]),
    ],
)
def test_the_suffix_selects_the_reader(tmp_path: Path, name: str, content: bytes, rows: list[object]) -> None:
    assert by_suffix(written(tmp_path, name, content)) == rows


def test_csv_with_a_header_has_named_columns(tmp_path: Path) -> None:
    assert csv_records(written(tmp_path, "part-1.csv", b"id,name\n1,ant\n")) == [{"id": "1", "name": "ant"}]


def test_parquet_and_orc_are_read_by_suffix(tmp_path: Path) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import orc, parquet

    table = pyarrow.table({"id": [1, 2]})
    parquet.write_table(table, tmp_path / "part-1.parquet")
    orc.write_table(table, str(tmp_path / "part-1.orc"))
    for suffix in ("parquet", "orc"):
        assert by_suffix(tmp_path / f"part-1.{suffix}") == [{"id": 1}, {"id": 2}]


def test_avro_is_read_by_suffix(tmp_path: Path) -> None:
    fastavro = pytest.importorskip("fastavro")
    schema = {"type": "record", "name": "r", "fields": [{"name": "id", "type": "long"}]}
    with (tmp_path / "part-1.avro").open("wb") as out:
        fastavro.writer(out, schema, [{"id": 1}])
    assert by_suffix(tmp_path / "part-1.avro") == [{"id": 1}]


def test_a_codec_without_support_in_python_needs_a_reader(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="reader="):
        by_suffix(written(tmp_path, "part-1.txt.lz4", b""))


def test_hidden_files_are_skipped(tmp_path: Path) -> None:
    shown = written(tmp_path, "k=1/part-1.txt", b"")
    for hidden in ("_SUCCESS", "k=1/.part-2.txt", "_stoplog/main/log/1.json", ".tmp/part-3.txt"):
        written(tmp_path, hidden, b"")
    assert files(tmp_path) == [shown]


def test_the_same_names_are_hidden_as_by_spark(tmp_path: Path) -> None:
    shown = written(tmp_path, "_region=eu/part-1.txt", b"")
    for hidden in ("_region=eu/part-2.txt._COPYING_", "_region/part-3.txt"):
        written(tmp_path, hidden, b"")
    assert files(tmp_path) == [shown]


def test_a_directory_deleted_meanwhile_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = written(tmp_path, "a/part-1.txt", b"")
    (tmp_path / "b").mkdir()
    delete_when_it_is_looked_into(tmp_path / "b", monkeypatch)
    assert files(tmp_path) == [shown]
    assert not (tmp_path / "b").exists()


def delete_when_it_is_looked_into(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a query does at some moment between the look at its parent and the look into it."""
    scandir: Any = os.scandir

    def late(path: Any) -> Any:
        if str(path) == str(folder):
            folder.rmdir()
        return scandir(path)

    monkeypatch.setattr(os, "scandir", late)
