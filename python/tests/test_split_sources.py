# SPDX-License-Identifier: Apache-2.0
"""Split sources as the jar and the tasks call them, and their laws, without Spark."""

from __future__ import annotations

import base64
import json
import pickle
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from stoplog import Split, SplitEnumerator, SplitSource
from stoplog._functions.code import by_value, plan_of
from stoplog._functions.find import FinderSide
from stoplog._functions.splits import EnumeratorSide
from stoplog._functions.task import PythonResult
from stoplog.testing import LawBroken, check_split_source


class NumbersEnumerator(SplitEnumerator):
    def __init__(self, source: Numbers, start: int) -> None:
        self.source = source
        self.start = start

    def next(self) -> Split | None:
        if self.start >= self.source.until:
            return None
        end = min(self.start + self.source.size, self.source.until)
        split = Split([self.start, end], rows=end - self.start)
        self.start = end
        return split

    def snapshot(self) -> int:
        return self.start


class Numbers(SplitSource):
    """The counting source of Flink: the numbers up to a limit."""

    schema = "n bigint"

    def __init__(self, until: int = 25, size: int = 10) -> None:
        self.until = until
        self.size = size

    def enumerator(self, snapshot: Any) -> SplitEnumerator:
        return NumbersEnumerator(self, snapshot or 0)

    def read_split(self, split: Split) -> Iterator[pa.RecordBatch]:
        first, until = split.position
        for start in range(first, until, 4):
            end = min(start + 4, until)
            yield pa.RecordBatch.from_pydict({"n": list(range(start, end))})

    def cut(self, split: Split, rows: int) -> tuple[Split, Split]:
        start, end = split.position
        return Split([start, start + rows], rows), Split([start + rows, end], end - start - rows)


def side(source: SplitSource) -> EnumeratorSide:
    found = EnumeratorSide(type(source).__name__, by_value("it", source))
    found.restore(None)
    return found


def test_the_jar_gets_splits_as_json() -> None:
    numbers = side(Numbers())
    assert numbers.next_splits(2) == [["[0, 10]", 10, 0], ["[10, 20]", 10, 0]]
    assert numbers.snapshot() == "20"
    numbers.restore("20")
    assert numbers.next_splits(100) == [["[20, 25]", 5, 0]]
    assert numbers.next_splits(100) == []
    assert numbers.cut(["[0, 10]", 10, 0], 3) == [["[0, 3]", 3, 0], ["[3, 10]", 7, 0]]
    numbers.fix_target()
    numbers.close()


def test_a_process_without_stoplog_and_without_the_user_module_opens_a_source() -> None:
    function = plan_of(partial(EnumeratorSide, "Numbers", by_value("Numbers", Numbers())))
    program = (
        "import base64, pickle, sys\n"
        "made = pickle.loads(base64.b64decode(sys.argv[1]))()\n"
        "made.restore('10')\n"
        "print(made.next_splits(1), made.snapshot(), 'stoplog' in sys.modules)"
    )
    text = base64.b64encode(function).decode()
    outcome = subprocess.run(
        [sys.executable, "-I", "-c", program, text], capture_output=True, check=False, cwd="/", text=True
    )
    assert outcome.returncode == 0, outcome.stderr
    assert outcome.stdout.strip() == "[['[10, 20]', 10, 0]] 20 False"


class Wrong(Numbers):
    """Returns one wrong value."""

    def __init__(self, **values: Any) -> None:
        super().__init__()
        self.values = values

    def enumerator(self, snapshot: Any) -> Any:
        if "enumerator" in self.values:
            return self.values["enumerator"]
        made = super().enumerator(snapshot)
        for name in self.values.keys() & {"next", "snapshot"}:
            setattr(made, name, partial(_returned, self.values[name]))
        return made

    def cut(self, split: Split, rows: int) -> Any:
        return self.values["cut"] if "cut" in self.values else super().cut(split, rows)


