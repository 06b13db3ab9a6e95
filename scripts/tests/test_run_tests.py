# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

import steps
from junit import Counts


def step(folder: Path, program: str) -> steps.Step:
    return steps.Step("probe", [sys.executable, "-c", program], (folder / "reports",))


def test_a_runner_without_a_report_is_a_failure(tmp_path: Path) -> None:
    assert step(tmp_path, "raise SystemExit(137)").run().counts == Counts(failed=1)


def test_errors_of_a_runner_without_a_report_are_quoted(tmp_path: Path) -> None:
    program = (
        "print('[info] fine', '[error] no memory left', '[info] done', sep=chr(10)); raise SystemExit(1)"
    )
    counts = step(tmp_path, program).run().counts
    assert counts.failures == (
        "probe: the runner itself ended with exit code 1",
        "probe: [error] no memory left",
    )


def test_a_runner_without_errors_is_quoted_by_the_last_lines() -> None:
    assert steps.last_lines(str(each) for each in range(100)) == [str(each) for each in range(88, 100)]


def test_reports_of_an_earlier_run_do_not_count(tmp_path: Path) -> None:
    reports = tmp_path / "reports"
    reports.mkdir()
    (reports / "old.xml").write_text('<testsuite tests="9"/>')
    assert step(tmp_path, "").run().counts == Counts()


def test_the_installed_spark_is_not_under_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_HOME", "/somewhere")
    monkeypatch.setenv("PYSPARK_DRIVER_PYTHON", "ipython")
    found = steps.environment("python-of-the-line")
    assert "SPARK_HOME" not in found
    assert "PYSPARK_DRIVER_PYTHON" not in found
    assert found["PYSPARK_PYTHON"] == "python-of-the-line"


def test_temporary_files_of_a_step_are_removed(tmp_path: Path) -> None:
    told = tmp_path / "told"
    program = (
        "import os, pathlib, tempfile; where = tempfile.mkdtemp(); "
        f"pathlib.Path({str(told)!r}).write_text(where + os.pathsep + os.environ['SPARK_SUBMIT_OPTS'])"
    )
    assert step(tmp_path, program).run().counts == Counts()
    where, jvm = told.read_text().split(":")
    directory = Path(where).parent
    assert directory.name.startswith("stoplog-")
    assert directory.parent == (steps.place() or Path(tempfile.gettempdir()))
    assert jvm == f"-Djava.io.tmpdir={directory}"
    assert not directory.exists()


def test_files_written_during_the_removal_are_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.rmtree", lambda *_, **__: None)
    with steps.temporary_directory(pause=monkeypatch.undo) as kept:
        pass
    assert not Path(kept).exists()


@pytest.mark.skipif(not Path("/proc/meminfo").exists(), reason="no machine without it tells its memory")
def test_memory_is_used_only_with_room_for_files_and_processes(tmp_path: Path) -> None:
    assert steps.has_room(tmp_path, files=1, processes=1)
    assert not steps.has_room(tmp_path, files=1 << 60, processes=1)
    assert not steps.has_room(tmp_path, files=1, processes=1 << 60)
    assert not steps.has_room(tmp_path / "absent")


def test_tmpdir_selects_the_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert steps.place() is None


def test_a_nested_script_uses_the_same_temporary_directory() -> None:
    assert steps.environment("python")["TMPDIR"] == tempfile.gettempdir()
