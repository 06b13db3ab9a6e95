# SPDX-License-Identifier: Apache-2.0
"""The laws of encoder functions and of functions that read files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoplog._functions.code import UserCode
from stoplog._functions.encode import encoded
from stoplog._functions.read import FilePart, Reading
from stoplog._functions.task import Function, PythonResult
from stoplog._shared.user_code import PythonFailed
from stoplog.encoder import Encoder
from stoplog.stream_format import StreamFormat
from stoplog.testing._elsewhere import in_another_python
from stoplog.testing.laws import LawBroken, difference

if TYPE_CHECKING:
    import pyarrow as pa

MAX_CUTS = 2_000
"""A file of up to this number of bytes is cut at every byte, a larger file at equal distances."""


def check_encoder(
    encoder: Encoder | Callable[[pa.RecordBatch], Any],
    rows: pa.RecordBatch | pa.Table,
    decode: Callable[[bytes], Sequence[Any]],
) -> None:
    """Checks an encoder function without Spark.

    Args:
        encoder: the result of `Encoder.from_function`, or the function.
        rows: some rows, at least two.
        decode: returns the rows of a file's bytes, in order; the rows need only be comparable.

    Raises:
        LawBroken: the function breaks a law:

            - `result`: the function returns bytes for each row, or one chunk.
            - `repeatable`: a repeated call returns the same bytes, also in another process.
            - `decodable`: the bytes contain each row once.
            - `concatenable`: bytes of batches that were cut anywhere, one after the other, are a file of the
              same rows. The function keeps no state, and writes no header or footer for a whole file.

    Example:
        def test_fixed_width():
            rows = pyarrow.RecordBatch.from_pydict({"id": [1, 2, 3]})
            check_encoder(fixed_width, rows, lambda data: [int(n) for n in data.splitlines()])
    """
    code = _encoder_code(encoder)
    batch = _one_batch(rows)
    function = Function(code.owner, code.pickled)
    whole = _bytes_of(function, [batch])
    if _bytes_of(function, [batch]) != whole:
        raise LawBroken("repeatable", f"{code.owner} returned other bytes for the same rows")
    expected = _decoded(decode, whole, "decodable", code.owner)
    if len(expected) != batch.num_rows:
        found = f"decode found {len(expected)} rows in the bytes of {batch.num_rows} rows"
        raise LawBroken("decodable", f"{code.owner} does not write each row once: {found}")
    for size in sorted({1, 2, max(1, batch.num_rows // 2)}):
        parts = [batch.slice(start, size) for start in range(0, batch.num_rows, size)]
        found_rows = _decoded(decode, _bytes_of(function, parts), "concatenable", code.owner)
        if found_rows != expected:
            raise LawBroken(
                "concatenable",
                f"{code.owner} writes other rows in batches of {size}: {difference(expected, found_rows)}. "
                "A part of the sink is the bytes of many batches, one after the other",
            )
    if in_another_python(partial(_bytes_of, Function(code.owner, code.pickled), [batch])) != whole:
        raise LawBroken("repeatable", f"{code.owner} returned other bytes in another process")


def check_stream_format(
    stream_format: StreamFormat | Callable[[Any, FilePart], Iterable[Any]],
    files: Iterable[bytes | Path],
) -> None:
    """Checks a function that reads files, without Spark.

    Args:
        stream_format: the result of `StreamFormat.from_reader`, or the function, which then reads whole
            files. With `max_record_size`, files are also cut.
        files: some files, as bytes or as paths of files.

    Raises:
        LawBroken: the function breaks a law:

            - `result`: the function returns record batches, with the columns of the schema.
            - `repeatable`: a repeated call returns the same rows, also in another process.
            - `portions`: the rows do not depend on the number of bytes that the file returns at once.
            - `pieces`: with `max_record_size`, two pieces of a file contain each row once, for any cut of the
              file.

    Example:
        def test_measurements():
            stream_format = StreamFormat.from_reader(measurements, "t bigint", max_record_size="1k")
            check_stream_format(stream_format, [data])
    """
    if isinstance(stream_format, StreamFormat):
        reader = stream_format._reader
        if reader is None:
            raise TypeError("check_stream_format needs a format of StreamFormat.from_reader")
        code, access = reader.code, reader.access
        tail = _bytes(stream_format.options().get("format.tail", "0"))
        columns = reader.columns_without_session()
    else:
        code, access = UserCode.of_function("check_stream_format", stream_format), "forward"
        tail, columns = 0, None
    all_data = [each if isinstance(each, bytes) else Path(each).read_bytes() for each in files]
    read = _Read(code, access, columns, tail)
    rows = [_check_file(read, data) for data in all_data]
    if in_another_python(partial(_Read(code, access, columns, tail).files, all_data)) != rows:
        raise LawBroken("repeatable", f"{code.owner} returned other rows in another process")


class _Read:
    """Reads ranges of files as a task does."""

    def __init__(self, code: UserCode, access: str, columns: pa.Schema | None, tail: int) -> None:
        self.owner = code.owner
        self.tail = tail
        self.reading = Reading(Function(code.owner, code.pickled), columns, [], access)

    def files(self, all_data: list[bytes]) -> list[list[Any]]:
        """Returns the rows of whole files."""
        return [self.rows("repeatable", data, 0, len(data)) for data in all_data]

    def rows(self, law: str, data: bytes, start: int, end: int, portion: int = 1 << 16) -> list[Any]:
        if start >= end:
            return []
        part = FilePart("file:/checked", start, end, len(data))
        seen = data[start : min(end + self.tail, len(data))]
        chunks = (memoryview(seen)[at : at + portion] for at in range(0, len(seen), portion))
        try:
            return [row for table in self.reading.of(part, chunks) for row in table.to_pylist()]
        except (PythonFailed, PythonResult) as error:
            raise LawBroken(law, f"bytes {start} to {end} of a file of {len(data)} bytes: {error}") from error


def _check_file(read: _Read, data: bytes) -> list[Any]:
    size = len(data)
    expected = read.rows("result", data, 0, size)
    if read.rows("repeatable", data, 0, size) != expected:
        raise LawBroken("repeatable", f"{read.owner} returned other rows for the same file")
    for portion in (1, 7):
        found = read.rows("portions", data, 0, size, portion)
        if found != expected:
            why = difference(expected, found)
            raise LawBroken(
                "portions", f"{read.owner} returned other rows if the file arrives in portions: {why}"
            )
    for cut in _cuts(size) if read.tail else ():
        found = read.rows("pieces", data, 0, cut) + read.rows("pieces", data, cut, size)
        if found != expected:
            why = f"{read.owner} returned other rows for a file cut at byte {cut} of {size}"
            raise LawBroken("pieces", f"{why}: {difference(expected, found)}")
    return expected


def _cuts(size: int) -> Iterator[int]:
    return iter(range(1, size, max(1, size // MAX_CUTS)))


def _encoder_code(encoder: Encoder | Callable[[Any], Any]) -> UserCode:
    if not isinstance(encoder, Encoder):
        return UserCode.of_function("check_encoder", encoder)
    if encoder._function is None:
        raise TypeError("check_encoder needs an encoder of Encoder.from_function")
    return encoder._function.code


def _one_batch(rows: pa.RecordBatch | pa.Table) -> pa.RecordBatch:
    import pyarrow as pa

    batch = rows.combine_chunks().to_batches()[0] if isinstance(rows, pa.Table) and rows.num_rows else rows
    if batch.num_rows < 2:
        raise ValueError("check_encoder needs at least two rows")
    return batch


def _bytes_of(function: Function, batches: list[pa.RecordBatch]) -> bytes:
    try:
        return b"".join(value for batch in batches for value in encoded(function, batch).to_pylist())
    except (PythonFailed, PythonResult) as error:
        raise LawBroken("result", str(error)) from error


def _decoded(decode: Callable[[bytes], Sequence[Any]], data: bytes, law: str, owner: str) -> list[Any]:
    try:
        return list(decode(data))
    except Exception as error:
        why = f"decode cannot read the bytes of {owner}: {type(error).__name__}: {error}"
        raise LawBroken(law, why) from error


def _bytes(size: str) -> int:
    """Returns the bytes of a size as Spark writes sizes.

    >>> _bytes("1k"), _bytes("2048"), _bytes("3 MB")
    (1024, 2048, 3145728)
    """
    text = size.strip().lower().removesuffix("b")
    power = "kmgtp".find(text[-1:]) + 1
    return int(text[:-1] if power else text) << 10 * power
