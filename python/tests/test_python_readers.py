# SPDX-License-Identifier: Apache-2.0
"""File readers in Python, as tasks call them, without Spark."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from stoplog import FileSource, InvalidOptions, StreamFormat
from stoplog._functions.fit import checked
from stoplog._functions.read import FilePart, Reading
from stoplog._functions.task import PythonResult
from stoplog._shared.user_code import PythonFailed
from test_python_functions import function

LONGS = pa.schema([("n", pa.int64())])


def chunks(*files: tuple[str, bytes, int, int], size: int = 7, tail: int = 0) -> Iterator[pa.RecordBatch]:
    """The rows of the JVM's `FileBytes`, in batches that begin and end anywhere."""
    rows = [
        (name, start, end, len(content), at, content[at : min(at + 3, end + tail)])
        for name, content, start, end in files
        for at in range(start, min(end + tail, len(content)), 3)
    ]
    columns = ["file", "start", "end", "size", "at", "bytes"]
    for begin in range(0, len(rows), size):
        some = list(zip(*rows[begin : begin + size], strict=True))
        yield pa.RecordBatch.from_pydict(
            {f"_chunk_{name}": list(values) for name, values in zip(columns, some, strict=True)}
            | {"day": [row[0][-1] for row in rows[begin : begin + size]]}
        )


def lines(file: Any, part: FilePart) -> Iterator[pa.RecordBatch]:
    for line in file:
        yield pa.RecordBatch.from_pydict({"n": [int(line)]})


def read(called: Callable[..., Any], batches: Iterator[pa.RecordBatch], access: str = "forward") -> list[Any]:
    task = Reading(function(called), LONGS, ["day"], access)
    return [tuple(row.values()) for batch in task(batches) for row in batch.to_pylist()]


@pytest.mark.parametrize("size", range(1, 12))
@pytest.mark.parametrize("access", ["forward", "random"])
def test_files_are_read_wherever_batches_end(size: int, access: str) -> None:
    one, two = b"1\n22\n333\n4444\n", b"5\n"
    found = read(lines, chunks(("file:/1", one, 0, len(one)), ("file:/2", two, 0, 2), size=size), access)
    assert found == [(1, "1"), (22, "1"), (333, "1"), (4444, "1"), (5, "2")]


def test_a_reader_may_stop_before_the_end_of_a_file() -> None:
    def first(file: Any, part: FilePart) -> list[pa.Table]:
        return [pa.table({"n": [int(file.readline())]})]

    content = b"1\n22\n333\n4444\n"
    files = [(f"file:/{name}", content, 0, len(content)) for name in "abc"]
    assert read(first, chunks(*files)) == [(1, "a"), (1, "b"), (1, "c")]


def test_a_reader_knows_its_part_and_the_position() -> None:
    def positions(file: Any, part: FilePart) -> Iterator[pa.Table]:
        yield pa.table({"n": [part.start, part.end, part.size, file.tell(), int(part.is_whole)]})
        file.read(4)
        yield pa.table({"n": [file.tell(), len(file.read()), len(file.read())]})

    found = read(positions, chunks(("file:/1", b"0123456789", 2, 6), tail=3))
    assert [row[0] for row in found] == [2, 6, 10, 0, 0, 4, 3, 0]


def test_random_access_seeks() -> None:
    def backwards(file: Any, part: FilePart) -> Iterator[pa.Table]:
        file.seek(-2, io.SEEK_END)
        last = int(file.read())
        file.seek(0)
        yield pa.table({"n": [last, int(file.read(1))]})

    assert read(backwards, chunks(("file:/1", b"0123456789", 0, 10)), "random") == [(89, "1"), (0, "1")]


