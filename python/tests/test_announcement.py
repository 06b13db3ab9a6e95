# SPDX-License-Identifier: Apache-2.0
"""Announcements in Python: builders, user code and the laws of targets."""

from __future__ import annotations

import json
import sqlite3
import threading
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from stoplog import (
    AnnouncedFile,
    Announcement,
    AnnouncementTarget,
    Delivery,
    FileChange,
    FileSink,
    Position,
)
from stoplog._python.announcing import TargetOfChanges, TargetOfFunction
from stoplog._python.model import WrongUse
from stoplog._shared.this_python import completed
from stoplog.testing import LawBroken, check_announcement_target

IDENTITY = "6f1c2f3e-8a4b-4c5d-9e6f-0a1b2c3d4e5f"
TEXT = json.dumps(
    {
        "format": 1,
        "id": f"main/{IDENTITY}/7/0",
        "log": "main",
        "identity": IDENTITY,
        "sequence": 7,
        "number": 0,
        "kind": "replaced",
        "path": "/data/out",
        "sinkId": "main",
        "bucket": "day=1",
        "epoch": 5,
        "decidedAt": "2026-01-31T23:59:58.123Z",
        "files": [{"path": "day=1/a", "bucket": "day=1", "rows": 3, "bytes": 10, "min": "m", "max": "n"}],
        "replaced": ["day=1/b"],
    }
)


def test_an_announcement_has_all_fields_of_its_json() -> None:
    assert FileChange.parse(TEXT) == FileChange(
        id=f"main/{IDENTITY}/7/0",
        kind="replaced",
        path="/data/out",
        sink_id="main",
        log="main",
        position=Position(IDENTITY, 7, 0),
        decided_at=datetime(2026, 1, 31, 23, 59, 58, 123000, tzinfo=timezone.utc),
        bucket="day=1",
        epoch=5,
        files=(AnnouncedFile("day=1/a", 10, 3, "m", "n"),),
        replaced=("day=1/b",),
        removed=(),
        version=None,
        text=TEXT,
    )


def test_the_version_of_a_complete_bucket_is_read() -> None:
    found = json.loads(TEXT) | {"kind": "partition complete", "completed": [{"bucket": "b", "version": 2}]}
    assert FileChange.parse(json.dumps(found)).version == 2


def test_positions_have_an_order() -> None:
    one, next_number, next_record = Position("i", 1, 0), Position("i", 1, 1), Position("i", 2, 0)
    assert next_number.is_after(one)
    assert next_record.is_after(next_number)
    assert not one.is_after(one)


@pytest.mark.parametrize(
    ("announcement", "options"),
    [
        (
            Announcement.webhook("https://example.com", secret="env:S", start="snapshot", on_refused="skip"),
            {"url": "https://example.com", "secret": "env:S", "start": "snapshot", "onRefused": "skip"},
        ),
        (Announcement.catalog("lake.events"), {"table": "lake.events"}),
        (
            Announcement.jdbc("jdbc:h2:x", "files", user="u"),
            {"url": "jdbc:h2:x", "dbtable": "files", "user": "u"},
        ),
        (
            Announcement.kafka("broker:1", "files", positionTopic="at"),
            {"kafka.bootstrap.servers": "broker:1", "topic": "files", "positionTopic": "at"},
        ),
        (Announcement.scala_class("com.example.A", {"x": "1"}), {"x": "1"}),
    ],
)
def test_a_sink_has_the_settings_of_a_target_as_options(
    announcement: Announcement, options: dict[str, str]
) -> None:
    sink = FileSink.for_row_format("/out", "json").with_announcement(announcement, "hook").build()
    expected = {f"announce.hook.{key}": value for key, value in options.items()}
    own = {"path": "/out", "format": "json", "announce.hook": announcement.kind}
    assert sink.options() == own | expected


def test_several_names_are_several_targets_and_a_repeated_name_replaces() -> None:
    base = FileSink.for_row_format("/out", "json").with_announcement(Announcement.webhook("https://a"), "one")
    twice = base.with_announcement(Announcement.webhook("https://b"), "two")
    again = twice.with_announcement(Announcement.catalog("t"), "one").build().options()
    assert (again["announce.one"], again["announce.two"]) == ("catalog", "webhook")
    assert "announce.one.url" not in again


