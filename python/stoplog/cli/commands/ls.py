# SPDX-License-Identifier: Apache-2.0
"""`stoplog ls PATH`: the sinks of a path."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from stoplog.cli.arguments import add_path, directory_of
from stoplog.cli.command import Answer, Command
from stoplog.cli.exit_code import ExitCode
from stoplog.cli.table import ago, table
from stoplog.inspection import SinkSummary


def run(arguments: Namespace) -> Answer:
    sinks = directory_of(arguments).sinks()
    torn = any(sink.problem for sink in sinks)
    return Answer({"sinks": sinks}, lambda: _lines(sinks), ExitCode.FINDINGS if torn else ExitCode.OK)


def _lines(sinks: list[SinkSummary]) -> Iterator[str]:
    if not sinks:
        yield "No sink has written here: there is no _stoplog directory with a log in it."
        return
    yield from table(
        ("SINK", "KIND", "QUERY", "RECORDS", "NEWEST", "AGE", "EPOCH", "OPEN", "PENDING"),
        [
            (
                sink.sink_id,
                sink.kind.value,
                sink.query_id or "-",
                str(sink.records),
                f"{sink.newest_kind.value} {sink.newest_seq}" if sink.newest_kind else "-",
                ago(sink.age_millis),
                "-" if sink.last_epoch is None else str(sink.last_epoch),
                str(sink.open_parts),
                str(sink.pending_parts),
            )
            for sink in sinks
        ],
    )
    for sink in sinks:
        if sink.problem:
            yield f"{sink.sink_id}: {sink.problem}"


COMMAND = Command("ls", "List the sinks of a path, and who writes to them.", add_path, run)
