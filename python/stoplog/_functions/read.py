# SPDX-License-Identifier: Apache-2.0
"""A reader of files in a task: chunks of bytes become files again. Travels by value: see `task`."""

from __future__ import annotations

import io
import tempfile
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from stoplog._functions.fit import checked
from stoplog._functions.task import Function

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import pyarrow as pa

SPOOLED_BYTES = 64 << 20
"""A larger file of random access is on the local disk while a task reads the file."""


class FilePart:
    """The bytes that a call reads: a file, or a piece of a file.

    Attributes:
        path: the URI of the file.
        start: the offset of the first byte of the piece in the file.
        end: the offset after the piece. The reader returns the records that start before this offset.
        size: the bytes of the file.
    """

    def __init__(self, path: str, start: int, end: int, size: int) -> None:
        self.path = path
        self.start = start
        self.end = end
        self.size = size

    @property
    def is_whole(self) -> bool:
        """True for a file that is read in one piece."""
        return self.start == 0 and self.end == self.size

    def __repr__(self) -> str:
        return f"FilePart({self.path!r}, start={self.start}, end={self.end}, size={self.size})"


class Reading:
    """Reads files by a function of the user.

    Args:
        schema: the Arrow schema of the function's batches; `None` accepts any columns.
        directories: the columns from the names of directories.
        access: `forward` or `random`.
    """

    def __init__(
        self, function: Function, schema: pa.Schema | None, directories: Sequence[str], access: str
    ) -> None:
        self.function = function
        self.schema = schema
        self.directories = list(directories)
        self.access = access

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Implements the function of `mapInArrow`."""
        for part, chunks, first in _parts(batches):
            constants = first.select(self.directories)
            for read in self.of(part, chunks):
                for batch in read.to_batches():
                    yield self._located(batch, constants)
            for _ in chunks:  # the function may stop before the end of the file
                pass

    def of(self, part: FilePart, chunks: Iterator[memoryview]) -> Iterator[pa.Table]:
        """Calls the function for one file, and returns its batches in the columns of the schema."""
        with _opened(part, chunks, self.access) as file:
            for batch in self.function.iterated(file, part):
                yield checked(self.function.owner, batch, self.schema)

    def _located(self, batch: pa.RecordBatch, constants: pa.RecordBatch) -> pa.RecordBatch:
        import pyarrow as pa

        if not self.directories:
            return batch
        zeros = pa.array([0] * batch.num_rows, pa.int32())
        values = [column.take(zeros) for column in constants.columns]
        fields = [*batch.schema, *constants.schema]
        return pa.RecordBatch.from_arrays([*batch.columns, *values], schema=pa.schema(fields))


class ChunkStream(io.RawIOBase):
    """The bytes of chunks as a binary file that is read forward only."""

    def __init__(self, name: str, chunks: Iterator[memoryview]) -> None:
        self.name = name
        self._chunks = chunks
        self._rest = memoryview(b"")
        self._at = 0

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            following = next(self._chunks, None)
            if following is None:
                return 0
            self._rest = following
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        self._at += count
        return count


def _opened(part: FilePart, chunks: Iterator[memoryview], access: str) -> Any:
    if access == "forward":
        return io.BufferedReader(ChunkStream(part.path, chunks), 64 << 10)
    is_small = part.end - part.start <= SPOOLED_BYTES
    spool: Any = io.BytesIO() if is_small else tempfile.TemporaryFile()  # noqa: SIM115 closed by the caller
    for chunk in chunks:
        spool.write(chunk)
    spool.seek(0)
    return spool


class _Chunks:
    """The rows of a partition, in runs of rows of one part."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self.runs = self._all(batches)
        self.waiting = next(self.runs, None)

    def _all(self, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[bool, pa.RecordBatch]]:
        import pyarrow.compute as pc

        for batch in batches:
            starts = pc.equal(batch.column("_chunk_at"), batch.column("_chunk_start"))
            first = pc.indices_nonzero(starts).to_pylist()
            bounds = [*([] if first[:1] == [0] else [0]), *first, batch.num_rows]
            for start, end in pairwise(bounds):
                if end > start:
                    yield start in first, batch.slice(start, end - start)

    def part(self) -> Iterator[memoryview]:
        """Returns the bytes of the part of the waiting row."""
        while self.waiting is not None:
            _, rows = self.waiting
            yield _bytes_of(rows.column("_chunk_bytes"))
            self.waiting = next(self.runs, None)
            if self.waiting is not None and self.waiting[0]:
                return


def _parts(
    batches: Iterable[pa.RecordBatch],
) -> Iterator[tuple[FilePart, Iterator[memoryview], pa.RecordBatch]]:
    """Returns the parts of files, their bytes, and their first rows. A caller reads all bytes of a part."""
    rows = _Chunks(batches)
    while rows.waiting is not None:
        first = rows.waiting[1].slice(0, 1)
        path, start, end, size = (
            first.column(f"_chunk_{name}")[0].as_py() for name in ("file", "start", "end", "size")
        )
        yield FilePart(path, start, end, size), rows.part(), first


def _bytes_of(values: pa.Array) -> memoryview:
    """Returns consecutive values as one piece of memory, without a copy."""
    import pyarrow as pa

    wide = pa.types.is_large_binary(values.type)
    _, offsets, data = values.buffers()
    positions = memoryview(offsets).cast("B").cast("q" if wide else "i")
    start, end = positions[values.offset], positions[values.offset + len(values)]
    return memoryview(data).cast("B")[start:end] if end > start else memoryview(b"")
