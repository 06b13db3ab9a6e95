# SPDX-License-Identifier: Apache-2.0
"""Targets of announcements in Python, called by the jar."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from stoplog import Announcement, AnnouncementTarget, Delivery, FileChange, FileSink, Position
from stoplog._shared.this_python import completed
from stoplog.cli.main import main
from support.wait import until

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from support.place import Place


RECEIVER = Path(__file__).resolve().parents[2] / "examples" / "announcements" / "receiver.py"


def text(number: int) -> str:
    return json.dumps(
        {
            "format": 1,
            "id": f"main/identity/{number}/0",
            "log": "main",
            "identity": "identity",
            "sequence": number,
            "number": 0,
            "kind": "added",
            "path": "/data/out",
            "sinkId": "main",
            "bucket": "day=1",
            "epoch": 5,
            "decidedAt": "2026-01-31T23:59:58.123Z",
            "files": [{"path": "day=1/a", "bucket": "day=1", "rows": 3, "bytes": 10}],
        }
    )


class Stored(AnnouncementTarget):
    """Appends texts to a file, whose last line is the position."""

    def __init__(self, file: str) -> None:
        self.file = file

    def deliver(self, changes: list[FileChange]) -> Delivery:
        if any(change.position.sequence > 90 for change in changes):
            return Delivery.retry("the queue is full", after_seconds=2)
        with open(self.file, "a") as out:  # noqa: PTH123
            out.writelines(f"{change.text}\n" for change in changes)
        return Delivery.DELIVERED

    def position(self, path: str, log: str) -> Position | None:
        with open(self.file, "a+") as found:  # noqa: PTH123
            found.seek(0)
            texts = found.read().splitlines()
        return FileChange.parse(texts[-1]).position if texts else None

    def check(self) -> None:
        if self.file.endswith("absent"):
            raise ValueError("there is no such file")


class Jvm:
    """The jar's factory of targets in Python."""

    def __init__(self, spark: SparkSession) -> None:
        self.jvm: Any = spark._jvm

    def target(self, announcement: Announcement) -> Any:
        settings = self.jvm.java.util.HashMap()
        for key, value in completed(announcement.options(), object()).items():
            if key != "kind":
                settings.put(key, value)
        return self.jvm.stoplog.python.announce.PythonTargets().create("files", settings)

    def deliver(self, target: Any, *numbers: int) -> str:
        found = self.jvm.java.util.ArrayList()
        for number in numbers:
            found.add(self.jvm.stoplog.announce.AnnouncementJson.parse(text(number)))
        vector = self.jvm.scala.jdk.javaapi.CollectionConverters.asScala(found).toVector()
        return str(target.deliver(vector).toString())


def test_the_jar_delivers_to_a_target_in_python(spark: SparkSession, tmp_path: Path) -> None:
    jar, file = Jvm(spark), tmp_path / "got"
    target = jar.target(Announcement.from_target(Stored(str(file))))
    try:
        target.check()
        assert target.position("/data/out", "main").toString() == "None"
        assert jar.deliver(target, 1, 2) == "Delivered"
        assert [json.loads(line) for line in file.read_text().splitlines()] == [
            json.loads(text(number)) for number in (1, 2)
        ]
        assert target.position("/data/out", "main").toString() == "Some(main/identity/2/0)"
        assert jar.deliver(target, 91) == "Retry(the queue is full,Some(2000))"
    finally:
        target.close()
    again = jar.target(Announcement.from_target(Stored(str(file))))
    try:
        assert again.position("/data/out", "main").toString() == "Some(main/identity/2/0)"
    finally:
        again.close()


def test_the_jar_delivers_to_a_function(spark: SparkSession, tmp_path: Path) -> None:
    jar, file = Jvm(spark), tmp_path / "got"

    def written(changes: list[FileChange]) -> None:
        with open(file, "a") as out:  # noqa: PTH123
            out.writelines(f"{change.id}\n" for change in changes)

    target = jar.target(Announcement.from_function(written))
    try:
        assert not hasattr(type(target), "position")
        assert jar.deliver(target, 1, 2) == "Delivered"
    finally:
        target.close()
    assert file.read_text().splitlines() == ["main/identity/1/0", "main/identity/2/0"]


