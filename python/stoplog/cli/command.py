# SPDX-License-Identifier: Apache-2.0
"""Commands, the arguments that several of them take, and their exit codes."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from stoplog.inspection import SinkDirectory


class ExitCode(IntEnum):
    """The end of a command, for scripts."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    DRIVER_ALIVE = 3
    CANNOT_READ = 4
    FAILED = 5

    @property
    def meaning(self) -> str:
        """The code's meaning, in one sentence.

        >>> ExitCode.OK.meaning
        'The command did what it was asked to do.'
        """
        return _MEANINGS[self]


_MEANINGS = {
    ExitCode.OK: "The command did what it was asked to do.",
    ExitCode.FINDINGS: "The command did so, and has findings that an operator should look at.",
    ExitCode.USAGE: "The command was called in a wrong way; nothing was done.",
    ExitCode.DRIVER_ALIVE: "The command was refused because a query may be at work; nothing was done.",
    ExitCode.CANNOT_READ: "The directory, its log, or the part or record that was named cannot be read.",
    ExitCode.FAILED: "The command failed, or was refused for another reason; the message says what it did.",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a command.

    Attributes:
        data: for `--output json`: dataclasses, enums, lists, mappings and plain values.
        lines: the same for people; asked for only if they are to see it.
        code: the exit code of the process.
    """

    data: Mapping[str, object]
    lines: Callable[[], Iterable[str]]
    code: ExitCode = ExitCode.OK


@dataclass(frozen=True, slots=True)
class Command:
    """One command of `stoplog`.

    Attributes:
        name: the word that the user types.
        summary: one line for `stoplog --help`.
        arguments: a function that adds the command's own arguments to a parser.
        run: a function that runs the command. It may raise `StoplogError`, for which `stoplog.cli.main` has
            the exit codes.
    """

    name: str
    summary: str
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], Answer]


def add_path(parser: ArgumentParser) -> None:
    """The sink's path and how to reach it."""
    parser.add_argument(
        "path",
        metavar="PATH",
        type=non_empty,
        help="the sink's path: local, s3://…, hdfs://…, webhdfs://… or another that fsspec knows",
    )
    add_pairs(parser, "--fs-option", "an option of pyarrow's file system, such as region=eu-west-1")


def add_sink_id(parser: ArgumentParser) -> None:
    """Adds the option that chooses one of the path's sinks."""
    parser.add_argument(
        "--sink-id",
        metavar="ID",
        type=non_empty,
        help="which sink of the path; may be left out where there is one alone",
    )


def key_and_value(text: str) -> tuple[str, str]:
    """The argument as a pair. Of one that is none, the error shows nothing: it may be a secret."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ArgumentTypeError("it is not of the form key=value")
    return key, value


def add_pairs(
    parser: ArgumentParser, flag: str, meaning: str, pair: Callable[[str], tuple[str, str]] = key_and_value
) -> None:
    """An option of the form `key=value` that may be repeated; a list of pairs."""
    parser.add_argument(
        flag,
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=pair,
        help=f"{meaning}; may be repeated",
    )


def add_doing(parser: ArgumentParser) -> None:
    """Adds the options that carry a plan out or do not; `dry_run` is the default."""
    doing = parser.add_mutually_exclusive_group()
    doing.add_argument(
        "--dry-run", action="store_true", default=True, help="only say what would be done: the default"
    )
    doing.add_argument("--yes", dest="dry_run", action="store_false", help="do it")


def add_limit(parser: ArgumentParser) -> None:
    """Adds the option that limits the rows of tables."""
    parser.add_argument(
        "--limit", metavar="N", type=_rows, default=50, help="rows of each table, 0 for all (default: 50)"
    )


def directory_of(arguments: Namespace) -> SinkDirectory:
    """The directory that `add_path` asked for."""
    return SinkDirectory(arguments.path, dict(arguments.fs_option))


def non_empty(text: str) -> str:
    """The argument, unless it is empty, as a variable of the shell is that was not set."""
    if not text.strip():
        raise ArgumentTypeError("it is empty")
    return text


def _rows(text: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", text):
        raise ArgumentTypeError(f"'{text}' is no number of rows")
    return int(text)