def _returned(value: Any) -> Any:
    return value


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            Wrong(enumerator=None),
            "Wrong.enumerator returned None. Return an object with the methods",
        ),
        (Wrong(next=(0, 10)), "Wrong.enumerator.next returned a tuple. Return a stoplog.Split, or None"),
        (Wrong(next=Split(object())), "Wrong.enumerator.next returned a value that JSON cannot hold"),
        (Wrong(snapshot=b"x"), "Wrong.enumerator.snapshot returned a value that JSON cannot hold"),
        (
            Wrong(snapshot=[{"a": {1: 2}}]),
            "Wrong.enumerator.snapshot returned a value that JSON cannot hold (the key 1 of a dict is an int",
        ),
        (
            Wrong(cut=(Split([0, 0], 0), Split([0, 10], 10))),
            "Wrong.cut returned a first split with 0 rows. Return a split of 1 to 3 rows",
        ),
        (Wrong(cut=Split([0, 1])), "Wrong.cut returned a Split. Return a split of at most the requested"),
        (
            Wrong(cut=(Split([0, 9], 9), Split([9, 10], 1))),
            "Wrong.cut returned a first split with 9 rows. Return a split of 1 to 3 rows",
        ),
        (
            Wrong(cut=(Split([0, 3], 3), Split([4, 10], 6))),
            "Wrong.cut returned splits of 3 and 6 rows for a split of 10 rows. Return all rows of the split",
        ),
    ],
)
def test_wrong_values_are_refused_with_the_repair(wrong: Wrong, message: str) -> None:
    def call_all() -> None:
        made = side(wrong)
        made.next_splits(1)
        made.snapshot()
        made.cut(["[0, 10]", 10, 0], 3)

    with pytest.raises(PythonResult) as caught:
        call_all()
    assert f"[STOPLOG_PYTHON_FAILED] {message}" in str(caught.value)


def test_good_sources_keep_the_laws() -> None:
    check_split_source(Numbers())
    check_split_source(Numbers(until=10**9), splits=5)


class ForgetsItsPosition(Numbers):
    def enumerator(self, snapshot: Any) -> SplitEnumerator:
        return NumbersEnumerator(self, 0)


class SkipsASplit(Numbers):
    def enumerator(self, snapshot: Any) -> SplitEnumerator:
        return NumbersEnumerator(self, snapshot + self.size if snapshot else 0)


class Random(Numbers):
    def read_split(self, split: Split) -> Iterator[pa.RecordBatch]:
        import random

        yield pa.RecordBatch.from_pydict({"n": [random.random() for _ in range(split.rows or 0)]})


class CountsWrongly(Numbers):
    def read_split(self, split: Split) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pydict({"n": [1]})


class CutsTwice(Numbers):
    def cut(self, split: Split, rows: int) -> tuple[Split, Split]:
        head, _ = super().cut(split, rows)
        return head, split


class CutsNothing(Numbers):
    def cut(self, split: Split, rows: int) -> tuple[Split, Split]:
        return Split([0, 0], rows=0), split


class CutsTheFirst(Numbers):
    """Is right only for the first split of a file."""

    def cut(self, split: Split, rows: int) -> tuple[Split, Split]:
        _, end = split.position
        return Split([0, rows], rows), Split([rows, end], end - rows)


class CountsTheCutWrongly(Numbers):
    def cut(self, split: Split, rows: int) -> tuple[Split, Split]:
        head, rest = super().cut(split, rows)
        return Split([head.position[0], head.position[1] - 1], rows), Split(
            [rest.position[0] - 1, rest.position[1]], rest.rows
        )


class LosesARow(Numbers):
    def cut(self, split: Split, rows: int) -> tuple[Split, Split]:
        head, rest = super().cut(split, rows)
        start, end = rest.position
        return head, Split([start + 1, end], end - start - 1)


class StartsAgain(Numbers):
    """Has no state after the last split, which is the state of a new query."""

    def enumerator(self, snapshot: Any) -> SplitEnumerator:
        class Ending(NumbersEnumerator):
            def snapshot(self) -> Any:
                return self.start if self.start < self.source.until else None

        return Ending(self, snapshot or 0)


class ByHash(Numbers):
    """A hash of a text is another number in each process."""

    def read_split(self, split: Split) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pydict({"n": [hash(str(n)) for n in range(*split.position)]})


