# SPDX-License-Identifier: Apache-2.0
"""The command line: its arguments, exit codes and page of documentation."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from made_sink import MadeSink

from stoplog._inspect.check.rules import RULES
from stoplog._shared.version import version
from stoplog.cli.command import ExitCode
from stoplog.cli.commands import COMMANDS
from stoplog.cli.commands.error import conditions
from stoplog.cli.main import main

READING = ("ls", "status", "show", "explain", "check", "report")
OPERATE = Path(__file__).resolve().parents[2] / "docs" / "operate"
PAGE = OPERATE / "cli.md"


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("command", READING)
def test_every_command_prints_text_and_json(
    command: str, output: str, sink: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = {"show": ["newest"], "explain": ["part-6f1c2f3e8a4b-5.json"]}.get(command, [])
    assert main([command, "events", *more, "--output", output]) == ExitCode.OK
    printed = capsys.readouterr().out
    if output == "json":
        answer = json.loads(printed)
        assert (answer["command"], answer["exit_code"]) == (command, 0)
        assert len(answer) == 3
    else:
        assert printed.strip()


def test_exit_codes_reflect_the_outcome(sink: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ls", "gone"]) == ExitCode.CANNOT_READ
    assert main(["show", "events", "77"]) == ExitCode.CANNOT_READ
    assert main(["explain", "events", "nothing.json"]) == ExitCode.CANNOT_READ
    assert main(["check", "events"]) == ExitCode.OK
    (sink / "day=3" / "notes.txt").write_text("hello")
    assert main(["check", "events"]) == ExitCode.FINDINGS
    (sink / "_stoplog" / "main" / "log" / f"{5:020d}.commit").write_bytes(b"{")
    assert main(["status", "events"]) == ExitCode.CANNOT_READ
    assert main(["ls", "events"]) == ExitCode.FINDINGS
    assert main(["check", "events"]) == ExitCode.FINDINGS
    (sink / "_stoplog" / "second" / "log").mkdir(parents=True)
    assert main(["status", "events"]) == ExitCode.USAGE
    for wrong in (
        ["show", "events", "last"],
        ["ls", "events", "--fs-option", "x"],
        ["status", "events", "--limit=-1"],
        ["nonsense"],
        [],
    ):
        with pytest.raises(SystemExit) as ended:
            main(wrong)
        assert ended.value.code == ExitCode.USAGE


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check", "events"], ExitCode.FINDINGS),
        (["status", "gone", "--json"], ExitCode.CANNOT_READ),
        (["ls", "events"], ExitCode.OK),
    ],
)
def test_a_closed_pipe_does_not_change_the_exit_code(
    arguments: list[str], code: ExitCode, sink: Path
) -> None:
    (sink / "day=3" / "notes.txt").write_text("hello")
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "stoplog", *arguments]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (code, "")


def test_an_error_in_json_is_an_object(sink: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "events", "77", "--output", "json"]) == ExitCode.CANNOT_READ
    answer = json.loads(capsys.readouterr().out)
    assert answer["error"]["condition"] == "STOPLOG_NOT_FOUND"
    assert answer["exit_code"] == ExitCode.CANNOT_READ


def test_an_error_is_explained_by_condition_name(capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("STOPLOG_FENCED", "fenced", "[STOPLOG_FENCED]"):
        assert main(["error", name]) == ExitCode.OK
        printed = capsys.readouterr().out
        assert printed.startswith("STOPLOG_FENCED (SQLSTATE 40001)\n\nLikely causes: ")
        assert "\n\nAnother driver has taken over <" in printed
        assert "Stop one of the two" in printed
    assert main(["error", "STOPLOG_KAFKA_GROUP"]) == ExitCode.OK
    assert main(["error", "STOPLOG_NO_SESSION", "--output", "json"]) == ExitCode.OK
    capsys.readouterr()
    assert main(["error", "invalid_options"]) == ExitCode.OK
    pages = "docs/reference/options.md, docs/reference/source-options.md"
    assert f"More in the guide: {pages}." in capsys.readouterr().out
    assert main(["error", "STOPLOG_FENCD"]) == ExitCode.CANNOT_READ
    assert "Did you mean STOPLOG_FENCED" in capsys.readouterr().err
    assert main(["error"]) == ExitCode.OK
    assert "STOPLOG_STORE_WRITE" in capsys.readouterr().out


def test_the_pages_and_headings_named_by_an_error_exist() -> None:
    guide = Path(__file__).resolve().parents[2]
    assert all(len(condition.causes) == 3 for condition in conditions().values())
    named = {page for condition in conditions().values() for page in condition.pages}
    assert "docs/storage/s3.md#lifecycle" in named
    for name in named:
        page, _, heading = name.partition("#")
        titles = re.findall(r"^#+ (.+)$", (guide / page).read_text(encoding="utf-8"), re.MULTILINE)
        anchors = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}
        assert heading in {"", *anchors}, name


def test_every_condition_of_this_package_is_explained() -> None:
    sources = Path(__file__).resolve().parents[1] / "stoplog"
    raised = {
        name
        for file in sources.rglob("*.py")
        for name in re.findall(r'"(STOPLOG_[A-Z_]*[A-Z])"', file.read_text(encoding="utf-8"))
    }
    assert len(raised) > 20
    assert raised - {"STOPLOG_JAR", "STOPLOG_LONG"} <= conditions().keys()


def test_a_mistyped_command_gets_a_suggestion(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["statu", "events"])
    assert ended.value.code == ExitCode.USAGE
    assert "there is no command 'statu': did you mean 'status'?" in capsys.readouterr().err


def test_an_unexpected_error_is_not_a_finding(
    sink: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("[PARSE_SYNTAX_ERROR] no columns\n\nJVM stacktrace:\nat Parser")

    monkeypatch.setattr("stoplog.cli.commands.on_spark.local_session", fail)
    requested = ["check-config", "events", "--schema", "?"]
    assert main(requested) == ExitCode.FAILED
    assert capsys.readouterr().err == "stoplog: [STOPLOG_TOOL_FAILED] no columns\n"
    assert main([*requested, "--output", "json"]) == ExitCode.FAILED
    assert json.loads(capsys.readouterr().out)["error"]["message"] == "no columns"


def test_a_command_without_an_output_has_its_exit_code() -> None:
    command = f"exec {sys.executable} -m stoplog error STOPLOG_FENCED --json >&-"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (ExitCode.OK, "")


def test_the_command_line_imports_no_spark() -> None:
    code = (
        "import sys; from stoplog.cli import main; main(['ls', '/']);"
        "print([name for name in ('pyspark', 'py4j', 'pyarrow') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("[]")


@pytest.mark.parametrize("module", ["stoplog", "stoplog.cli"])
def test_the_package_runs_as_a_command(module: str) -> None:
    done = subprocess.run([sys.executable, "-m", module, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"stoplog {version()}\n")


def test_long_tables_are_truncated_with_a_note(sink: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["status", "events", "--limit", "1"]) == ExitCode.OK
    printed = capsys.readouterr().out
    assert "… and 3 more buckets: --limit 0 shows all" in printed
    assert "… and 1 more open parts" in printed


def test_the_examples_of_the_page_match_the_output(sink: Path, capsys: pytest.CaptureFixture[str]) -> None:
    examples = re.findall(r"```console\n\$ stoplog (.*)\n((?:.*\n)*?)```", PAGE.read_text(encoding="utf-8"))
    assert len(examples) >= 5
    for arguments, expected in examples:
        if arguments.startswith("check"):
            (sink / "day=3" / "part-6f1c2f3e8a4b-7.json").write_bytes(b"x" * 900)
        main(arguments.split())
        assert capsys.readouterr().out == expected, arguments


def test_the_pages_list_all_findings_exit_codes_and_reading_commands() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert findings_table() in (OPERATE / "findings.md").read_text(encoding="utf-8")
    assert exit_codes_table() in page
    assert set(READING) <= {command.name for command in COMMANDS}
    for command in READING:
        assert f"`{command} PATH" in page, command


def findings_table() -> str:
    rows = [
        f"| `{kind.value}` | {rule.severity.value} | {rule.meaning} | {rule.advice} |"
        for kind, rule in RULES.items()
    ]
    return "\n".join(["| Finding | Severity | Meaning | Advice |", "|---|---|---|---|", *rows])


def exit_codes_table() -> str:
    rows = [f"| {int(code)} | `{code.name}` | {code.meaning} |" for code in ExitCode]
    return "\n".join(["| Exit code | Name | Meaning |", "|---|---|---|", *rows])


@pytest.mark.parametrize("seq", [2, 5])
@pytest.mark.parametrize("damage", ["deep", "year", "elsewhere"])
def test_a_forged_record_does_not_hide_other_findings(
    damage: str, seq: int, sink: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = MadeSink(sink)
    if damage == "deep":
        made.record_path(seq).write_bytes(b'{"version":1,"record":' + b"[" * 200_000)
    elif damage == "year":
        made.change(seq, writtenAtMillis=1 << 60)
    else:
        made.change(seq, publish=[{**made.pending_part("day=1", 0, 100), "bucket": "../elsewhere"}])
    (sink / "day=3" / "notes.txt").write_text("hello")
    for command in ("ls", "check", "status", "report", "explain", "show"):
        more = {"show": [f"@{seq}"], "explain": [made.name(4)]}.get(command, [])
        code = main([command, "events", *more])
        said = "".join(capsys.readouterr())
        assert code != ExitCode.FAILED, (command, said)
        assert "STOPLOG_TOOL_FAILED" not in said, (command, said)
        if command == "check":
            assert seq == 5 or "foreign-file" in said, said
            assert f"{seq:020d}.commit" in said or "../elsewhere" in said, said


def test_names_cannot_steer_the_terminal(sink: Path, capsys: pytest.CaptureFixture[str]) -> None:
    made = MadeSink(sink)
    bucket = "day=\x1b]0;title\x07\x9b2J\u202e\r\nDone."
    made.finished(bucket, 9, 10)
    (sink / os.fsdecode(b"day=\xff")).mkdir()
    (sink / os.fsdecode(b"day=\xff") / made.name(8)).write_bytes(b"x")
    made.change(5, state={"open": [made.open_part(bucket, 10, 0)], "queryId": "\x1b[31m"})
    for command in ("ls", "status", "check", "show", "explain"):
        more = {"show": ["newest"], "explain": [made.name(9)]}.get(command, [])
        for output in ("text", "json"):
            main([command, "events", *more, "--output", output])
            said = "".join(capsys.readouterr())
            assert not set(said) & set("\x1b\x07\x9b\u202e\r"), (command, output)
            assert "\nDone." not in said
            said.encode()
            if output == "json":
                assert json.loads(said)["command"] == command


def test_a_symbolic_link_to_itself_is_not_a_file(sink: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (sink / "loop").symlink_to("loop")
    assert main(["check", "events"]) == ExitCode.OK
    assert main(["status", "events"]) == ExitCode.OK