@pytest.mark.parametrize(
    ("yielded", "message"),
    [
        (None, "returned None. Yield record batches"),
        ([{"n": 1}], "returned a dict as a batch. Yield a pyarrow.RecordBatch or a pyarrow.Table."),
        ([pa.table({"m": [1]})], "a batch with the columns m. Return the columns of the schema: n."),
        ([pa.table({"n": ["x"]})], "the column n of type string for int64. Convert the values to the type"),
        ([pa.table({"n": [1.5]})], "values that do not fit the schema ("),
    ],
)
def test_wrong_batches_are_refused_with_the_repair(yielded: Any, message: str) -> None:
    with pytest.raises(PythonResult) as caught:
        read(lambda file, part: yielded, chunks(("file:/1", b"0", 0, 1)))
    assert message.removeprefix("returned ") in str(caught.value)


def test_an_exception_between_batches_has_the_condition() -> None:
    with pytest.raises(PythonFailed, match="from_function\\(lines\\) failed: ValueError: invalid literal"):
        read(lines, chunks(("file:/1", b"1\nx\n", 0, 4)))


def test_columns_are_cast_and_arranged() -> None:
    task = Reading(
        function(lambda file, part: [pa.table({"b": [1], "a": [2]})]),
        pa.schema([("a", pa.int8()), ("b", pa.int64())]),
        [],
        "forward",
    )
    (batch,) = task(chunks(("file:/1", b"0", 0, 1)))
    assert (batch.schema.names, batch.schema.field("a").type) == (["a", "b"], pa.int8())


@pytest.mark.parametrize("nested", [lambda of: of, pa.list_, lambda of: pa.struct([("at", of)])])
def test_a_time_without_a_zone_is_no_time_of_utc(nested: Callable[[pa.DataType], pa.DataType]) -> None:
    zoned, berlin, plain = (
        nested(pa.timestamp(unit, zone))
        for unit, zone in (("us", "UTC"), ("ms", "Europe/Berlin"), ("ns", None))
    )
    for given, wanted in ((zoned, zoned), (berlin, zoned), (plain, nested(pa.timestamp("us")))):
        checked("read", pa.table({"at": pa.nulls(1, given)}), pa.schema([("at", wanted)]))
    for given, wanted in ((plain, zoned), (zoned, plain)):
        with pytest.raises(PythonResult, match=r"returned the column at of type .* for .*: return the type"):
            checked("read", pa.table({"at": pa.nulls(1, given)}), pa.schema([("at", wanted)]))


BUYER = pa.struct([("name", pa.string()), ("mail", pa.string())])
NESTINGS: list[Callable[[pa.DataType], pa.DataType]] = [
    lambda of: of,
    pa.list_,
    pa.large_list,
    lambda of: pa.struct([("at", of)]),
    lambda of: pa.map_(pa.string(), pa.list_(of)),
]


def fitted(given: pa.Array, wanted: pa.DataType) -> list[Any]:
    rows: list[Any] = checked("read", pa.table({"a": given}), pa.schema([("a", wanted)]))["a"].to_pylist()
    return rows


@pytest.mark.parametrize("nested", NESTINGS)
@pytest.mark.parametrize("fields", [["name"], ["name", "email"], ["name", "mail", "phone"], []])
def test_a_struct_has_the_fields_of_the_schema_at_each_level(
    nested: Callable[[pa.DataType], pa.DataType], fields: list[str]
) -> None:
    given = pa.struct([(name, pa.string()) for name in fields])
    with pytest.raises(PythonResult, match=r"returned the column a of type .* for .*\. Return all fields"):
        fitted(pa.nulls(1, nested(given)), nested(BUYER))
    fitted(pa.nulls(1, nested(pa.struct(reversed(list(BUYER))))), nested(BUYER))


def test_the_fields_of_a_struct_are_arranged() -> None:
    assert fitted(pa.array([{"mail": "m", "name": "n"}, None]), BUYER) == [{"name": "n", "mail": "m"}, None]
    assert fitted(pa.array([[{"name": "n", "mail": None}]]), pa.list_(BUYER)) == [
        [{"name": "n", "mail": None}]
    ]


ZONED = pa.timestamp("us", "UTC")


