# SPDX-License-Identifier: Apache-2.0
"""All commands, in the order of `stoplog --help`."""

from __future__ import annotations

from stoplog.cli.command import Command
from stoplog.cli.commands import check, doctor, error, exporter, init, on_spark, report, show, status, tools

COMMANDS: tuple[Command, ...] = (
    init.COMMAND,
    doctor.COMMAND,
    status.LS,
    status.STATUS,
    show.SHOW,
    show.EXPLAIN,
    check.COMMAND,
    on_spark.CHECK_CONFIG,
    error.COMMAND,
    report.COMMAND,
    exporter.COMMAND,
    tools.FINALIZE,
    tools.CLEAN,
    tools.ADOPT,
    tools.FORK,
    tools.RESET,
    tools.REWIND,
    tools.RELOCATE,
    tools.ANNOUNCE,
    on_spark.COMPACT,
)
