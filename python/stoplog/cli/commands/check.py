# SPDX-License-Identifier: Apache-2.0
"""`stoplog check PATH`: compares the directory with its logs."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator

from stoplog._text.words import counted
from stoplog.cli.command import (
    Answer,
    Command,
    ExitCode,
    add_jvm,
    add_limit,
    add_path,
    add_sink_id,
    directory_of,
    jvm_of,
)
from stoplog.cli.progress import progress
from stoplog.cli.table import limited
from stoplog.errors import StoplogError
from stoplog.inspection import CheckReport, Finding, Severity


def arguments(parser: ArgumentParser) -> None:
    add_path(parser)
    add_sink_id(parser)
    add_jvm(parser)
    add_limit(parser)
    parser.add_argument(
        "--all",
        action="store_true",
        help="print each piece of information, and not only the counts",
    )


def run(arguments: Namespace) -> Answer:
    options = dict(arguments.option)
    if not options and (arguments.jars or arguments.conf):
        problem = (
            "--jars and --conf have no effect without --option announce.NAME: add the option, or remove them."
        )
        raise StoplogError("STOPLOG_INVALID_OPTIONS", problem)
    with progress("check", "record") as shown:
        report = directory_of(arguments).check(
            arguments.sink_id, options=options, jvm=jvm_of(arguments), watch=shown.to
        )
    code = ExitCode.OK if report.is_healthy else ExitCode.FINDINGS
    return Answer({"check": report}, lambda: _lines(report, arguments.all, arguments.limit), code)


def _lines(report: CheckReport, whole: bool, limit: int) -> Iterator[str]:
    shown = [one for one in report.findings if whole or one.severity is not Severity.INFO]
    yield from limited(
        (line for one in shown[: limit or None] for line in _finding(one)), len(shown), limit, "findings"
    )
    if not whole:
        kinds_found = Counter(one.kind.value for one in report.findings if one.severity is Severity.INFO)
        if kinds_found:
            kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds_found.items()))
            yield f"For information (--all shows them): {kinds}"
    counts = Counter(one.severity for one in report.findings)
    looked = ", ".join(
        (
            counted(len(report.sinks), "sink"),
            counted(report.records, "record"),
            counted(report.files, "finished file"),
            *([counted(len(report.tables), "table")] if report.tables else []),
        )
    )
    errors, warnings = counted(counts[Severity.ERROR], "error"), counted(counts[Severity.WARNING], "warning")
    yield f"Checked {looked}: {errors}, {warnings}"


def _finding(one: Finding) -> Iterator[str]:
    epoch = "" if one.epoch is None else f", epoch {one.epoch}"
    sink = f" (sink {one.sink_id}{epoch})" if one.sink_id else ""
    yield f"{one.severity.value} {one.kind.value}: {one.path}{sink}"
    yield f"  {one.message}"
    yield f"  {one.advice}"


COMMAND = Command(
    "check", "Compare logs, files and tables, and print a remedy for each difference.", arguments, run
)
