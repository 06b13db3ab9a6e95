# SPDX-License-Identifier: Apache-2.0
"""What `make bench-peers` rests on: its check of the rows, its count of requests, and its list of losses."""

from __future__ import annotations

import io
import json
import os
import threading
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import fastavro
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bench.engines.counting import Heads, Requests, counting
from bench.engines.exactly_once import require_each_once
from bench.engines.iceberg import live_files
from bench.engines.losses import losses
from bench.engines.measures import MEMORY
from bench.engines.plan import CONTENDERS, FILLER, FIRST_NUMBER, Contender, Plan
from bench.engines.processes import cpu_seconds, thread_times
from bench.engines.requests import RequestCount
from bench.engines.rounds import Left, Result, Round
from bench.engines.worker import Ran, Steady

TEXT, SPARK_TEXT, FLINK_TEXT, PARQUET, FLINK_PARQUET = (*CONTENDERS[:4], CONTENDERS[6])
ROWS = 1_000


def lines(*numbers: int) -> bytes:
    return "".join(f"{FILLER}{FIRST_NUMBER + number}\n" for number in numbers).encode()


def test_rows_may_have_any_order_and_number_of_files() -> None:
    require_each_once(TEXT, [lines(*range(500, ROWS)), b"", lines(*range(500))], ROWS)


@pytest.mark.parametrize(
    ("spoilt", "said"),
    [
        (lambda whole: whole[100:], "999 rows"),
        (lambda whole: whole + whole[:100], "1,001 rows, 1,000 of them different"),
        (lambda whole: whole[:-1], "no whole lines"),
        (lambda whole: b"x" + whole[1:], "none of the lines"),
        (lambda whole: b"", "0 rows"),
    ],
)
def test_text_with_lost_or_repeated_rows_is_rejected(spoilt: Callable[[bytes], bytes], said: str) -> None:
    with pytest.raises(RuntimeError, match=said):
        require_each_once(TEXT, [spoilt(lines(*range(ROWS)))], ROWS)


