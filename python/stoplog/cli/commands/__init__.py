# SPDX-License-Identifier: Apache-2.0
"""All commands, in the order in which `stoplog --help` names them. A new one is one more line here."""

from __future__ import annotations

from stoplog.cli.command import Command
from stoplog.cli.commands import (
    adopt,
    check,
    check_config,
    clean,
    compact,
    error,
    explain,
    finalize,
    fork,
    ls,
    relocate,
    report,
    reset,
    rewind,
    show,
    status,
)

COMMANDS: tuple[Command, ...] = (
    ls.COMMAND,
    status.COMMAND,
    show.COMMAND,
    explain.COMMAND,
    check.COMMAND,
    check_config.COMMAND,
    error.COMMAND,
    report.COMMAND,
    finalize.COMMAND,
    clean.COMMAND,
    adopt.COMMAND,
    fork.COMMAND,
    reset.COMMAND,
    rewind.COMMAND,
    relocate.COMMAND,
    compact.COMMAND,
)