def test_failures_of_user_code_are_named(spark: SparkSession, tmp_path: Path) -> None:
    jar = Jvm(spark)

    def fails(changes: list[FileChange]) -> None:
        raise ValueError(f"no queue for {len(changes)}")

    target = jar.target(Announcement.from_function(fails))
    try:
        with pytest.raises(Exception, match="ValueError: no queue for 1"):
            jar.deliver(target, 1)
    finally:
        target.close()
    absent = jar.target(Announcement.from_target(Stored(str(tmp_path / "absent"))))
    try:
        with pytest.raises(Exception, match="there is no such file"):
            absent.check()
    finally:
        absent.close()
    with pytest.raises(Exception, match="python is not set by hand"):
        jar.target(Announcement.scala_class("python"))


def announced(file: Path) -> list[FileChange]:
    return [FileChange.parse(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_a_stream_announces_its_files_to_a_function_after_they_are_visible(
    spark: SparkSession, place: Place
) -> None:
    place.feed(files=2)
    file, out = place.root / "got", place.out

    def written(changes: list[FileChange]) -> None:
        for change in changes:
            absent = [each.path for each in change.files if not (out / each.path).is_file()]
            assert not absent, f"announced before it is visible: {absent}"
        with open(file, "a") as lines:  # noqa: PTH123
            lines.writelines(f"{change.text}\n" for change in changes)

    sink = (
        FileSink.for_row_format(out, "text")
        .with_announcement(Announcement.from_function(written), "lines")
        .build()
    )
    rows = spark.readStream.option("maxFilesPerTrigger", 1).text(str(place.input))
    progress = sink.run_available_now(rows, place.checkpoint)
    parts = {str(each.relative_to(out)) for each in out.glob("dt=*/**/part-*")}
    assert parts
    until("all files", lambda: {each.path for change in announced(file) for each in change.files} == parts)
    found = announced(file)
    assert len({change.id for change in found}) == len(found), "each once, because no process has failed"
    assert [change.position.sequence for change in found] == sorted(
        change.position.sequence for change in found
    )
    assert sum(each.rows or 0 for change in found for each in change.files) == progress.metrics.published_rows


def test_a_batch_job_announces_its_files(spark: SparkSession, place: Place) -> None:
    file = place.root / "got"
    target = Announcement.from_target(Stored(str(file)))
    sink = FileSink.for_row_format(place.out, "text").with_announcement(target, "lines").build()
    sink.write(spark.range(10).selectExpr("cast(id AS string) AS value"))
    (change,) = announced(file)
    assert (change.kind, change.epoch, change.log[:6]) == ("added", None, "batch-")
    assert sum(each.rows or 0 for each in change.files) == 10


def test_the_command_sends_a_signed_test_announcement(
    place: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("WEBHOOK_SECRET", "word")
    database = place.root / "received.db"
    receiver = subprocess.Popen(
        [sys.executable, str(RECEIVER), "0", str(database)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert receiver.stdout is not None
        address = f"http://127.0.0.1:{receiver.stdout.readline().strip()}/files"
        settings = {"announce.hook": "webhook", "announce.hook.url": address}
        settings["announce.hook.secret"] = "env:WEBHOOK_SECRET"
        options = [word for key, value in settings.items() for word in ("--option", f"{key}={value}")]
        assert main(["announce", str(place.out), *options, "--try", "--yes"]) == 0, capsys.readouterr().err
    finally:
        receiver.kill()
        receiver.communicate()
    with sqlite3.connect(database) as found:
        types = found.execute("SELECT type FROM announcement").fetchall()
    assert types == [("io.github.stoplog.snapshot",)]
