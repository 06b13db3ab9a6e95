# SPDX-License-Identifier: Apache-2.0
"""`stoplog COMMAND …`: parses the arguments, runs the command, and prints its result."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import os
import signal
import sys
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import NoReturn

from stoplog._shared.other_names import meant, nearest
from stoplog._shared.version import version
from stoplog._text.words import visible, visible_json
from stoplog.cli.command import Answer, ExitCode
from stoplog.cli.commands import COMMANDS
from stoplog.errors import StoplogError, condition_of
from stoplog.errors.base import text_of


def as_text(answer: Answer) -> str:
    """Formats the result as text."""
    return "\n".join(map(visible, answer.lines()))


def as_json(command: str, answer: Answer) -> str:
    """Formats the result as one JSON object: the command, the exit code, and the data by Python names."""
    whole = {"command": command, "exit_code": int(answer.code), **answer.data}
    return visible_json(json.dumps(plain(whole), ensure_ascii=False, indent=2))


def error_as_json(command: str | None, condition: str, message: str, code: int) -> str:
    """Formats an error as a JSON result."""
    error = {"condition": condition, "message": message}
    whole = {"command": command, "exit_code": code, "error": error}
    return visible_json(json.dumps(whole, ensure_ascii=False, indent=2))


def error_as_text(condition: str, message: str) -> str:
    """Formats an error as text; the message may have several lines."""
    return f"stoplog: [{condition}] " + "\n".join(map(visible, message.split("\n")))


def plain(value: object) -> object:
    """Converts a value to the types of JSON."""
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code. Invalid arguments end the process, as in argparse.

    >>> main(["ls", "/no/such/directory"])
    4
    """
    words = sys.argv[1:] if argv is None else argv
    _refuse_unknown(words[0] if words else "")
    arguments = parser().parse_args(argv)
    try:
        answer = arguments.command.run(arguments)
        if arguments.output == "json":
            _print(as_json(arguments.command.name, answer))
        elif text := as_text(answer):
            _print(text)
        return int(answer.code)
    except StoplogError as error:
        return _failed(arguments, error)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:  # mostly of Spark: Python would exit with 1, the code for findings
        return _failed(arguments, _named(error))


INTERRUPTED = 128 + signal.SIGINT
"""The exit code of an interrupted command, as usual in shells."""


def run() -> NoReturn:
    """The entry point of the installed script."""
    sys.exit(main())


@functools.cache
def parser() -> argparse.ArgumentParser:
    """Returns the parser of all commands and their arguments."""
    whole = _Parser(prog="stoplog", description="Inspects and repairs sinks and their logs.")
    whole.add_argument("--version", action="version", version=f"stoplog {version()}")
    commands = whole.add_subparsers(metavar="COMMAND", required=True, title="commands")
    for command in COMMANDS:
        one = commands.add_parser(command.name, help=command.summary, description=command.summary)
        command.arguments(one)
        one.add_argument("--output", choices=("text", "json"), default="text", help="default: text")
        one.add_argument(
            "--json", dest="output", action="store_const", const="json", help="the same as --output json"
        )
        one.set_defaults(command=command)
    return whole


class _Parser(argparse.ArgumentParser):
    """A parser whose error about a wrong flag names the flag with the same purpose."""

    def error(self, message: str) -> NoReturn:
        words = message.removeprefix(_UNKNOWN_FLAGS).split() if message.startswith(_UNKNOWN_FLAGS) else []
        hints = [f"{word}: use {own}" for word in words for own in meant("flags", word.partition("=")[0])]
        # Other programs write to the file that --output names.
        if message.startswith(_WRONG_OUTPUT) and "--out" in self._option_string_actions:
            hints.append("a file: use --out")
        super().error("; ".join([message, *hints]))


_UNKNOWN_FLAGS = "unrecognized arguments: "
_WRONG_OUTPUT = "argument --output: invalid choice"


def _refuse_unknown(name: str) -> None:
    """Ends the process for the name of a command elsewhere, and for a misspelled command, with a suggestion.

    Other unknown names are errors of argparse.
    """
    names = [command.name for command in COMMANDS]
    own = None if name in names else next(iter(meant("commands", name)), None) or nearest(name.lower(), names)
    if own:
        # Some purposes need no command, and their answer is a sentence.
        answer = f"did you mean {own!r}?" if own in names or own.startswith("--") else own
        parser().error(f"there is no command {name!r}: {answer}")


_CODES = {
    "STOPLOG_CANNOT_READ": ExitCode.CANNOT_READ,
    "STOPLOG_PATH_ELSEWHERE": ExitCode.CANNOT_READ,
    "STOPLOG_RECORD_TORN": ExitCode.CANNOT_READ,
    "STOPLOG_RECORD_TOO_NEW": ExitCode.CANNOT_READ,
    "STOPLOG_SINK_UNKNOWN": ExitCode.CANNOT_READ,
    "STOPLOG_CHECKPOINT_UNREADABLE": ExitCode.USAGE,
    "STOPLOG_NOT_FOUND": ExitCode.CANNOT_READ,
    "STOPLOG_WHICH_SINK": ExitCode.USAGE,
    "STOPLOG_INVALID_OPTIONS": ExitCode.USAGE,
    "STOPLOG_DRIVER_ALIVE": ExitCode.DRIVER_ALIVE,
}


def _failed(arguments: argparse.Namespace, error: StoplogError) -> int:
    code = _CODES.get(error.condition, ExitCode.FAILED)
    if arguments.output == "json":
        _print(error_as_json(arguments.command.name, error.condition, str(error), code))
    else:
        print(error_as_text(error.condition, str(error)), file=sys.stderr)
    return int(code)


def _print(text: str) -> None:
    """Writes and flushes the text: a closed pipe would otherwise cause a traceback at the end of the process.

    Characters that the terminal's encoding lacks are escaped as in JSON.
    """
    if sys.stdout is None:  # the caller has closed the output
        return
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = "".join(each if each.isascii() else json.dumps(each)[1:-1] for each in text)
    try:
        print(text, flush=True)
    except BrokenPipeError:  # the reader has closed the pipe, as `head` does; the exit code stays
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _named(error: Exception) -> StoplogError:
    """Converts an error to a `StoplogError` with its condition, without the JVM's stack trace."""
    said = text_of(error)
    if said.startswith("["):
        said = said.partition("] ")[2] or said
    return StoplogError(condition_of(error) or "STOPLOG_TOOL_FAILED", said or type(error).__name__)
