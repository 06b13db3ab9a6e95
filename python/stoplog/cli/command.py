# SPDX-License-Identifier: Apache-2.0
"""What a command is, and what it answers."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from stoplog.cli.exit_code import ExitCode


@dataclass(frozen=True, slots=True)
class Answer:
    """What a command found out.

    Attributes:
        data: for `--output json`: dataclasses, enums, lists, mappings and plain values.
        lines: the same for people; asked for only if they are to see it.
        code: what the process ends with.
    """

    data: Mapping[str, object]
    lines: Callable[[], Iterable[str]]
    code: ExitCode = ExitCode.OK


@dataclass(frozen=True, slots=True)
class Command:
    """One command of `stoplog`.

    Attributes:
        name: what the user types.
        summary: one line for `stoplog --help`.
        arguments: adds what is its own to a parser.
        run: does it. May raise `StoplogError`; `stoplog.cli.main` knows the exit codes of them.
    """

    name: str
    summary: str
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], Answer]
