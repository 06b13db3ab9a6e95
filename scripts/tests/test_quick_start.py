# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from check_quick_start import OK, outcome
from empty_environment import CommandFailed, EmptyEnvironment
from quick_start import QuickStart, commands_from_a_template
from quick_start_ways import WAYS, Visit
from stoplog.cli.main import parser


def test_the_page_contains_all_commands() -> None:
    page = QuickStart()
    wheel = Path("/x/stoplog-1.2.3-py3-none-any.whl")
    assert page.install("4.0.9", wheel).splitlines() == [
        "pip install pyspark==4.0.9 pyarrow",
        f"pip install '{wheel}'",
    ]
    assert "--packages io.github.stoplog:stoplog_2.13:" in page.run_without_wheel()
    assert "SparkConnectServer" in page.serve()
    compile(page.job_of_client(), "job.py", "exec")
    assert 'remote("sc://localhost")' in page.job_of_client()
    assert "local[2]" not in page.job_of_client()
    assert "run_available_now" in page.job_of_client()


def test_three_commands_lead_from_an_empty_directory_to_rows() -> None:
    commands = commands_from_a_template().splitlines()
    assert len(commands) == 3
    assert parser().parse_args(shlex.split(commands[0].partition(" && ")[0])[1:]).name == "clicks"
    assert commands[1:] == ["pip install -r requirements.txt", "python job.py"]


def test_a_shell_has_no_variables_of_the_installed_spark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SPARK_HOME", "PYSPARK_PYTHON", "PYTHONPATH", "STOPLOG_JAR"):
        monkeypatch.setenv(name, "/opt/own")
    seen = EmptyEnvironment(tmp_path).shell(tmp_path, "env", STOPLOG_MORE="1")
    assert "/opt/own" not in seen
    assert "STOPLOG_MORE=1" in seen
    assert f"PATH={tmp_path}/bin:" in seen


def test_a_failed_command_is_the_reason_in_the_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    visit = Visit(EmptyEnvironment(tmp_path), "4.2.0", tmp_path, tmp_path)

    def fail(visit: Visit) -> None:
        visit.shell("echo so it is >&2; exit 3")

    monkeypatch.setitem(WAYS, "configure", fail)
    monkeypatch.setitem(WAYS, "packages", lambda visit: None)
    assert "ended with 3: so it is" in outcome("configure", visit)
    assert outcome("packages", visit) == OK
    assert "Spark 4.2.0, configure: FAILED:" in capsys.readouterr().out
    with pytest.raises(CommandFailed):
        fail(visit)
