# SPDX-License-Identifier: Apache-2.0
"""Commands, their common arguments, and their exit codes."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum

from stoplog.admin import Jvm
from stoplog.inspection import SinkDirectory


class ExitCode(IntEnum):
    """The result of a command, for scripts."""

    OK = 0
    FINDINGS = 1
    USAGE = 2
    WILL_NOT_WORK = 2
    DRIVER_ALIVE = 3
    CANNOT_READ = 4
    FAILED = 5

    @property
    def meaning(self) -> str:
        """Returns the meaning of the code in one sentence.

        >>> ExitCode.OK.meaning
        'The command was successful.'
        """
        return _MEANINGS[self]


_MEANINGS = {
    ExitCode.OK: "The command was successful.",
    ExitCode.FINDINGS: "The command was successful, with findings for an operator.",
    ExitCode.USAGE: "The arguments were invalid; nothing was done. Of doctor: the environment will not work.",
    ExitCode.DRIVER_ALIVE: "The command was rejected because a query may be running; nothing was done.",
    ExitCode.CANNOT_READ: "The directory, the log, the named part or the named record cannot be read.",
    ExitCode.FAILED: "The command failed, or was rejected for another reason; the message names the changes.",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a command.

    Attributes:
        data: the result for `--output json`: dataclasses, enums, lists, mappings and plain values.
        lines: the result as text; called only for text output.
        code: the exit code of the process.
    """

    data: Mapping[str, object]
    lines: Callable[[], Iterable[str]]
    code: ExitCode = ExitCode.OK


@dataclass(frozen=True, slots=True)
class Command:
    """A command of `stoplog`.

    Attributes:
        name: the name of the command on the command line.
        summary: one line for `stoplog --help`.
        arguments: a function that adds the command's own arguments to a parser.
        run: a function that runs the command. The function may raise `StoplogError`, which `stoplog.cli.main`
            converts to an exit code.
    """

    name: str
    summary: str
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], Answer]


def add_path(parser: ArgumentParser) -> None:
    """Adds the sink's path and the options of its file system."""
    parser.add_argument(
        "path",
        metavar="PATH",
        type=non_empty,
        help="the path of the sink: local, s3://…, hdfs://…, webhdfs://… or another scheme of fsspec",
    )
    add_pairs(parser, "--fs-option", "an option of pyarrow's file system, such as region=eu-west-1")


def add_sink_id(parser: ArgumentParser) -> None:
    """Adds the option that chooses a sink of the path."""
    parser.add_argument(
        "--sink-id",
        metavar="ID",
        type=non_empty,
        help="the sink id; optional if the path has one sink",
    )


def key_and_value(text: str) -> tuple[str, str]:
    """Parses the argument as a pair. The error for an invalid pair omits the text, which may be secret."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ArgumentTypeError("expected key=value")
    return key, value


def add_pairs(
    parser: ArgumentParser, flag: str, meaning: str, pair: Callable[[str], tuple[str, str]] = key_and_value
) -> None:
    """Adds a repeatable option of the form `key=value`; its value is a list of pairs."""
    parser.add_argument(
        flag,
        metavar="KEY=VALUE",
        action="append",
        default=[],
        type=pair,
        help=f"{meaning}; may be repeated",
    )


def add_doing(parser: ArgumentParser) -> None:
    """Adds the options to carry out a plan or not; `dry_run` is the default."""
    doing = parser.add_mutually_exclusive_group()
    doing.add_argument(
        "--dry-run", action="store_true", default=True, help="print the plan without changes (default)"
    )
    doing.add_argument("--yes", dest="dry_run", action="store_false", help="carry out the plan")


def add_jvm(parser: ArgumentParser) -> None:
    """Adds the options of a JVM with the jar, and the options of the query."""
    parser.add_argument(
        "--jars",
        metavar="JAR,…",
        default="",
        help="additional jars, such as hadoop-aws and the bundle of AWS for s3a",
    )
    add_pairs(
        parser,
        "--conf",
        "a setting of Hadoop, such as fs.s3a.endpoint=…; the prefix spark.hadoop. is optional",
    )
    add_pairs(
        parser,
        "--option",
        "an option of the query that the log does not contain: bucketingSink.useTruncate=false, "
        "announce.NAME and its settings",
    )


def jvm_of(arguments: Namespace) -> Jvm:
    """Returns the JVM of the arguments of `add_jvm`."""
    hadoop = {key.removeprefix("spark.hadoop."): value for key, value in arguments.conf}
    return Jvm(tuple(jar for jar in arguments.jars.split(",") if jar), hadoop)


def add_limit(parser: ArgumentParser) -> None:
    """Adds the option that limits the rows of tables."""
    parser.add_argument(
        "--limit", metavar="N", type=_rows, default=50, help="rows of each table, 0 for all (default: 50)"
    )


def directory_of(arguments: Namespace) -> SinkDirectory:
    """Returns the directory of the arguments of `add_path`."""
    return SinkDirectory(arguments.path, dict(arguments.fs_option))


def non_empty(text: str) -> str:
    """Returns the argument, and rejects an empty argument, such as an unset shell variable."""
    if not text.strip():
        raise ArgumentTypeError("the value is empty")
    return text


def _rows(text: str) -> int:
    if not re.fullmatch("[0-9]{1,18}", text):
        raise ArgumentTypeError(f"'{text}' is not a number of rows")
    return int(text)
