# SPDX-License-Identifier: Apache-2.0
"""Processes of a life: their ends, and that none is left."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from stoplog.testing._process import ChildProcesses, End, FunctionName, OutOfTime, ProcessRun

LIFE = ProcessRun(
    FunctionName("m", "m.py", "build"), {"n": 1}, {}, "in", "out", "checkpoint", {}, "midWrite:1:halt"
)
WAIT = "import threading; print('waits', flush=True); threading.Event().wait()"


def live(folder: Path, program: str, limit_seconds: float = 300, doomed_by: str = "never") -> End:
    child = ChildProcesses(limit_seconds, (sys.executable, "-c", program))
    log = folder / "life.log"
    return child(LIFE, log, lambda: doomed_by in log.read_text())


def test_a_child_process_receives_the_run_as_a_line_of_json(tmp_path: Path) -> None:
    end = live(tmp_path, "print(input())")
    reported = json.loads(end.said)
    assert reported["build"] == {"module": "m", "file": "m.py", "name": "build"}
    assert reported["arguments"] == {"n": 1}
    assert "-Dstoplog.faults=midWrite:1:halt" in reported["conf"]["spark.driver.extraJavaOptions"]
    assert end.code == 0


def test_a_failure_has_the_end_of_the_output(tmp_path: Path) -> None:
    end = live(tmp_path, "import sys; print('x' * 9000); sys.exit('no such column')")
    assert (end.code, end.is_kill) == (1, False)
    assert end.said.endswith("no such column")


def test_a_halted_jvm_and_kill_9_are_kills(tmp_path: Path) -> None:
    assert live(tmp_path, "raise SystemExit(137)").is_kill
    assert live(tmp_path, WAIT, doomed_by="waits").is_kill


def test_a_hanging_child_process_is_killed(tmp_path: Path) -> None:
    with pytest.raises(OutOfTime):
        live(tmp_path, WAIT, limit_seconds=0.05)


def test_a_child_process_has_the_module_path_of_the_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here.py").write_text("HERE = 'found'")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("SPARK_REMOTE", "sc://elsewhere")
    program = "import os, only_here; print(only_here.HERE, os.environ.get('SPARK_REMOTE'))"
    assert live(tmp_path, program).said == "found None"


def test_a_child_process_dies_with_the_parent() -> None:
    program = (
        "import threading; from stoplog.testing._child import _die_with_parent as die; "
        f"threading.Thread(target=die, daemon=True).start(); {WAIT.partition('; ')[2]}"
    )
    path = os.pathsep.join(sys.path)
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stdout.readline() == "waits\n"
    child.stdin.close()
    assert child.wait(300) == -9
    child.stdout.close()
