# SPDX-License-Identifier: Apache-2.0
"""Bucket functions, encoder functions and file readers, as tasks call them, without Spark."""

from __future__ import annotations

import io
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from stoplog import BucketAssigner, Encoder, FileSink, FileSource, InvalidOptions, StreamFormat
from stoplog._functions.code import UserCode, by_value, plan_of
from stoplog._functions.encode import BucketNames, Encoded
from stoplog._functions.read import FilePart, Reading, checked
from stoplog._functions.roll import OpenPart, PolicySide
from stoplog._functions.task import Function, PythonResult
from stoplog._shared.user_code import PythonFailed

ROWS = pa.RecordBatch.from_pydict({"id": [1, 2, 3, 4, 5], "land": ["de", "fr", "de", "fr", "it"]})
LONGS = pa.schema([("n", pa.int64())])


def function(called: Callable[..., Any]) -> Function:
    code = UserCode.of_function("from_function", called)
    return Function(code.owner, code.pickled)


def names(called: Callable[..., Any]) -> list[Any]:
    (out,) = BucketNames(function(called), ["id", "land"], "bucket")([ROWS])
    found: list[Any] = out.column("bucket").to_pylist()
    return found


def encoded(called: Callable[..., Any], by: list[str], kept: list[str]) -> list[dict[str, Any]]:
    task = Encoded(function(called), ["id"], None, by, kept, "value")
    return [row for batch in task([ROWS]) for row in batch.to_pylist()]


@pytest.mark.parametrize(
    "convert",
    [
        list,
        tuple,
        pa.array,
        lambda values: pa.chunked_array([values]),
        lambda values: pa.array(values, pa.large_string()),
    ],
)
def test_a_bucket_function_returns_lists_or_arrays(convert: Callable[[Any], Any]) -> None:
    assert names(lambda batch: convert(batch.column("land").to_pylist())) == ["de", "fr", "de", "fr", "it"]


def test_a_bucket_function_may_return_a_dictionary_array() -> None:
    assert names(lambda batch: batch.column("land").dictionary_encode()) == ["de", "fr", "de", "fr", "it"]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (None, "returned None for a batch. Return a string for each row of the batch, as a list."),
        ("de", "returned a str for a batch."),
        (7, "returned an int for a batch."),
        ({"a", "b", "c", "d", "e"}, "returned a set for a batch."),
        (dict.fromkeys("abcde"), "returned a dict for a batch."),
        (["de", "fr"], "returned 2 names for a batch of 5 rows. Return a string for each row of the batch."),
        (["de", None, "de", "de", "de"], "returned None as the name of row 1 of a batch."),
        (["de", 7, "de", "de", "de"], "returned an int as a name."),
        (pa.array([1, 2, 3, 4, 5]), "returned an Arrow array of int64 as names."),
        (pa.array([["a"]] * 5), "returned an Arrow array of list"),
    ],
)
def test_wrong_buckets_are_refused_with_the_repair(returned: Any, message: str) -> None:
    with pytest.raises(PythonResult) as caught:
        names(lambda batch: returned)
    assert str(caught.value).startswith("[STOPLOG_PYTHON_RESULT] from_function(<lambda>) returned ")
    assert message in str(caught.value)


def test_an_exception_has_the_condition_and_the_traceback_of_the_user() -> None:
    def wrong(batch: pa.RecordBatch) -> list[str]:
        return batch["no such column"].to_pylist()  # type: ignore[no-any-return]

    with pytest.raises(
        PythonFailed, match=r"^\[STOPLOG_PYTHON_FAILED\] from_function\(wrong\) failed: KeyError"
    ) as e:
        names(wrong)
    assert isinstance(e.value.__cause__, KeyError)
    assert ", in wrong\n" in str(e.value)


def test_an_exit_is_an_exception_of_the_user_and_not_of_spark() -> None:
    def leaves(*arguments: Any) -> Iterator[Any]:
        yield sys.exit(3)

    with pytest.raises(PythonFailed, match=r"from_function\(exit\) failed: SystemExit"):
        names(sys.exit)
    with pytest.raises(PythonFailed, match=r"from_function\(leaves\) failed: SystemExit: 3"):
        read(leaves, chunks(("file:/1", b"1", 0, 1)))


