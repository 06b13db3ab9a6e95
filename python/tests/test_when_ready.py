# SPDX-License-Identifier: Apache-2.0
"""The page "When is my data ready?": its receiver, its queries and its functions work."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
import sqlite3
import subprocess
import sys
import textwrap
import urllib.error
import urllib.request
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import duckdb
import pytest

import stoplog
from stoplog._python.announcing import TargetOfFunction

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "operate" / "when-ready.md").read_text("utf-8")
RECEIVER = ROOT / "examples" / "announcements" / "receiver.py"
TEXT = json.dumps(
    {
        "format": 1,
        "id": "main/i/7/0",
        "log": "main",
        "identity": "i",
        "sequence": 7,
        "number": 0,
        "kind": "partition complete",
        "path": "/data/out",
        "sinkId": "main",
        "bucket": "day=2026-01-31",
        "decidedAt": "2026-02-01T00:10:00.120Z",
        "completed": [{"bucket": "day=2026-01-31", "version": 1}],
    }
)


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


class Receiver:
    """The example in a process of its own."""

    def __init__(self, database: Path) -> None:
        self.database = database
        self.process = subprocess.Popen(
            [sys.executable, str(RECEIVER), "0", str(database)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=os.environ | {"WEBHOOK_SECRET": "word"},
        )
        assert self.process.stdout is not None
        self.address = f"http://127.0.0.1:{self.process.stdout.readline().strip()}/files"

    def post(self, event: dict[str, Any], secret: str = "word") -> int:
        body = json.dumps(event).encode()
        signed = b"id-1.1769904003." + body
        mac = base64.b64encode(hmac.digest(secret.encode(), signed, hashlib.sha256)).decode()
        headers = {"webhook-id": "id-1", "webhook-timestamp": "1769904003", "webhook-signature": f"v1,{mac}"}
        return self._status(urllib.request.Request(self.address, body, headers))

    def options(self) -> int:
        return self._status(urllib.request.Request(self.address, method="OPTIONS"))

    def ids(self) -> list[str]:
        with sqlite3.connect(self.database) as database:
            return [row[0] for row in database.execute("SELECT id FROM announcement")]

    def _status(self, request: urllib.request.Request) -> int:
        try:
            with urllib.request.urlopen(request) as response:
                return int(response.status)
        except urllib.error.HTTPError as error:
            with error:
                return int(error.code)


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[Receiver]:
    started = Receiver(tmp_path / "announcements.db")
    try:
        yield started
    finally:
        started.process.kill()
        started.process.communicate()


def test_the_receiver_stores_each_announcement_once(receiver: Receiver) -> None:
    one: dict[str, Any] = {"id": "a", "type": "t", "data": {}}
    two = one | {"id": "b"}
    assert receiver.options() == 204
    assert [receiver.post(event) for event in (one, one, two, one)] == [204] * 4
    assert receiver.ids() == ["a", "b"]


def test_the_receiver_rejects_a_forged_announcement(receiver: Receiver) -> None:
    assert receiver.post({"id": "a", "type": "t", "data": {}}, secret="other") == 401
    assert receiver.ids() == []


def test_the_page_shows_the_receiver() -> None:
    shown = next(block for block in blocks("python") if block.startswith("def do_POST"))
    assert textwrap.indent(shown, "    ") in RECEIVER.read_text("utf-8")
    assert len(shown.splitlines()) <= 20


def test_the_queries_of_the_page_find_files_and_complete_buckets() -> None:
    database = duckdb.connect()
    columns = "change_kind VARCHAR, bucket VARCHAR, bucket_version INT, file_path VARCHAR, decided_at VARCHAR"
    database.execute(f"CREATE TABLE files ({columns})")
    day, at = "day=2026-01-31", "2026-02-01T00:10:00.120Z"
    rows = [
        ("added", day, None, f"{day}/new", at),
        ("added", day, None, f"{day}/old", "2026-01-30T23:59:59.999Z"),
        ("partition complete", day, 1, None, at),
    ]
    database.executemany("INSERT INTO files VALUES (?, ?, ?, ?, ?)", rows)
    new_files = next(block for block in blocks("sql") if "file_path" in block)
    assert database.execute(new_files).fetchall() == [(f"{day}/new",)]
    sensor = next(block for block in blocks("python") if "SqlSensor" in block)
    query = eval(sensor, {"SqlSensor": dict})["sql"].replace("{{ ds }}", "2026-01-31")
    assert database.execute(query).fetchall() == [(1,)]
    assert database.execute(query.replace("01-31", "01-30")).fetchall() == []
    freshness = re.findall(r'loaded_at_field: "(.*?)"', PAGE)[0]
    assert database.execute(f"SELECT max({freshness}) IS NOT NULL FROM files").fetchone() == (True,)


def test_the_sensor_of_dagster_requests_a_run_for_each_complete_day() -> None:
    database = sqlite3.connect(":memory:")
    columns = "log_identity, record_sequence, announcement_number, change_kind, bucket, decided_at"
    database.execute(f"CREATE TABLE files ({columns})")

    def complete(log: str, record: int, number: int, days_ago: int) -> None:
        at = (datetime.now(timezone.utc) - timedelta(days=days_ago)).isoformat(timespec="milliseconds")
        row = (log, record, number, "partition complete", f"day={number}", at.replace("+00:00", "Z"))
        database.execute("INSERT INTO files VALUES (?, ?, ?, ?, ?, ?)", row)

    names: dict[str, Any] = {
        "datetime": datetime,
        "timedelta": timedelta,
        "timezone": timezone,
        "sensor": lambda job: lambda function: function,  # Dagster starts one run for each key
        "load_day": None,
        "RunRequest": SimpleNamespace,
        "database": database,
    }
    exec(next(block for block in blocks("python") if "@sensor" in block), names)

    def requests() -> set[tuple[str, str]]:
        return {(each.run_key, each.partition_key) for each in names["complete_days"]()}

    complete("log", 7, 0, days_ago=0)
    assert requests() == {("log/7/0", "0")}
    complete("log", 7, 1, days_ago=0)  # of the same record, in a later transaction
    complete("other", 7, 0, days_ago=3)  # of a target that was down
    assert requests() == {("log/7/0", "0"), ("log/7/1", "1"), ("other/7/0", "0")}


class Cloud:
    """Records the calls of the clients of clouds."""

    def __init__(self, failed: int = 0) -> None:
        self.calls: list[dict[str, Any]] = []
        self.failed = failed

    def client(self, name: str) -> Cloud:
        return self

    def send_message(self, **call: Any) -> None:
        self.calls.append(call)

    def put_events(self, **call: Any) -> dict[str, int]:
        self.calls.append(call)
        return {"FailedEntryCount": self.failed}

    def PublisherClient(self) -> Cloud:
        return self

    def publish(self, topic: str, data: bytes, **call: Any) -> Any:
        self.calls.append({"topic": topic, "data": data, **call})
        return SimpleNamespace(result=lambda: None)


def delivered_by(name: str, cloud: Cloud) -> stoplog.Delivery:
    names: dict[str, Any] = {"boto3": cloud, "pubsub_v1": cloud, "stoplog": stoplog}
    exec(next(block for block in blocks("python") if f"def {name}(" in block), names)
    return TargetOfFunction(names[name]).deliver([stoplog.FileChange.parse(TEXT)])


@pytest.mark.parametrize("name", ["to_sqs", "to_eventbridge", "to_pubsub"])
def test_the_functions_for_clouds_send_the_announcement(name: str) -> None:
    cloud = Cloud()
    assert delivered_by(name, cloud) == stoplog.Delivery.DELIVERED
    assert len(cloud.calls) == 1
    assert TEXT in str(cloud.calls).replace("\\'", "'") or TEXT.encode() in cloud.calls[0].values()


def test_a_rejected_entry_of_eventbridge_is_sent_again() -> None:
    assert delivered_by("to_eventbridge", Cloud(failed=1)).outcome == "retry"


def test_the_sink_of_the_page_has_both_targets() -> None:
    names: dict[str, Any] = {"stoplog": stoplog}
    exec(blocks("python")[0], names)
    options = names["sink"].options()
    assert (options["announce.lake"], options["announce.lake.table"]) == ("catalog", "lake.events")
    assert (options["announce.hook"], options["announce.hook.secret"]) == ("webhook", "env:HOOK")