def test_parquet_with_a_line_of_another_row_is_rejected(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    numbers = list(range(ROWS))
    right = [f"{FILLER}{FIRST_NUMBER + number}" for number in numbers]
    pq.write_table(pa.table({"id": numbers, "line": right}), file)
    require_each_once(PARQUET, [file], ROWS)

    pq.write_table(pa.table({"id": numbers, "line": [*right[1:], right[0]]}), file)
    with pytest.raises(RuntimeError, match="not that of its row"):
        require_each_once(PARQUET, [file], ROWS)


def avro(schema: Mapping[str, object], entries: Sequence[Mapping[str, object]]) -> bytes:
    content = io.BytesIO()
    fastavro.writer(content, {"type": "record", **schema}, entries)
    return content.getvalue()


def field(name: str, kind: object) -> dict[str, object]:
    return {"name": name, "type": kind}


def test_an_iceberg_table_has_the_live_files_of_the_newest_snapshot() -> None:
    data_file = {"type": "record", "name": "data_file", "fields": [field("file_path", "string")]}
    manifest = {"name": "manifest_entry", "fields": [field("status", "int"), field("data_file", data_file)]}
    listing = {"name": "manifest_file", "fields": [field("manifest_path", "string"), field("content", "int")]}
    metadata = {
        "current-snapshot-id": 2,
        "snapshots": [
            {"snapshot-id": 1, "manifest-list": "not read"},
            {"snapshot-id": 2, "manifest-list": "list"},
        ],
    }
    kept, added, deleted = ({"status": n, "data_file": {"file_path": name}} for n, name in enumerate("abc"))
    files = {
        "/t/metadata/version-hint.text": b"7",
        "/t/metadata/v7.metadata.json": json.dumps(metadata).encode(),
        "list": avro(listing, [{"manifest_path": f"m{n}", "content": 0} for n in (1, 2)]),
        "m1": avro(manifest, [kept, deleted]),
        "m2": avro(manifest, [added]),
    }

    assert live_files("/t", files.__getitem__) == ["a", "b"]

    files["list"] = avro(listing, [{"manifest_path": "m1", "content": 1}])
    with pytest.raises(RuntimeError, match="deletes rows"):
        live_files("/t", files.__getitem__)


@pytest.mark.parametrize("piece_bytes", [1, 7, 1_000])
def test_requests_are_counted_across_pieces_and_not_in_bodies(piece_bytes: int) -> None:
    body = b"GET /not/asked HTTP/1.1\r\n\r\n"
    sent = b"PUT /b/k?partNumber=1&uploadId=u HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
    sent += b"HEAD /b/k HTTP/1.1\r\nHost: h\r\n\r\n"
    counted = Requests("http://nowhere")
    heads = Heads(counted)

    for at in range(0, len(sent), piece_bytes):
        heads.see(sent[at : at + piece_bytes])

    assert counted.taken() == {"UploadPart": 1, "HeadObject": 1}
    assert counted.taken() == {}


def test_the_proxy_forwards_counted_requests() -> None:
    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(self.path.encode())

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with counting(f"http://127.0.0.1:{server.server_port}") as counted:
            with urllib.request.urlopen(f"{counted.endpoint}/bucket/key") as answer:
                assert answer.read() == b"/bucket/key"
            assert counted.taken() == {"GetObject": 1}
        server.shutdown()


def result(contender: Contender, *peaks: int) -> Result:
    ran, left = Ran(1.0, 1.0, (1.0,), Steady(1, 1, 1.0, 1.0)), Left(1, 1, 1, 1)
    return Result(contender, tuple(Round(ran, ran, ran, left, left, peak << 20) for peak in peaks))


def test_a_full_run_compares_eight_processes_and_leaves_out_the_first_commits() -> None:
    plan = Plan.full()
    assert plan.rounds >= 8
    assert plan.fresh().dropped == 0
    assert [job.dropped for job in (plan.large(), plan.small())] == [5, 5]
    assert all(job.commits >= 2 * job.dropped for job in (plan.large(), plan.small()))


@pytest.mark.parametrize("name", ["Executor task l", "Executor task i"])
def test_cpu_time_is_told_by_kind_of_thread(name: str) -> None:
    done = threading.Event()

    def work() -> None:
        Path(f"/proc/self/task/{threading.get_native_id()}/comm").write_text(name)
        while thread_times(os.getpid()).executor_user < 0.05:
            sum(range(100_000))
        done.wait()

    before = thread_times(os.getpid())
    worker = threading.Thread(target=work)
    worker.start()
    try:
        while thread_times(os.getpid()).executor_user < 0.05:
            assert worker.is_alive()
        used = thread_times(os.getpid()).since(before)
        assert used.executor_user > 0
        assert used.optimizing == used.quick == 0
        assert used.all <= cpu_seconds(os.getpid())
    finally:
        done.set()
        worker.join()


def test_a_loss_names_the_peers_ahead_with_the_ratio() -> None:
    found = losses([result(TEXT, 300, 200, 400), result(FLINK_TEXT, 100, 150, 250)], [])

    assert [(loss.measure, loss.ours) for loss in found] == [(MEMORY.name, "300")]
    assert [(one.name, one.shown, one.times) for one in found[0].ahead] == [(FLINK_TEXT.name, "150", 2.0)]
    assert not found[0].ahead[0].apart  # its worst round is behind our best


def test_all_peers_ahead_are_named_with_the_best_first() -> None:
    contenders = [result(TEXT, 300), result(SPARK_TEXT, 200), result(FLINK_TEXT, 100)]

    (loss,) = losses(contenders, [])

    assert [(one.name, one.apart) for one in loss.ahead] == [
        (FLINK_TEXT.name, True),
        (SPARK_TEXT.name, True),
    ]


def test_equal_figures_are_not_a_loss_and_formats_are_not_mixed() -> None:
    assert losses([result(TEXT, 100), result(FLINK_TEXT, 100)], []) == []
    assert losses([result(TEXT, 100), result(FLINK_TEXT, 200)], []) == []
    requests = [
        RequestCount(TEXT, 2, {"PutObject": 20}, 1, 0),
        RequestCount(FLINK_PARQUET, 2, {"PutObject": 2}, 1, 0),
    ]
    assert losses([], requests) == []


def test_more_requests_are_a_loss() -> None:
    requests = [
        RequestCount(TEXT, 2, {"PutObject": 20}, 1, 0),
        RequestCount(FLINK_TEXT, 2, {"PutObject": 8}, 1, 0),
    ]

    (loss,) = losses([], requests)

    assert (loss.ours, loss.ahead[0].shown, loss.ahead[0].times) == ("10.0", "4.0", 2.5)
