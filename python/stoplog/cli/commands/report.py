# SPDX-License-Identifier: Apache-2.0
"""`stoplog report PATH`: writes the history of a sink as an HTML page."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from stoplog.cli.command import Answer, Command, add_path, add_sink_id, directory_of, non_empty
from stoplog.errors import StoplogError
from stoplog.inspection import SinkReport


def arguments(parser: ArgumentParser) -> None:
    add_path(parser)
    add_sink_id(parser)
    parser.add_argument(
        "--out",
        metavar="FILE",
        type=non_empty,
        help="the file of the page (default: standard output)",
    )


def run(given: Namespace) -> Answer:
    report = directory_of(given).report(given.sink_id)
    saved = _saved(report, given.out) if given.out else None
    figures = report.figures
    data = {"path": figures.path, "out": saved, "log": figures.log, "listing": figures.listing}
    return Answer({"report": data}, lambda: _lines(report, saved))


def _saved(report: SinkReport, out: str) -> str:
    try:
        return str(report.save(out))
    except (OSError, ValueError) as error:  # a name with a zero byte is a ValueError
        why = getattr(error, "strerror", None) or str(error)
        raise StoplogError(
            "STOPLOG_CANNOT_WRITE", f"{out} cannot be written: {why}. Choose another --out."
        ) from None


def _lines(report: SinkReport, saved: str | None) -> Iterator[str]:
    if saved is None:
        yield from report.html.rstrip("\n").split("\n")
    else:
        yield f"Wrote {saved}, {Path(saved).stat().st_size:,} bytes. Open it in a browser."


COMMAND = Command(
    "report", "Write one page of HTML: sizes, roll reasons, delays, open parts.", arguments, run
)