@pytest.mark.parametrize("nested", NESTINGS)
@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (pa.float64(), pa.decimal128(10, 2)),
        (pa.decimal128(10, 2), pa.float64()),
        (pa.int64(), pa.bool_()),
        (pa.bool_(), pa.int64()),
        (pa.int64(), ZONED),
        (pa.date32(), ZONED),
        (ZONED, pa.date32()),
        (pa.string(), ZONED),
        (pa.int64(), pa.string()),
        (pa.string(), BUYER),
    ],
)
def test_a_value_of_another_kind_is_not_converted(
    given: pa.DataType, wanted: pa.DataType, nested: Callable[[pa.DataType], pa.DataType]
) -> None:
    with pytest.raises(PythonResult, match=r"returned the column a of type .* for .*\. Convert the values"):
        fitted(pa.nulls(1, nested(given)), nested(wanted))


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (pa.array([1, None]), pa.int8()),
        (pa.array([1, None]), pa.float32()),
        (pa.array([1.5, None, float("inf"), float("nan")]), pa.float32()),
        (pa.array([2.0, None]), pa.int64()),
        (pa.array([7, None], pa.int8()), pa.decimal128(10, 2)),
        (pa.array([Decimal("1.20"), None]), pa.decimal128(20, 5)),
        (pa.array([b"text", None]), pa.string()),
        (pa.array(["text", None], pa.large_string()), pa.string()),
        (pa.array(["text", None]).dictionary_encode(), pa.string()),
        (pa.array([None, None]), BUYER),
        (pa.array([date(2026, 1, 2)], pa.date64()), pa.date32()),
    ],
)
def test_a_value_is_cast_if_the_type_of_the_schema_has_the_value(
    given: pa.Array, wanted: pa.DataType
) -> None:
    found = [value.decode() if isinstance(value, bytes) else value for value in given.to_pylist()]
    assert str(fitted(given, wanted)) == str(pa.array(found, wanted).to_pylist())


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (pa.array([1e300]), pa.float32()),
        (pa.array([[1.0, -1e300]]), pa.list_(pa.float32())),
        (pa.array([{"x": 1e300}]), pa.struct([("x", pa.float32())])),
        (pa.array([[("x", 1e300)]], pa.map_(pa.string(), pa.float64())), pa.map_(pa.string(), pa.float32())),
        (pa.array([2**24 + 1]), pa.float32()),
        (pa.array([1.5]), pa.int64()),
        (pa.array([300]), pa.int8()),
        (pa.array([Decimal("1.239")]), pa.decimal128(10, 2)),
        (pa.array([b"\xff"]), pa.string()),
    ],
)
def test_a_value_that_the_type_of_the_schema_does_not_have_is_refused(
    given: pa.Array, wanted: pa.DataType
) -> None:
    with pytest.raises(PythonResult, match=r"do not fit the schema|too large for the type of the schema"):
        fitted(given, wanted)


def test_a_limit_of_rows_is_refused_with_a_reader() -> None:
    builder = FileSource.for_record_stream_format(StreamFormat.from_reader(lines, "n bigint"), "/in")
    with pytest.raises(InvalidOptions, match="use with_max_files_per_trigger or with_max_bytes_per_trigger"):
        builder.with_max_rows_per_trigger(10).build()
    assert (
        builder.with_max_files_per_trigger(10)
        .monitor_continuously("1s")
        .process_static_file_set()
        .build()
        ._reader
    )
    with pytest.raises(ValueError, match="access must be 'forward' or 'random', not 'both'"):
        StreamFormat.from_reader(lines, "n bigint", "both")  # type: ignore[arg-type]


def test_an_exit_of_a_reader_is_an_error_of_the_user() -> None:
    def leaves(file: Any, part: FilePart) -> Iterator[pa.RecordBatch]:
        yield from ()
        raise SystemExit(3)

    with pytest.raises(PythonFailed, match=r"from_function\(leaves\) failed: SystemExit: 3"):
        read(leaves, chunks(("file:/1", b"1", 0, 1)))