def test_an_encoder_returns_a_value_for_each_row_of_a_bucket() -> None:
    seen: list[int] = []

    def digits(batch: pa.RecordBatch) -> list[bytes]:
        return [b"%d;" % number for number in batch.column("id").to_pylist()]

    out = encoded(digits, by=["land"], kept=["land"])
    assert out == [
        {"land": "de", "value": b"1;"},
        {"land": "de", "value": b"3;"},
        {"land": "fr", "value": b"2;"},
        {"land": "fr", "value": b"4;"},
        {"land": "it", "value": b"5;"},
    ]
    assert seen == []


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, pa.py_buffer])
def test_an_encoder_returns_a_chunk_for_the_rows_of_a_bucket(kind: Callable[[bytes], Any]) -> None:
    def chunk(batch: pa.RecordBatch) -> Any:
        return kind(b"".join(b"%d," % number for number in batch.column("id").to_pylist()))

    assert encoded(chunk, by=["land"], kept=["land"]) == [
        {"land": "de", "value": b"1,3,"},
        {"land": "fr", "value": b"2,4,"},
        {"land": "it", "value": b"5,"},
    ]


def test_without_buckets_a_batch_is_one_chunk_and_only_the_bytes_are_sent() -> None:
    assert encoded(lambda batch: b"x" * batch.num_rows, by=[], kept=[]) == [{"value": b"xxxxx"}]
    assert encoded(lambda batch: b"", by=[], kept=[]) == []


def test_several_columns_make_a_group_and_null_is_a_value() -> None:
    rows = pa.RecordBatch.from_pydict(
        {"a": [1, 1, 2, None, None], "b": ["x", "y", "x", "x", "x"], "id": range(5)}
    )
    task = Encoded(
        function(lambda batch: bytes(batch.column("id").to_pylist())), ["id"], None, ["a", "b"], ["a"], "v"
    )
    chunks = sorted(row["v"] for batch in task([rows]) for row in batch.to_pylist())
    assert chunks == [b"\0", b"\1", b"\2", b"\3\4"]


def test_an_encoder_with_a_bucket_function_groups_by_the_names() -> None:
    buckets = BucketNames(function(lambda batch: batch.column("land")), ["id", "land"], "bucket")
    task = Encoded(
        function(lambda batch: b"%d" % batch.num_rows), ["id"], buckets, ["bucket"], ["bucket"], "value"
    )
    assert [row for batch in task([ROWS]) for row in batch.to_pylist()] == [
        {"bucket": "de", "value": b"2"},
        {"bucket": "fr", "value": b"2"},
        {"bucket": "it", "value": b"1"},
    ]


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        (
            None,
            "None for a batch. Return bytes for each row of the batch, or all bytes of the batch as one",
        ),
        ("text", "a str for a batch. Return bytes"),
        ([b"a"] * 4, "4 values for a batch of 5 rows. Return bytes for each row of the batch."),
        (["a"] * 5, "a str as a value. Return bytes for each row of the batch."),
        ([b"a", None, b"a", b"a", b"a"], "None as the value of row 1"),
    ],
)
def test_wrong_bytes_are_refused_with_the_repair(returned: Any, message: str) -> None:
    with pytest.raises(PythonResult) as caught:
        encoded(lambda batch: returned, by=[], kept=[])
    assert message in str(caught.value)


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
        ([pa.table({"n": ["x"]})], "values that do not fit the schema ("),
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


LOCK = threading.Lock()


def locked(batch: pa.RecordBatch) -> object:
    return LOCK


@pytest.mark.parametrize("method", [BucketAssigner.from_function, Encoder.from_function])
def test_what_cannot_be_pickled_is_refused_at_the_call_by_name(method: Callable[..., Any]) -> None:
    with pytest.raises(
        TypeError, match=r"from_function\(locked\) cannot be sent to another process: cannot pickle"
    ) as e:
        method(locked)
    assert "inside the function" in str(e.value)
    with pytest.raises(TypeError, match=r"needs a function, not 7: pass the function itself"):
        method(7)
    with pytest.raises(TypeError, match=r"got the class Path: pass Path\(…\)"):
        method(Path)
    with pytest.raises(ValueError, match="needs the name of at least one column"):
        method(len, columns=[])


