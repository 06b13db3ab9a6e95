# SPDX-License-Identifier: Apache-2.0
"""The laws of functions: good examples keep them, and each wrong example breaks the law that it should."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from stoplog import Encoder, StreamFormat
from stoplog.testing import LawBroken, check_encoder, check_stream_format

ROWS = pa.RecordBatch.from_pydict({"id": list(range(10))})
RECORD = "<qi"
SIZE = struct.calcsize(RECORD)
DATA = b"".join(struct.pack(RECORD, n, 2 * n) for n in range(8))
LINES = "".join(f"line {n}\n" for n in range(8)).encode()


def numbers(data: bytes) -> list[int]:
    return [int(data[at : at + 4]) for at in range(0, len(data), 4)]


def fixed_width(batch: pa.RecordBatch) -> list[bytes]:
    return [b"%04d" % number for number in batch.column("id").to_pylist()]


def arrow_stream(batch: pa.RecordBatch) -> bytes:
    out = pa.BufferOutputStream()
    with pa.ipc.new_stream(out, batch.schema) as stream:
        stream.write_batch(batch)
    return out.getvalue().to_pybytes()  # type: ignore[no-any-return]


def arrow_rows(data: bytes) -> list[Any]:
    file, found = io.BytesIO(data), []
    while file.tell() < len(data):
        found += pa.ipc.open_stream(file).read_all().to_pylist()
    return found


def test_good_encoders_keep_the_laws() -> None:
    check_encoder(fixed_width, ROWS, numbers)
    check_encoder(Encoder.from_function(fixed_width), pa.Table.from_batches([ROWS, ROWS]), numbers)
    check_encoder(arrow_stream, ROWS, arrow_rows)


def with_header(batch: pa.RecordBatch) -> bytes:
    return b"head" + b"".join(fixed_width(batch))


def after_header(data: bytes) -> list[int]:
    return numbers(data[4:])


class Counting:
    """Numbers its calls."""

    calls = 0

    def __call__(self, batch: pa.RecordBatch) -> list[bytes]:
        self.calls += 1
        return [b"%04d" % self.calls for _ in range(batch.num_rows)]


def arrow_file(batch: pa.RecordBatch) -> bytes:
    out = pa.BufferOutputStream()
    with pa.ipc.new_file(out, batch.schema) as file:
        file.write_batch(batch)
    return out.getvalue().to_pybytes()  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("encoder", "decode", "law"),
    [
        (with_header, after_header, "concatenable"),
        (arrow_file, lambda data: pa.ipc.open_file(data).read_all().to_pylist(), "concatenable"),
        (Counting(), numbers, "repeatable"),
        (
            lambda batch: [b"%04d" % (hash(str(n)) % 10000) for n in batch.column("id").to_pylist()],
            numbers,
            "repeatable",
        ),
        (lambda batch: fixed_width(batch)[:3], numbers, "result"),
        (lambda batch: None, numbers, "result"),
        (lambda batch: [f"{n:04}" for n in batch.column("id").to_pylist()], numbers, "result"),
        (lambda batch: b"".join(fixed_width(batch)[1:]), numbers, "decodable"),
        (lambda batch: [b"%d" % n for n in batch.column("id").to_pylist()], numbers, "decodable"),
    ],
)
def test_wrong_encoders_break_a_law(encoder: Any, decode: Callable[[bytes], Any], law: str) -> None:
    with pytest.raises(LawBroken) as caught:
        check_encoder(encoder, ROWS, decode)
    assert caught.value.law == law, str(caught.value)


def records(file: Any, part: Any) -> Iterator[pa.Table]:
    file.read(-part.start % SIZE)
    at = part.start - part.start % -SIZE
    while at < part.end:
        n, twice = struct.unpack(RECORD, file.read(SIZE))
        yield pa.table({"n": [n], "twice": pa.array([twice], pa.int32())})
        at += SIZE


def lines(file: Any, part: Any) -> Iterator[pa.Table]:
    at = part.start + (len(file.readline()) if part.start else 0)
    while at <= part.end if part.start or part.end < part.size else at < part.size:
        line = file.readline()
        if not line:
            return
        yield pa.table({"line": [line]})
        at += len(line)


SCHEMA = StructType([StructField("n", LongType()), StructField("twice", IntegerType())])


def test_good_readers_keep_the_laws(tmp_path: Path) -> None:
    check_stream_format(records, [DATA])
    check_stream_format(StreamFormat.from_reader(records, SCHEMA, max_record_size="1k"), [DATA, b""])
    check_stream_format(StreamFormat.from_reader(records, "n bigint, twice int", "random"), [DATA])
    (tmp_path / "lines").write_bytes(LINES)
    check_stream_format(
        StreamFormat.from_reader(lines, "line binary", max_record_size="1k"), [tmp_path / "lines"]
    )


def forgets_its_position(file: Any, part: Any) -> Iterator[pa.Table]:
    while len(record := file.read(SIZE)) == SIZE:
        n, twice = struct.unpack(RECORD, record)
        yield pa.table({"n": [n], "twice": [twice]})


def reads_one_portion(file: Any, part: Any) -> Iterator[pa.Table]:
    for n, _ in struct.iter_unpack(RECORD, file.read1(SIZE * 5)):
        yield pa.table({"n": [n]})


def forgets_a_field(file: Any, part: Any) -> Iterator[pa.Table]:
    yield pa.table({"buyer": [{"name": str(file.read())}]})


BUYERS = StructType([StructField("buyer", SCHEMA)])


class Once:
    """Returns rows in the first call only."""

    done = False

    def __call__(self, file: Any, part: Any) -> list[pa.Table]:
        found = [] if self.done else [pa.table({"n": [1]})]
        self.done = True
        return found


@pytest.mark.parametrize(
    ("reader", "law"),
    [
        (StreamFormat.from_reader(forgets_its_position, "n bigint", max_record_size="1k"), "pieces"),
        (reads_one_portion, "portions"),
        (Once(), "repeatable"),
        (lambda file, part: [pa.table({"n": [hash(str(file.read())) % 1000003]})], "repeatable"),
        (lambda file, part: None, "result"),
        (lambda file, part: [{"n": 1}], "result"),
        (StreamFormat.from_reader(lines, SCHEMA), "result"),
        (StreamFormat.from_reader(forgets_a_field, BUYERS), "result"),
    ],
)
def test_wrong_readers_break_a_law(reader: Any, law: str) -> None:
    with pytest.raises(LawBroken) as caught:
        check_stream_format(reader, [DATA])
    assert caught.value.law == law, str(caught.value)


def test_the_laws_need_functions() -> None:
    with pytest.raises(TypeError, match=r"an encoder of Encoder\.from_function"):
        check_encoder(Encoder.json(), ROWS, numbers)
    with pytest.raises(TypeError, match=r"a format of StreamFormat\.from_reader"):
        check_stream_format(StreamFormat.json(), [])
    with pytest.raises(ValueError, match="at least two rows"):
        check_encoder(fixed_width, ROWS.slice(0, 1), numbers)