class Lines(AnnouncementTarget):
    """Appends the ids of announcements to a file."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def deliver(self, changes: list[FileChange]) -> Delivery:
        with self.file.open("a") as out:
            out.writelines(f"{change.id}\n" for change in changes)
        return Delivery.DELIVERED


class Rows(AnnouncementTarget):
    """Inserts the ids of announcements with their position into a database."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def open(self) -> None:
        self.database = sqlite3.connect(self.file, isolation_level=None)
        self.database.execute("CREATE TABLE IF NOT EXISTS got (id, log, identity, sequence, number)")

    def deliver(self, changes: list[FileChange]) -> Delivery:
        self.database.execute("BEGIN IMMEDIATE")
        stored = self.position(changes[0].path, changes[0].log)
        for change in changes:
            at = change.position
            if stored is None or at.is_after(stored):
                row = (change.id, change.log, at.identity, at.sequence, at.number)
                self.database.execute("INSERT INTO got VALUES (?, ?, ?, ?, ?)", row)
        self.database.execute("COMMIT")
        return Delivery.DELIVERED

    def position(self, path: str, log: str) -> Position | None:
        newest = "SELECT identity, sequence, number FROM got WHERE log = ? ORDER BY 2 DESC, 3 DESC LIMIT 1"
        found = self.database.execute(newest, (log,)).fetchone()
        return Position(*found) if found else None

    def close(self) -> None:
        self.database.close()


def lines(file: Path) -> list[str]:
    return file.read_text().splitlines() if file.exists() else []


def rows(file: Path) -> list[str]:
    with sqlite3.connect(file) as database:
        return [row[0] for row in database.execute("SELECT id FROM got ORDER BY rowid")]


def test_targets_that_keep_the_laws_pass(tmp_path: Path) -> None:
    check_announcement_target(Lines(tmp_path / "lines"), lambda: lines(tmp_path / "lines"))
    check_announcement_target(Rows(tmp_path / "rows"), lambda: rows(tmp_path / "rows"))


class Loses(Lines):
    def deliver(self, changes: list[FileChange]) -> Delivery:
        super().deliver(changes[1:])
        return Delivery.DELIVERED


class Backwards(Lines):
    def deliver(self, changes: list[FileChange]) -> Delivery:
        return super().deliver(changes[::-1])


class ChecksLoudly(Lines):
    def check(self) -> None:
        self.file.write_text(f"main/{IDENTITY}/1/0\n")


class Twice(Rows):
    def position(self, path: str, log: str) -> Position | None:
        return None


class ByRecord(Rows):
    """Compares only the numbers of records."""

    def position(self, path: str, log: str) -> Position | None:
        found = super().position(path, log)
        return found and Position(found.identity, found.sequence, 10**6)


class Refuses(Lines):
    def deliver(self, changes: list[FileChange]) -> Delivery:
        return (
            Delivery.refused("the table is gone")
            if "gap" in [c.kind for c in changes]
            else super().deliver(changes)
        )


@pytest.mark.parametrize(
    ("target", "law", "received"),
    [
        (Loses, "announcements arrive in order", lines),
        (Backwards, "announcements arrive in order", lines),
        (ChecksLoudly, "a check delivers nothing", lines),
        (Twice, "a repeated delivery loses nothing", rows),
        (ByRecord, "a repeated delivery loses nothing", rows),
        (Refuses, "each kind of change is accepted", lines),
    ],
)
def test_a_broken_law_is_named(target: Any, law: str, received: Any, tmp_path: Path) -> None:
    with pytest.raises(LawBroken) as broken:
        check_announcement_target(target(tmp_path / "got"), lambda: received(tmp_path / "got"))
    assert broken.value.law == law


def test_a_function_that_returns_nothing_has_delivered() -> None:
    got: list[str] = []
    side = TargetOfChanges(TargetOfFunction(lambda changes: got.extend(change.id for change in changes)))
    assert side.deliver([TEXT]) == {"outcome": "delivered", "reason": "", "afterMillis": None}
    assert got == [f"main/{IDENTITY}/7/0"]