def policy(function: Callable[..., Any]) -> PolicySide:
    return PolicySide("RollingPolicy.from_function(f)", pickle.dumps(function))


def oldest(parts: list[OpenPart]) -> list[str | None]:
    return ["old" if part.age_seconds > 60 or part.idle_seconds > 5 else None for part in parts]


def none(parts: list[OpenPart]) -> None:
    return None


def short(parts: list[OpenPart]) -> list[str]:
    return []


def numbered(parts: list[OpenPart]) -> list[int]:
    return [1 for _ in parts]


def unordered(parts: list[OpenPart]) -> set[str]:
    return {"old"}


def test_a_rolling_policy_receives_all_parts_and_returns_reasons() -> None:
    parts = [["a", 10, 1, 61_000, 0], ["b", 10, 1, 0, 6_000], ["c", 10, 1, 0, 0]]
    assert policy(oldest).due(parts) == ["old", "old", None]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (none, "returned None"),
        (unordered, "returned a set"),
        (short, "returned 0 values for 1 part. Return a list with a reason, or None, for each part"),
        (numbered, "returned an int as a reason"),
    ],
)
def test_a_wrong_result_of_a_rolling_policy_is_reported(function: Callable[..., Any], said: str) -> None:
    with pytest.raises(PythonResult, match=re.escape(said)):
        policy(function).due([["", 1, 1, 0, 0]])


def test_code_is_loaded_by_a_python_without_the_modules_of_the_user_and_without_stoplog() -> None:
    plan = plan_of(BucketNames(function(helped), ["id", "land"], "bucket"))
    program = (
        "import pickle, sys, pyarrow as pa\n"
        "plan = pickle.loads(sys.stdin.buffer.read())\n"
        "rows = pa.RecordBatch.from_pydict({'id': [1], 'land': ['de']})\n"
        "print(*(batch.to_pylist() for batch in plan([rows])), 'stoplog' in sys.modules)"
    )
    outcome = subprocess.run(
        [sys.executable, "-I", "-c", program], input=plan, capture_output=True, check=False, cwd="/"
    )
    assert outcome.returncode == 0, outcome.stderr.decode()
    assert outcome.stdout.decode().strip() == "[{'id': 1, 'land': 'de', 'bucket': 'land=de'}] False"


def helped(batch: pa.RecordBatch) -> list[str]:
    return [helper(land) for land in batch.column("land").to_pylist()]


def helper(land: str) -> str:
    return f"land={land}"


def test_installed_packages_travel_by_name() -> None:
    assert len(by_value("it", pytest.fixture)) < 100
    assert pickle.loads(by_value("it", pytest.fixture)) is pytest.fixture


def test_functions_belong_to_the_value_of_a_sink() -> None:
    base = FileSink.for_row_format("/out", "json")
    one = base.with_bucket_assigner(BucketAssigner.from_function(helped)).build()
    assert one == base.with_bucket_assigner(BucketAssigner.from_function(helped)).build()
    assert one != base.with_bucket_assigner(BucketAssigner.from_function(locked_not)).build()
    assert repr(one) == "FileSink(path='/out', format='json', bucketFrom='_python_bucket')"
    replaced = base.with_bucket_assigner(BucketAssigner.from_function(helped)).with_bucket_assigner(
        BucketAssigner.base_path_bucket_assigner()
    )
    assert replaced.build() == base.with_bucket_assigner(BucketAssigner.base_path_bucket_assigner()).build()
    with_more = base.with_bucket_assigner(BucketAssigner.from_function(helped)).with_sink_id("a")
    assert with_more.build()._functions.bucket is not None


def locked_not(batch: pa.RecordBatch) -> list[str]:
    return [""] * batch.num_rows


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
