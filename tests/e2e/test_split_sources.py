# SPDX-License-Identifier: Apache-2.0
"""Split sources and finders of files in Python, in streams and batches."""

from __future__ import annotations

import json
import re
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

import stoplog
from stoplog import FileSink, Split, SplitEnumerator
from stoplog.testing import check_split_source
from support.finished import lines
from support.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from support.place import Place

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "own-sources"))

import counting_source
from counting_source import Numbers
from pyspark import cloudpickle

# The executors of Spark do not have the example.
cloudpickle.register_pickle_by_value(counting_source)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "beyond-files" / "own-source.md"


class Failing(Numbers):
    """Fails at the number 250, until a file exists."""

    def __init__(self, until: int, file: str) -> None:
        super().__init__(until)
        self.file = file

    def read_split(self, split: Split) -> Iterator[pa.RecordBatch]:
        import os

        if split.position[1] > 250 and not os.path.exists(self.file):  # noqa: PTH110
            raise ConnectionError(f"no server for {split.position}")
        yield from super().read_split(split)


@contextmanager
def api(pages: list[list[int]]) -> Iterator[str]:
    """An API of pages that grow: the last page is not complete."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            _, _, cursor, *head = self.path.split("/")
            number = int(cursor[1:])
            following = f"a{number + 1}" if number + 1 < len(pages) else None
            body: Any = {"rows": len(pages[number]), "next": following} if head else pages[number]
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(body).encode())

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()


def written(place: Place, column: str) -> list[Any]:
    return sorted(json.loads(line)[column] for line in lines(place.out))


def test_the_counting_source_keeps_the_laws() -> None:
    check_split_source(Numbers(1001))


def test_a_batch_reads_all_rows(spark: SparkSession) -> None:
    rows = Numbers(1001).read(spark)
    assert rows.schema.simpleString() == "struct<n:bigint>"
    assert sorted(row.n for row in rows.collect()) == list(range(1001))


@pytest.mark.parametrize(
    ("limits", "batches"),
    [({}, 1), ({"max_rows_per_trigger": 70}, 15), ({"max_splits_per_trigger": 3}, 4)],
)
def test_a_stream_reads_each_row_once_within_limits(
    spark: SparkSession, place: Place, limits: dict[str, int], batches: int
) -> None:
    sink = FileSink.for_row_format(place.out, "json").build()
    progress = sink.run_available_now(Numbers(1001).read_stream(spark, **limits), place.checkpoint)
    assert progress.batch_id == batches - 1
    assert written(place, "n") == list(range(1001))


def test_a_stream_continues_from_its_snapshot(spark: SparkSession, place: Place) -> None:
    sink = FileSink.for_row_format(place.out, "json").build()
    for until in (250, 250, 1001):
        sink.run_available_now(Numbers(until).read_stream(spark, 70), place.checkpoint)
        assert written(place, "n") == list(range(until))


def test_a_failed_reader_ends_the_query_by_name_and_the_restart_reads_each_row_once(
    spark: SparkSession, place: Place
) -> None:
    sink = FileSink.for_row_format(place.out, "json").build()
    source = Failing(500, str(place.root / "server"))
    with pytest.raises(Exception) as caught:  # noqa: PT011 Spark's own class
        sink.run_available_now(source.read_stream(spark, 120), place.checkpoint)
    assert stoplog.condition_of(caught.value) == "STOPLOG_PYTHON_FAILED"
    assert re.search(r"Failing\.read_split failed in epoch \d+, partition \d+: Conn", str(caught.value))
    assert "no server for" in str(caught.value)
    (place.root / "server").touch()
    sink.run_available_now(source.read_stream(spark, 120), place.checkpoint)
    assert written(place, "n") == list(range(500))


class Fails(Numbers):
    def enumerator(self, snapshot: Any) -> SplitEnumerator:
        raise PermissionError("not you")


def test_a_failed_enumerator_ends_the_query_by_name_with_its_traceback(
    spark: SparkSession, place: Place
) -> None:
    sink = FileSink.for_row_format(place.out, "json").build()
    with pytest.raises(Exception) as caught:  # noqa: PT011 Spark's own class
        sink.run_available_now(Fails(10).read_stream(spark), place.checkpoint)
    assert stoplog.condition_of(caught.value) == "STOPLOG_PYTHON_FAILED"
    assert 'raise PermissionError("not you")' in str(caught.value)


def test_a_paged_api_with_a_cursor(spark: SparkSession, place: Place) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {"__name__": "__main__"}
    exec("\n".join(blocks), names)
    Pages = names["Pages"]
    pages = [[1, 2], [3, 4, 5], [6], []]
    with api(pages) as url:
        check_split_source(Pages(url))
        sink = FileSink.for_row_format(place.out, "json").build()
        sink.run_available_now(Pages(url).read_stream(spark, max_splits_per_trigger=2), place.checkpoint)
        assert written(place, "id") == [1, 2, 3, 4, 5, 6]
        pages[3] += [7, 8]
        pages += [[9]]
        sink.run_available_now(Pages(url).read_stream(spark), place.checkpoint)
        assert written(place, "id") == [1, 2, 3, 4, 5, 6, 7, 8]


def from_manifest(path: str) -> list[str]:
    with open(f"{path.removeprefix('file:')}/_manifest") as manifest:  # noqa: PTH123
        return manifest.read().split()


def test_a_function_finds_the_files(spark: SparkSession, place: Place) -> None:
    place.feed(files=3)
    names = sorted(file.name for file in place.input.iterdir())
    manifest = place.input / "_manifest"
    builder = stoplog.FileSource.for_record_stream_format("text", place.input).with_file_finder(from_manifest)
    sink = FileSink.for_row_format(place.out, "json").build()
    for listed in (names[:1], [*names[:2], "absent.txt"], [str(place.input / name) for name in names]):
        manifest.write_text("\n".join(listed))
        sink.run_available_now(builder.build().read_stream(spark), place.checkpoint)
        found = len({name.rpartition("/")[2] for name in listed} & set(names))
        assert written(place, "value") == sorted(place.rows)[: 100 * found]


@pytest.mark.spark_lines
def test_a_split_source_runs_from_a_connect_client(place: Place) -> None:
    outcome = Job.at(place, path=str(place.out)).run("splits_connect_job.py")
    assert outcome.code == 0, outcome.printed
    assert json.loads(outcome.printed.splitlines()[-1]) == {"read": 250, "batches": 5}


def test_an_operator_forbids_python_on_the_driver(place: Place) -> None:
    conf = {"spark.stoplog.pythonOnDriver": "false"}
    outcome = Job.at(place, path=str(place.out), conf=conf).run("splits_connect_job.py")
    assert outcome.code == 0, outcome.printed
    assert json.loads(outcome.printed.splitlines()[-1]) == {"refused": "STOPLOG_PYTHON_FORBIDDEN"}
