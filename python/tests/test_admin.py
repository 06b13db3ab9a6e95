# SPDX-License-Identifier: Apache-2.0
"""The tools without a JVM: what is asked, and what is made of the answer."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

import stoplog
from stoplog.admin import SinkAdmin
from stoplog.cli.command import ExitCode
from stoplog.cli.main import main
from stoplog.errors import ToolFailed

ANSWER = {
    "command": "finalize",
    "path": "/data/out",
    "sinkId": "main",
    "carriedOut": False,
    "driver": "the log names no running driver: the last run has ended normally",
    "driverAlive": False,
    "actions": [
        {"action": "finish", "subject": "a/part-1.json", "reason": "open", "bytes": 2048, "rows": 7},
        {"action": "moveAside", "subject": "b/part-2.json", "reason": "newer", "rows": 1, "to": "aside/b"},
    ],
}


class FakeJvm:
    """Answers, and remembers what it was asked."""

    def __init__(self, *answers: tuple[int, str, str]) -> None:
        self.answers = list(answers)
        self.requested: list[dict[str, object]] = []

    def __call__(self, command: Sequence[str], text: str, watch: object = None) -> tuple[int, str, str]:
        self.requested.append(json.loads(text))
        return self.answers.pop(0)


def answering(**changes: object) -> tuple[int, str, str]:
    return 0, json.dumps({**ANSWER, **changes}) + "\n", "a warning of Hadoop's"


@pytest.fixture(autouse=True)
def _jar(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    jar = tmp_path / "stoplog.jar"
    jar.touch()
    monkeypatch.setenv("STOPLOG_JAR", str(jar))


def sink(jvm: FakeJvm, **hadoop: str) -> SinkAdmin:
    return SinkAdmin("/data/out", "main", stoplog.Jvm(hadoop=hadoop), {}, jvm)


def test_a_plan_is_carried_out_by_the_same_request() -> None:
    jvm = FakeJvm(answering(), answering(carriedOut=True))
    plan = sink(jvm, **{"fs.s3a.endpoint": "there"}).finalize()
    assert [(each.action, each.size_bytes, each.rows, each.to) for each in plan.actions] == [
        ("finish", 2048, 7, None),
        ("moveAside", None, 1, "aside/b"),
    ]
    done = plan.carry_out(stoplog.DriverCheck.DRIVER_IS_DEAD)
    assert done.carried_out
    assert jvm.requested[0] == {
        "command": "finalize",
        "path": "/data/out",
        "sinkId": "main",
        "hadoop": {"fs.s3a.endpoint": "there"},
    }
    assert jvm.requested[1] == {**jvm.requested[0], "carryOut": True, "driverIsDead": True}
    with pytest.raises(ValueError, match="already"):
        done.carry_out()


def test_each_command_sends_its_arguments_in_the_request() -> None:
    jvm = FakeJvm(*[answering()] * 11)
    tools = sink(jvm)
    tools.clean()
    tools.adopt("query-2", 5)
    tools.adopt_by(Path("/data/checkpoint"))
    tools.adopt_and_repeat("query-2", 0)
    tools.adopt_and_repeat_by("/data/checkpoint")
    tools.fork()
    tools.reset(stoplog.OpenRows.MOVE_ASIDE)
    tools.rewind(41)
    tools.relocate()
    tools.announce()
    tools.try_announcement()
    own = [
        {key: value for key, value in each.items() if key not in ("path", "sinkId")} for each in jvm.requested
    ]
    assert own == [
        {"command": "clean"},
        {"command": "adopt", "queryId": "query-2", "batch": 5},
        {"command": "adopt", "checkpoint": "/data/checkpoint"},
        {"command": "adoptAndRepeat", "queryId": "query-2", "batch": 0},
        {"command": "adoptAndRepeat", "checkpoint": "/data/checkpoint"},
        {"command": "fork"},
        {"command": "reset", "open": "aside"},
        {"command": "rewind", "epoch": 41},
        {"command": "relocate"},
        {"command": "announce"},
        {"command": "tryAnnouncement"},
    ]


@pytest.mark.parametrize(("flags", "command"), [([], "announce"), (["--try"], "tryAnnouncement")])
def test_announce_passes_targets_as_options(
    flags: list[str], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    jvm = FakeJvm(answering(command="announce"))
    monkeypatch.setattr("stoplog._jvm.tools._run", jvm)
    monkeypatch.setattr("stoplog.admin.Jvm.command", lambda _: ["java"])
    options = {"announce.hook": "webhook", "announce.hook.url": "https://example.com"}
    given = [word for key, value in options.items() for word in ("--option", f"{key}={value}")]
    assert main(["announce", "/data/out", *given, *flags]) == ExitCode.OK
    assert jvm.requested == [{"command": command, "path": "/data/out", "sinkId": "main", "options": options}]


@pytest.mark.parametrize("more", [["--checkpoint", ""], ["--query-id", " "]])
def test_adopt_rejects_an_empty_query_argument(more: list[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["adopt", "/data/out", *more, "--yes"])
    assert ended.value.code == ExitCode.USAGE
    assert main(["adopt", "/data/out", "--checkpoint", "/c", "--batch", "7"]) == ExitCode.USAGE


def test_an_error_without_a_condition_of_stoplog_becomes_tool_failed() -> None:
    error = {"condition": "java.nio.file.NotDirectoryException", "message": "/data/out"}
    with pytest.raises(ToolFailed, match=r"NotDirectoryException: /data/out$") as raised:
        sink(FakeJvm((1, json.dumps({"error": error}), ""))).clean()
    assert raised.value.condition == "STOPLOG_TOOL_FAILED"


def test_an_error_of_the_jar_keeps_the_condition() -> None:
    error = {
        "condition": "STOPLOG_DRIVER_ALIVE",
        "message": "[STOPLOG_DRIVER_ALIVE] Left alone. SQLSTATE: 55006",
    }
    with pytest.raises(ToolFailed, match=r"^Left alone\.$") as raised:
        sink(FakeJvm((1, json.dumps({"error": error}), ""))).clean()
    assert raised.value.condition == "STOPLOG_DRIVER_ALIVE"


def test_a_missing_response_reports_the_status_and_the_output_of_java() -> None:
    with pytest.raises(ToolFailed, match=r"status 134.*core dumped") as raised:
        sink(FakeJvm((134, "", "Aborted\n(core dumped)"))).clean()
    assert raised.value.condition == "STOPLOG_TOOL_FAILED"


@pytest.mark.parametrize("answer", ["", "Killed", "3", "[]", "null"])
def test_a_response_that_is_not_an_object_counts_as_missing(answer: str) -> None:
    with pytest.raises(ToolFailed, match="ended with status 137 and without a result"):
        sink(FakeJvm((137, answer, "no memory"))).clean()


def test_a_java_without_permission_to_run_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("no program")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(
        ToolFailed, match=f"{java} cannot be run: Permission denied. Install Java 17"
    ) as failed:
        stoplog.administer("/data/out").clean()
    assert failed.value.condition == "STOPLOG_TOOL_INCOMPLETE"


def test_a_missing_java_or_spark_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(ToolFailed, match="no bin/java"):
        stoplog.Jvm().command()
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolFailed, match="Java was not found"):
        stoplog.Jvm().command()
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    with pytest.raises(ToolFailed, match="no jars of Spark"):
        stoplog.Jvm().command()
    with pytest.raises(ToolFailed, match=r"no jar at /no/such\.jar"):
        stoplog.Jvm(jars=("/no/such.jar",)).command()


def test_the_command_line_changes_files_only_with_yes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    jvm = FakeJvm(answering(), answering(), answering(carriedOut=True))
    monkeypatch.setattr("stoplog._jvm.tools._run", jvm)
    assert main(["finalize", "/data/out"]) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "a/part-1.json" in shown
    assert "2 KiB" in shown or "2.0 KiB" in shown
    assert shown.endswith("Nothing was changed. Add --yes to carry out the plan.\n")
    assert main(["finalize", "/data/out", "--yes", "--conf", "spark.hadoop.fs.x=y", "--output", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["plan"]["carried_out"] is True
    assert [each.get("carryOut") for each in jvm.requested] == [None, None, True]
    assert jvm.requested[2]["hadoop"] == {"fs.x": "y"}


@pytest.mark.parametrize("verdict", ["broken", "missing"])
def test_findings_of_a_check_have_an_exit_code(verdict: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [{"action": verdict, "subject": "a/part-1.json", "reason": "not there"}]
    monkeypatch.setattr("stoplog._jvm.tools._run", FakeJvm(answering(actions=found)))
    assert main(["relocate", "/data/out"]) == ExitCode.FINDINGS


def test_a_live_driver_has_an_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error = {"condition": "STOPLOG_DRIVER_ALIVE", "message": "Left alone."}
    monkeypatch.setattr("stoplog._jvm.tools._run", FakeJvm((1, json.dumps({"error": error}), "")))
    assert main(["clean", "/data/out"]) == ExitCode.DRIVER_ALIVE
    assert "STOPLOG_DRIVER_ALIVE" in capsys.readouterr().err


def test_a_response_may_contain_a_line_separator_in_a_bucket() -> None:
    action = {"action": "finish", "subject": "a\u2028b/part-1.json", "reason": "open"}
    answer = json.dumps({**ANSWER, "actions": [action]}, ensure_ascii=False)
    plan = sink(FakeJvm((0, f"a line before\n{answer}\n", ""))).finalize()
    assert plan.actions[0].subject == "a\u2028b/part-1.json"


def test_choices_may_be_strings_and_unknown_strings_are_rejected() -> None:
    jvm = FakeJvm(answering(), answering(carriedOut=True))
    plan = sink(jvm).reset("aside")  # type: ignore[arg-type]
    plan.carry_out("driver is dead")  # type: ignore[arg-type]
    assert (jvm.requested[0]["open"], jvm.requested[1]["driverIsDead"]) == ("aside", True)
    with pytest.raises(ValueError, match="'keep' is not a valid OpenRows"):
        sink(jvm).reset("keep")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'dead' is not a valid DriverCheck"):
        plan.carry_out("dead")  # type: ignore[arg-type]


def test_the_jvm_reads_the_configuration_of_hadoop_and_spark(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hadoop's default file system is there: without it, a tool takes a path of HDFS for a local path."""
    for variable in ("SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        (tmp_path / variable).mkdir()
        monkeypatch.setenv(variable, str(tmp_path / variable))
    command = stoplog.Jvm().command()
    entries = command[command.index("-cp") + 1].split(os.pathsep)
    assert [Path(each).name for each in entries[-3:]] == [
        "SPARK_CONF_DIR",
        "HADOOP_CONF_DIR",
        "YARN_CONF_DIR",
    ]
    for variable in ("SPARK_CONF_DIR", "HADOOP_CONF_DIR", "YARN_CONF_DIR"):
        monkeypatch.delenv(variable)
    assert str(tmp_path) not in "".join(stoplog.Jvm().command()).replace(os.environ["STOPLOG_JAR"], "")


def test_jars_must_be_a_tuple() -> None:
    with pytest.raises(TypeError, match=r"write \('/opt/a.jar',\)"):
        stoplog.Jvm(jars="/opt/a.jar")  # type: ignore[arg-type]
