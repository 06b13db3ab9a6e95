# SPDX-License-Identifier: Apache-2.0
"""Whether a driver is at work, found without Spark and without a heartbeat of a tool."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from made_sink import NOW, RUN, MadeSink

from stoplog._inspect import liveness
from stoplog._inspect.liveness import DriverNote, _space, _started_ticks, driver_life, is_here
from stoplog._log.log import CommitLog
from stoplog._storage import open_storage
from stoplog.inspection import DriverLife, DriverState, SinkDirectory

NOTE = "node-1 boot/pid:[1] 17 1700000000000 20000"


def life(root: Path, now: int, *, there: bool | None = None) -> DriverLife:
    storage = open_storage(root, {})
    return driver_life(storage, "main", CommitLog(storage, "main").newest(), now, lambda _: there)


def claimed(root: Path, settings: dict[str, str]) -> MadeSink:
    sink = MadeSink(root, settings={"inProgress": "staging", **settings})
    sink.record("claim", at_millis=NOW)
    return sink


def test_a_clean_end_and_an_empty_log_have_no_driver(tmp_path: Path) -> None:
    ended = "the log names no running driver: the last run has ended normally"
    assert life(tmp_path, NOW) == DriverLife(DriverState.RELEASED, None, None, ended)
    claimed(tmp_path, {}).record("release", at_millis=NOW)
    assert life(tmp_path, NOW) == DriverLife(DriverState.RELEASED, RUN, None, ended)


def test_the_driver_of_an_ended_process_is_dead_at_once(tmp_path: Path) -> None:
    claimed(tmp_path, {"driver": NOTE})
    dead = f"the driver of run {RUN} is dead: process 17 on node-1 no longer exists"
    assert life(tmp_path, NOW, there=False) == DriverLife(DriverState.DEAD, RUN, None, dead)
    assert life(tmp_path, NOW, there=True).state is DriverState.ALIVE


def test_the_driver_of_a_running_process_is_alive_without_heartbeats(tmp_path: Path) -> None:
    claimed(tmp_path, {"driver": NOTE})
    alive = (
        f"the process of the driver of run {RUN}, 17 on node-1, exists, "
        "and the last heartbeat is 3600 s old: its storage may hang (STOPLOG_STORAGE_HANGS), "
        "or the process has given up the sink"
    )
    found = life(tmp_path, NOW + 3_600_000, there=True)
    assert found == DriverLife(DriverState.ALIVE, RUN, 3_600_000, alive, is_hanging=True)
    assert not life(tmp_path, NOW + 59_999, there=True).is_hanging


def test_a_heartbeat_is_reported_with_the_timeout(tmp_path: Path) -> None:
    claimed(tmp_path, {"driver": NOTE})
    alive = (
        f"the last heartbeat of run {RUN} (process 17 on node-1) is 59 s old; "
        "the driver counts as dead after 60 s"
    )
    assert life(tmp_path, NOW + 59_999) == DriverLife(DriverState.ALIVE, RUN, 59_999, alive)
    silent = f"the driver of run {RUN} counts as dead: no heartbeat for 60 s"
    assert life(tmp_path, NOW + 60_001) == DriverLife(DriverState.SILENT, RUN, 60_001, silent)
    assert life(tmp_path, NOW - 5).silent_millis == 0


def test_a_record_without_a_modification_time_counts_with_the_time_of_the_driver(tmp_path: Path) -> None:
    sink = claimed(tmp_path, {"driver": NOTE})
    sink.write_time(sink.record_path(0), 0)
    assert life(tmp_path, NOW + 1000).silent_millis == 1000


def test_a_driver_without_a_note_is_reported_without_a_host(tmp_path: Path) -> None:
    claimed(tmp_path, {})
    alive = f"the last heartbeat of run {RUN} is 1 s old; the driver counts as dead after 180 s"
    # Without a note there is no process to ask for.
    assert life(tmp_path, NOW + 1000, there=False) == DriverLife(DriverState.ALIVE, RUN, 1000, alive)


@pytest.mark.parametrize(
    ("settings", "patience"),
    [
        ({}, 180),
        ({"driver": NOTE}, 60),
        ({"driver": NOTE.replace(" 20000", " 1000")}, 3),
        # A driver that looks more often than once a second is not asked for more signs than that.
        ({"driver": NOTE.replace(" 20000", " 100")}, 3),
        ({"driver": "by hand"}, 180),
    ],
)
def test_a_driver_on_another_host_is_silent_after_the_timeout(
    settings: dict[str, str], patience: int, tmp_path: Path
) -> None:
    sink = claimed(tmp_path, settings)
    assert life(tmp_path, NOW + patience * 1000).state is DriverState.ALIVE
    found = life(tmp_path, NOW + patience * 1000 + 1)
    assert (found.state, found.silent_millis) == (DriverState.SILENT, patience * 1000 + 1)
    for run in ("another", RUN):
        beat = tmp_path / "_stoplog" / "main" / "alive" / f"{run}-3"
        sink.write(f"_stoplog/main/alive/{run}-3", b"")
        os.utime(beat, (NOW / 1000 + 1, NOW / 1000 + 1))
        heard = life(tmp_path, NOW + patience * 1000 + 1)
        assert heard.state is (DriverState.ALIVE if run == RUN else DriverState.SILENT)
    assert heard.silent_millis == patience * 1000 + 1 - 1000


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("n s 17 5 6", DriverNote("n", "s", 17, 5, 6)),
        ("n  17 5 6", DriverNote("n", "", 17, 5, 6)),
        ("n s 17 5", None),
        ("n s 17 5 6 7", None),
        ("n s x 5 6", None),
        ("n s 17 x 6", None),
        ("n s 17 5 x", None),
    ],
)
def test_an_invalid_note_is_ignored(text: str, note: DriverNote | None) -> None:
    assert DriverNote.read(text) == note


@pytest.mark.skipif(not _space(), reason="this machine has no /proc")
def test_a_process_of_this_host_is_checked() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        started = _started_ticks(process.pid)
        assert started is not None
        note = DriverNote(socket.gethostname(), _space(), process.pid, started, 60_000)
        assert is_here(note) is True
        # The number may have been given to another process.
        assert is_here(DriverNote(note.host, note.space, note.pid, started - 1, 60_000)) is False
        assert process.stdin is not None
        process.stdin.close()
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert is_here(note) is False  # ended, and not yet waited for
    assert is_here(note) is False
    assert is_here(DriverNote("elsewhere", note.space, note.pid, started, 60_000)) is None
    assert is_here(DriverNote(note.host, "another boot", note.pid, started, 60_000)) is None


@pytest.mark.parametrize(("state", "started"), [(b"S", 12_345), (b"R", 12_345), (b"Z", None), (b"X", None)])
def test_reads_the_start_of_a_process_in_ticks_since_the_boot(
    state: bytes, started: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness, "_PROC", tmp_path)
    (tmp_path / "1").mkdir()
    (tmp_path / "1" / "stat").write_bytes(b"")
    assert _started_ticks(17) is None
    numbers = b" ".join(b"%d" % number for number in range(101, 119))
    (tmp_path / "17").mkdir()
    (tmp_path / "17" / "stat").write_bytes(b"17 (odd) \xff name) " + state + b" " + numbers + b" 12345 99\n")
    assert _started_ticks(17) == started


def test_a_process_may_be_alive_if_the_system_hides_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness, "_space", lambda: "boot/pid:[1]")
    monkeypatch.setattr(liveness, "_PROC", tmp_path)
    note = DriverNote(socket.gethostname(), "boot/pid:[1]", 17, 12_345, 60_000)
    assert is_here(note) is None
    (tmp_path / "17" / "stat").mkdir(parents=True)  # unreadable
    assert is_here(note) is None


def test_a_process_namespace_is_identified_by_boot_and_namespace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness, "_PROC", tmp_path)
    assert _space() == ""
    assert is_here(DriverNote(socket.gethostname(), "", 17, 5, 60_000)) is None
    (tmp_path / "sys/kernel/random").mkdir(parents=True)
    (tmp_path / "sys/kernel/random/boot_id").write_text("6f1c2f3e\n")
    (tmp_path / "self/ns").mkdir(parents=True)
    (tmp_path / "self/ns/pid").symlink_to("pid:[4026531836]")
    assert _space() == "6f1c2f3e/pid:[4026531836]"


def test_a_sink_of_a_connector_has_no_driver_state(tmp_path: Path) -> None:
    MadeSink(tmp_path, "kafka", settings={"content": ""}).record("claim")
    assert SinkDirectory(tmp_path, clock=lambda: NOW).status("kafka").driver is None
