# SPDX-License-Identifier: Apache-2.0
"""Whether a driver is at work, told without Spark and without a tool's own sign of life."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from made_sink import NOW, RUN, MadeSink

from stoplog._inspect.liveness import DriverNote, _space, _started_at_millis, driver_life, is_here
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
    assert life(tmp_path, NOW).state is DriverState.RELEASED
    claimed(tmp_path, {}).record("release", at_millis=NOW)
    found = life(tmp_path, NOW)
    assert (found.state, found.silent_millis) == (DriverState.RELEASED, None)


def test_a_process_that_has_ended_is_dead_at_once(tmp_path: Path) -> None:
    claimed(tmp_path, {"driver": NOTE})
    found = life(tmp_path, NOW, there=False)
    assert found.state is DriverState.DEAD
    assert found.message.endswith("is dead: there is no process 17 on node-1 any more")
    assert life(tmp_path, NOW, there=True).state is DriverState.ALIVE


@pytest.mark.parametrize(("settings", "patience"), [({}, 180), ({"driver": NOTE}, 60)])
def test_elsewhere_silence_tells(settings: dict[str, str], patience: int, tmp_path: Path) -> None:
    sink = claimed(tmp_path, settings)
    assert life(tmp_path, NOW + patience * 1000).state is DriverState.ALIVE
    found = life(tmp_path, NOW + patience * 1000 + 1)
    assert (found.state, found.silent_millis) == (DriverState.SILENT, patience * 1000 + 1)
    for run in ("another", RUN):
        beat = tmp_path / "_stoplog" / "main" / "alive" / f"{run}-3"
        sink.write(f"_stoplog/main/alive/{run}-3", b"")
        os.utime(beat, (NOW / 1000 + 50, NOW / 1000 + 50))
        heard = life(tmp_path, NOW + patience * 1000 + 1).state
        assert heard is (DriverState.ALIVE if run == RUN else DriverState.SILENT)


@pytest.mark.skipif(not _space(), reason="this machine has no /proc")
def test_a_process_of_this_machine_is_looked_for() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        started = _started_at_millis(process.pid)
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


def test_a_connector_s_sink_tells_nothing(tmp_path: Path) -> None:
    MadeSink(tmp_path, "kafka", settings={"content": ""}).record("claim")
    assert SinkDirectory(tmp_path, clock=lambda: NOW).status("kafka").driver is None
