# SPDX-License-Identifier: Apache-2.0
"""Odd arguments and odd directories: each command says what is wrong, and ends with the code for it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from made_sink import MadeSink

from stoplog.cli.command import ExitCode
from stoplog.cli.main import main


@pytest.mark.parametrize(
    "arguments",
    [
        ["ls", ""],
        ["status", " "],
        ["clean", ""],
        ["compact", ""],
        ["explain", "events", ""],
        ["status", "events", "--sink-id", ""],
        ["report", "events", "--out", ""],
        ["error", ""],
        ["check-config", "events", "--schema", " "],
    ],
)
def test_an_empty_argument_is_rejected(
    arguments: list[str], sink: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "the value is empty" in wrong_call(arguments, capsys)


@pytest.mark.parametrize(
    "arguments",
    [
        ["ls", "events", "--fs-option", "secret_key:hunter2"],
        ["clean", "events", "--conf", "fs.s3a.secret.key:hunter2"],
        ["compact", "events", "--option", "hunter2"],
        ["compact", "events", "--conf", "=hunter2"],
    ],
)
def test_an_option_that_is_not_a_pair_is_not_printed(
    arguments: list[str], sink: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = wrong_call(arguments, capsys)
    assert f"argument {arguments[2]}: expected key=value" in said
    assert "hunter2" not in said


def test_keys_in_an_address_are_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    for output in ("text", "json"):
        arguments = ["ls", "s3://AKIA123:hunter2@bucket/x", "--output", output]
        assert main(arguments) == ExitCode.CANNOT_READ
        assert "hunter2" not in "".join(capsys.readouterr())


@pytest.mark.parametrize("command", [["compact", "events"], ["check-config", "events", "--schema", "a INT"]])
@pytest.mark.parametrize("key", ["path", "PATH"])
def test_the_path_is_named_once(
    command: list[str],
    key: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("stoplog.cli.commands.on_spark.local_session", no_session)
    said = wrong_call([*command, "--option", f"{key}=/other"], capsys)
    assert "argument --option: pass the path as the argument PATH" in said


def wrong_call(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """What the command line says of a call that it refuses."""
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == ExitCode.USAGE
    return capsys.readouterr().err


def no_session(*_: object) -> None:
    raise AssertionError("a session was started")


def test_each_option_is_passed_to_the_jar(monkeypatch: pytest.MonkeyPatch) -> None:
    requested: list[object] = []

    class Bridge:
        def planned_merges(self, spark: object, path: str, options: dict[str, str]) -> list[object]:
            requested.append((path, options))
            return []

    monkeypatch.setattr("stoplog.cli.commands.on_spark.local_session", lambda *_: MagicMock())
    monkeypatch.setattr("stoplog.compaction.require_bridge", lambda *_: Bridge())
    assert main(["compact", "events", "--option", "spark=x", "--option", "self=y"]) == ExitCode.OK
    assert requested == [("events", {"spark": "x", "self": "y"})]


@pytest.mark.parametrize("path", ["x" * 300, "a\0b", "half\udcff", "events/_stoplog/main/log/x"])
def test_a_path_that_is_not_a_directory_is_reported(
    path: str, sink: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for command in ("ls", "status", "check", "report"):
        assert main([command, path]) == ExitCode.CANNOT_READ
        assert "cannot be read: the directory does not exist. Check the path." in capsys.readouterr().err


@pytest.mark.parametrize("number", ["9" * 5000, "@" + "9" * 5000, "²", "٣", "@@3", "@"])
def test_a_number_out_of_range_is_a_usage_error(
    number: str, sink: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for wrong in (["show", "events", number], ["status", "events", "--limit", number]):
        assert "a number" in wrong_call(wrong, capsys)


@pytest.mark.parametrize("out", ["a\0b", "gone/report.html", "."])
def test_a_failure_to_write_the_page_is_reported(
    out: str, sink: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["report", "events", "--out", out]) == ExitCode.FAILED
    assert "[STOPLOG_CANNOT_WRITE]" in capsys.readouterr().err


def test_the_error_command_accepts_a_whole_message(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["error", "org.apache.spark.SparkException: [STOPLOG_FENCED] Another driver has"]) == ExitCode.OK
    )
    assert capsys.readouterr().out.startswith("STOPLOG_FENCED (SQLSTATE 40001)")


@pytest.mark.parametrize(
    "form",
    [
        "{root}/{part}",
        "{root}/./day=1/../{part}",
        "{link}/{part}",
        "events/{part}",
        "./{part}",
        "file://{root}/{part}",
    ],
)
@pytest.mark.parametrize("directory", ["events", "{root}", "{link}", "./events/", "file://{root}"])
def test_a_part_may_be_named_by_any_path(
    directory: str, form: str, sink: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    part = MadeSink(sink).name(4)
    (tmp_path / "link").symlink_to("events")
    words = {"root": str(sink), "link": str(tmp_path / "link"), "part": f"day=2/{part}"}
    code = main(["explain", directory.format(**words), form.format(**words)])
    if form == "events/{part}" and "events" not in directory:
        assert code == ExitCode.CANNOT_READ  # it may be a directory of the sink
    else:
        assert code == ExitCode.OK
        assert capsys.readouterr().out.startswith(
            f"day=2/{part}: finished (sink main)\nReaders see the part: 10 rows"
        )


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../notes.txt", "day=2/../../notes.txt", "file:///etc/passwd"]
)
def test_a_file_outside_of_the_directory_is_not_read(
    path: str, sink: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "notes.txt").touch()
    assert main(["explain", "events", path]) == ExitCode.CANNOT_READ
    assert capsys.readouterr().out == (
        f"{path}: unknown\nThe path is not under events, which is the only directory that the command "
        "reads.\n"
    )


@pytest.mark.parametrize("path", [".", "./"])
def test_the_path_itself_is_a_bucket(path: str, sink: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "events", path]) == ExitCode.OK
    assert capsys.readouterr().out.startswith(".: bucket\nIt is a bucket: readers see 0 parts")


@pytest.mark.parametrize("name", ["a\0b", "half\udcff", "x" * 300, "day=2/" + "x" * 300])
def test_an_impossible_part_name_is_unknown(
    name: str, sink: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explain", "events", name]) == ExitCode.CANNOT_READ
    assert ": unknown\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    "settings",
    [
        {"maxRecordsPerPart": "²"},
        {"maxRecordsPerPart": "9" * 5000},
        {"maxPartSize": "9" * 5000},
        {"rolloverInterval": "9" * 5000 + "d"},
    ],
)
def test_an_invalid_limit_in_a_record_is_ignored(
    settings: dict[str, str], sink: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = MadeSink(sink)
    made.change(5, state={"settings": {**made.settings, **settings}})
    for command in ("status", "report", "check"):
        assert main([command, "events"]) == ExitCode.OK, capsys.readouterr().err


def test_a_directory_of_replaced_parts_may_have_any_name(sink: Path) -> None:
    MadeSink(sink).write("_stoplog/main/replaced/²/x", b"x")
    assert main(["check", "events"]) == ExitCode.OK


@pytest.mark.parametrize("checksum", ["[]", "{}", "null", "3"])
def test_a_checksum_of_another_type_is_wrong(
    checksum: str, sink: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = MadeSink(sink).record_path(5)
    text = re.sub('"crc32c":"[0-9a-f]{8}"', f'"crc32c":{checksum}', record.read_text(encoding="utf-8"))
    record.write_text(text, encoding="utf-8")
    assert main(["status", "events"]) == ExitCode.CANNOT_READ
    assert "[STOPLOG_RECORD_TORN]" in capsys.readouterr().err
    assert main(["check", "events"]) == ExitCode.FINDINGS
    assert "record-checksum" in capsys.readouterr().out


def test_an_interrupt_ends_a_command_quietly(
    sink: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("stoplog.inspection.sink_ids", interrupt)
    assert main(["ls", "events"]) == 130
    assert "".join(capsys.readouterr()) == ""


def test_a_closed_pipe_is_not_an_error(sink: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "stoplog", "ls", str(sink)],
        # Otherwise nothing is left to be written at the end.
        env={key: value for key, value in os.environ.items() if key != "PYTHONUNBUFFERED"},
        stdout=writing,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_character_outside_the_encoding_of_the_terminal_is_escaped(output: str, sink: Path) -> None:
    MadeSink(sink).finished("day=ñ", 0, 10)
    done = subprocess.run(
        [sys.executable, "-m", "stoplog", "status", str(sink), "--output", output],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "day=\\u00f1" in done.stdout
    if output == "json":
        assert any(each["bucket"] == "day=ñ" for each in json.loads(done.stdout)["status"]["buckets"])