class CountsByNumber(Numbers):
    """Continues only if the keys of its state are numbers, as before the restart."""

    def enumerator(self, snapshot: Any) -> SplitEnumerator:
        class Counting(NumbersEnumerator):
            def snapshot(self) -> Any:
                return {0: self.start}

        return Counting(self, (snapshot or {}).get(0, 0))


class Raises(Numbers):
    def read_split(self, split: Split) -> Iterator[pa.RecordBatch]:
        raise ConnectionError("no server")


class NoSnapshot(Numbers):
    def enumerator(self, snapshot: Any) -> Any:
        return iter([])


@pytest.mark.parametrize(
    ("source", "law"),
    [
        (ForgetsItsPosition(), "snapshot"),
        (SkipsASplit(), "snapshot"),
        (Random(), "repeatable"),
        (CountsWrongly(), "rows"),
        (CutsTwice(), "cut"),
        (CutsNothing(), "cut"),
        (CutsTheFirst(until=10), "cut"),
        (CountsTheCutWrongly(), "rows"),
        (LosesARow(), "cut"),
        (StartsAgain(), "snapshot"),
        (ByHash(), "repeatable"),
        (CountsByNumber(), "result"),
        (Raises(), "result"),
        (NoSnapshot(), "result"),
    ],
)
def test_wrong_sources_break_a_law(source: SplitSource, law: str) -> None:
    with pytest.raises(LawBroken) as caught:
        check_split_source(source)
    assert caught.value.law == law, str(caught.value)


def test_splits_are_values() -> None:
    assert Split({"a": 1}, 2) == Split({"a": 1}, 2) != Split({"a": 1}, 3)
    assert {Split([1]), Split([1])} == {Split([1])}
    assert pickle.loads(pickle.dumps(Split([1], 2, 3))) == Split([1], 2, 3)
    with pytest.raises(ValueError, match="a split has at least 0 rows and bytes, not -1 and 0"):
        Split(json.loads("1"), rows=-1)


def found_by(paths: list[str], root: str) -> list[str]:
    return FinderSide("from_index", by_value("from_index", lambda _: paths)).paths(root)


@pytest.mark.parametrize(
    ("root", "paths"),
    [
        (
            "/in",
            ["a/b.json", "./a/b.json", "a//b.json", "/in/a/b.json", "/in//a/./b.json", "file:/in/a/b.json"],
        ),
        ("file:/in", ["/in/a/b.json", "file:///in/a//b.json"]),
        ("/", ["/a/b.json", "a/b.json"]),
        ("/in", ["FILE:///in/a/b.json", "File:/in/a/b.json"]),
        ("s3a://shop", ["s3a://shop/a/b.json", "S3A://shop//a/b.json", "a/./b.json"]),
        ("S3a://shop/in", ["s3a://shop/in/a/b.json", "S3A://shop/in/a/b.json"]),
        ("oci+v1.a-b://shop/in", ["OCI+v1.a-b://shop/in/a/b.json"]),
    ],
)
def test_a_finder_may_spell_a_path_in_several_ways(root: str, paths: list[str]) -> None:
    assert set(found_by(paths, root)) == {"a/b.json"}


def test_a_finder_may_return_the_uri_of_a_path(tmp_path: Path) -> None:
    for name in ("a b#%.json", "c%20d.json"):
        (tmp_path / name).touch()
        path = tmp_path / name
        assert found_by([path.as_uri(), f"file:{path}", f"{path}"], f"{tmp_path}") == [name] * 3


def test_a_finder_returns_no_escaped_path_out_of_the_root(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "b.json").touch()
    with pytest.raises(PythonResult, match="from_index returned the path"):
        found_by([f"file:{tmp_path}/in/%2e%2e/b.json"], f"{tmp_path}/in")


@pytest.mark.parametrize(
    "path",
    [
        "../b.json",
        "/in/../b.json",
        "a/../b.json",
        "/inside/b.json",
        "s3a://in/b.json",
        "S3A://in/b.json",
        "oci+v1://in/b.json",
        "HDFS:/in/b.json",
        "file://host/in/b.json",
    ],
)
def test_a_finder_returns_only_paths_below_the_root(path: str) -> None:
    with pytest.raises(PythonResult, match="from_index returned the path"):
        found_by([path], "/in")
