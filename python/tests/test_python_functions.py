# SPDX-License-Identifier: Apache-2.0
# mypy: disable-error-code="no-untyped-call"
"""Bucket functions, encoder functions and rolling policies, as tasks call them, without Spark."""

from __future__ import annotations

import functools
import importlib
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pytest
from pyspark import cloudpickle

from stoplog import BucketAssigner, Encoder, FileSink
from stoplog._functions.code import UserCode, by_value, plan_of
from stoplog._functions.encode import BucketNames, Encoded
from stoplog._functions.roll import OpenPart, PolicySide
from stoplog._functions.task import Function, PythonResult
from stoplog._shared.pickling import modules_by_value
from stoplog._shared.user_code import PythonFailed

ROWS = pa.RecordBatch.from_pydict({"id": [1, 2, 3, 4, 5], "land": ["de", "fr", "de", "fr", "it"]})


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
    assert str(caught.value).startswith("[STOPLOG_PYTHON_FAILED] from_function(<lambda>) returned ")
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
    with pytest.raises(PythonFailed, match=r"from_function\(exit\) failed: SystemExit"):
        names(sys.exit)


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


@pytest.mark.parametrize("with_note", [False, True])
def test_a_partial_function_travels_with_the_module_of_its_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, with_note: bool
) -> None:
    (tmp_path / "of_the_driver.py").write_text("def named(prefix, land):\n    return prefix + land\n")
    monkeypatch.syspath_prepend(tmp_path)
    called = functools.partial(importlib.import_module("of_the_driver").named, "land=")
    if with_note:  # partial unwraps another partial only without attributes
        called.note = "kept"  # type: ignore[attr-defined]
        called = functools.partial(called)
    outcome = subprocess.run(
        [
            sys.executable,
            "-I",
            "-c",
            "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read())('de'))",
        ],
        input=by_value("it", called),
        capture_output=True,
        check=False,
        cwd="/",
    )
    assert outcome.returncode == 0, outcome.stderr.decode()
    assert outcome.stdout.decode().strip() == "land=de"


def test_threads_that_pickle_at_the_same_time_do_not_disturb_each_other() -> None:
    module, inside, has_left, found = ModuleType("of_a_user"), threading.Event(), threading.Event(), []
    sys.modules[module.__name__] = module

    def second() -> None:
        with modules_by_value(module):
            inside.set()
            has_left.wait(10)
            found.append(module.__name__ in cloudpickle.list_registry_pickle_by_value())

    thread = threading.Thread(target=second)
    try:
        with modules_by_value(module):
            thread.start()
            inside.wait(0.3)
        has_left.set()
        thread.join(10)
    finally:
        del sys.modules[module.__name__]
    assert found == [True], "the first thread has ended the registration of the second thread"
    assert module.__name__ not in cloudpickle.list_registry_pickle_by_value()


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
