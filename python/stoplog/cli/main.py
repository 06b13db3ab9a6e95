# SPDX-License-Identifier: Apache-2.0
"""Where the command line begins and ends."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from difflib import get_close_matches
from typing import NoReturn

from stoplog._version import version
from stoplog.cli.commands import COMMANDS
from stoplog.cli.exit_code import ExitCode
from stoplog.cli.output import as_json, as_text, error_as_json, error_as_text
from stoplog.errors import StoplogError, condition_of


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command and answers its exit code. Wrong arguments end the process, as argparse does it.

    >>> main(["ls", "/no/such/directory"])
    4
    """
    asked = sys.argv[1:] if argv is None else argv
    _refuse_unknown(asked[0] if asked else "")
    arguments = parser().parse_args(argv)
    try:
        answer = arguments.command.run(arguments)
        if arguments.output == "json":
            print(as_json(arguments.command.name, answer))
        elif text := as_text(answer):
            print(text)
        return int(answer.code)
    except StoplogError as error:
        return _failed(arguments, error)
    except BrokenPipeError:  # the reader has seen enough, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return int(ExitCode.OK)
    except Exception as error:  # of Spark, mostly: Python would end with 1, which tells scripts of findings
        return _failed(arguments, _named(error))


def run() -> NoReturn:
    """What the installed script calls."""
    sys.exit(main())


def parser() -> argparse.ArgumentParser:
    """All commands with their arguments."""
    whole = argparse.ArgumentParser(prog="stoplog", description="Looks at sinks and their logs.")
    whole.add_argument("--version", action="version", version=f"stoplog {version()}")
    commands = whole.add_subparsers(metavar="COMMAND", required=True, title="commands")
    for command in COMMANDS:
        one = commands.add_parser(command.name, help=command.summary, description=command.summary)
        command.arguments(one)
        one.add_argument("--output", choices=("text", "json"), default="text", help="text is the default")
        one.set_defaults(command=command)
    return whole


def _refuse_unknown(name: str) -> None:
    """Ends the process for a name that is nearly that of a command; argparse lists all for any other."""
    names = [command.name for command in COMMANDS]
    near = get_close_matches(name, names, n=1) if name not in names else []
    if near:
        parser().error(f"there is no command {name!r}: did you mean {near[0]!r}?")


_CODES = {
    "STOPLOG_CANNOT_READ": ExitCode.CANNOT_READ,
    "STOPLOG_RECORD_ELSEWHERE": ExitCode.CANNOT_READ,
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
        print(error_as_json(arguments.command.name, error.condition, str(error), code))
    else:
        print(error_as_text(error.condition, str(error)), file=sys.stderr)
    return int(code)


def _named(error: Exception) -> StoplogError:
    """With the condition that stoplog or Spark gave it, and without the stack of the JVM."""
    said = str(error).partition("\n\nJVM stacktrace:")[0].strip()
    if said.startswith("["):
        said = said.partition("] ")[2] or said
    return StoplogError(condition_of(error) or "STOPLOG_TOOL_FAILED", said or type(error).__name__)