class Dying(AnnouncementTarget):
    """Has a connection that dies at its first delivery, and then serves no call and cannot be closed."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def open(self) -> None:
        self.calls.append("open")
        self.is_dead = False

    def deliver(self, changes: list[FileChange]) -> Delivery:
        self.is_dead = self.is_dead or self.calls == ["open"]
        self.check()
        self.calls.append("deliver")
        return Delivery.DELIVERED

    def check(self) -> None:
        if self.is_dead:
            raise ConnectionError("the server has restarted")

    def close(self) -> None:
        self.calls.append("close")
        if self.is_dead:
            raise OSError("there is no connection to close")


def test_a_target_is_opened_again_after_an_exception() -> None:
    target = Dying()
    side = TargetOfChanges(target)
    with pytest.raises(ConnectionError, match="the server has restarted"):
        side.deliver([TEXT])
    assert side.deliver([TEXT])["outcome"] == "delivered"
    assert target.calls == ["open", "close", "open", "deliver"]
    target.is_dead = True
    with pytest.raises(ConnectionError):
        side.check()
    side.close()
    assert target.calls[4:] == ["close"], "a target that is not open was closed"


@dataclass
class Returns(AnnouncementTarget):
    found: Any

    def deliver(self, changes: list[FileChange]) -> Delivery:
        found: Delivery = self.found
        return found

    def position(self, path: str, log: str) -> Position | None:
        found: Position | None = self.found
        return found


def test_outcomes_have_reasons_and_waits() -> None:
    outcomes = [Delivery.retry("full", 2.5), Delivery.unknown("timed out"), Delivery.refused("no table")]
    assert [TargetOfChanges(Returns(found)).deliver([TEXT]) for found in outcomes] == [
        {"outcome": "retry", "reason": "full", "afterMillis": 2500},
        {"outcome": "unknown", "reason": "timed out", "afterMillis": None},
        {"outcome": "refused", "reason": "no table", "afterMillis": None},
    ]


def test_wrong_results_are_named() -> None:
    for found in (None, True, "delivered"):
        with pytest.raises(WrongUse, match=r"deliver returned .*Delivery\.DELIVERED"):
            TargetOfChanges(Returns(found)).deliver([TEXT])
    with pytest.raises(WrongUse, match="position returned 7"):
        TargetOfChanges(Returns(7)).position("/data/out", "main")
    with pytest.raises(WrongUse, match="The function returned 1"):
        TargetOfChanges(TargetOfFunction(lambda _: 1)).deliver([TEXT])


def test_positions_are_passed_on() -> None:
    assert TargetOfChanges(Returns(None)).position("/data/out", "main") is None
    found = TargetOfChanges(Returns(Position("i", 7, 1))).position("/data/out", "main")
    assert found == {"identity": "i", "sequence": 7, "number": 1}


def test_options_of_user_code_name_python_and_positions(tmp_path: Path) -> None:
    for user, positioned in ((Lines(tmp_path / "x"), "false"), (Rows(tmp_path / "x"), "true")):
        options = Announcement.from_target(user).options()
        assert (options["kind"], options["python.class"]) == ("python", type(user).__name__)
        assert options["positioned"] == positioned
        sink = (
            FileSink.for_row_format("/out", "json").with_announcement(Announcement.from_target(user)).build()
        )
        python = {f"announce.files.python.{name}" for name in ("pickled", "version", "executable", "path")}
        assert python <= set(completed(sink.options(), object()))
    assert Announcement.from_function(print).options()["positioned"] == "false"


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda: Announcement.from_function(5),  # type: ignore[arg-type]
            r"Announcement\.from_function needs a function, not 5: pass the function itself",
        ),
        (
            lambda: Announcement.from_function(dict),  # type: ignore[arg-type]
            r"Announcement\.from_function needs a function, and got the class dict: pass dict\(…\)",
        ),
        (
            lambda: Announcement.from_target(Lines),  # type: ignore[arg-type]
            "from_target needs an AnnouncementTarget, and got the class Lines: create an object of a class",
        ),
        (
            lambda: Announcement.from_target(print),  # type: ignore[arg-type]
            "from_target needs an AnnouncementTarget, and got the function print",
        ),
    ],
)
def test_what_is_neither_a_function_nor_a_target_is_refused_at_the_call(call: Any, said: str) -> None:
    with pytest.raises(TypeError, match=said):
        call()


def test_a_function_with_a_lock_is_refused_at_the_call() -> None:
    lock = threading.Lock()
    with pytest.raises(TypeError, match="cannot be sent"):
        Announcement.from_function(lambda changes: lock.acquire() and None)
