# SPDX-License-Identifier: Apache-2.0
"""Shows a record, and explains why a file is visible or invisible."""

from __future__ import annotations

import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections import Counter
from collections.abc import Iterator

from stoplog._text.words import counted, moment, size
from stoplog.cli.command import (
    Answer,
    Command,
    ExitCode,
    add_limit,
    add_path,
    add_sink_id,
    directory_of,
    non_empty,
)
from stoplog.cli.table import limited, table
from stoplog.inspection import Explanation, PartState, RecordView


def _of_explain(parser: ArgumentParser) -> None:
    add_path(parser)
    parser.add_argument("part", metavar="PART", type=non_empty, help="the name, path or URI of a file")
    add_sink_id(parser)


def _run_explain(given: Namespace) -> Answer:
    found = directory_of(given).explain(given.part, given.sink_id)
    code = ExitCode.CANNOT_READ if found.state is PartState.UNKNOWN else ExitCode.OK
    return Answer({"explain": found}, lambda: _lines_of_explain(found), code)


def _lines_of_explain(found: Explanation) -> Iterator[str]:
    sink = f" (sink {found.sink_id})" if found.sink_id else ""
    yield f"{found.path or found.part}: {found.state.value}{sink}"
    yield found.message


EXPLAIN = Command("explain", "Explain why a part file is visible or invisible.", _of_explain, _run_explain)


NEWEST = "newest"


def _of_show(parser: ArgumentParser) -> None:
    add_path(parser)
    parser.add_argument(
        "epoch",
        metavar="EPOCH",
        type=_epoch,
        help="the number of an epoch, 'newest' for the newest record, or '@N' for record N of the log",
    )
    add_sink_id(parser)
    add_limit(parser)


def _run_show(given: Namespace) -> Answer:
    directory = directory_of(given)
    epoch: str = given.epoch
    if epoch == NEWEST:
        found = directory.newest_record(given.sink_id)
    elif epoch.startswith("@"):
        found = directory.record(int(epoch[1:]), given.sink_id)
    else:
        found = directory.epoch(int(epoch), given.sink_id)
    return Answer({"show": found}, lambda: _lines_of_show(found, given.limit))


def _epoch(text: str) -> str:
    if text == NEWEST or re.fullmatch("@?[0-9]{1,19}", text):
        return text
    raise ArgumentTypeError(f"'{text}' is neither a number, nor @ with a number, nor '{NEWEST}'")


def _lines_of_show(found: RecordView, limit: int) -> Iterator[str]:
    record = found.record
    epoch = "" if record.epoch is None else f" {record.epoch}"
    what = f"{record.kind.value}{epoch} of run {record.run}"
    yield f"Record {record.seq}: {what}, {moment(record.written_at_millis)}"
    last = "no epoch yet" if record.state.last_epoch is None else f"last epoch {record.state.last_epoch}"
    yield f"Query {record.state.query_id}, {last}"
    if not found.called_off:
        yield "Carried out." if found.published else "Decided, but not yet marked as carried out."
    yield from limited(iter(found.remarks[: limit or None]), len(found.remarks), limit, "remarks")
    if record.publish:
        reasons = Counter(part.reason for part in record.publish)
        words = ", ".join(f"{reason} {count}" for reason, count in sorted(reasons.items()))
        total = sum(part.size_bytes for part in record.publish)
        rows = sum(part.records for part in record.publish)
        yield ""
        count = counted(len(record.publish), "part")
        yield f"Publishes {count} with {rows} rows, {size(total)}; rolled by {words}:"
        yield from limited(
            table(
                ("PART", "ROWS", "BYTES", "OPENED", "REASON"),
                [
                    (
                        part.finished_path,
                        str(part.records),
                        size(part.size_bytes),
                        moment(part.opened_at_millis),
                        part.reason,
                    )
                    for part in record.publish[: limit or None]
                ],
            ),
            len(record.publish),
            limit,
            "parts",
        )
    else:
        yield "Publishes nothing."
    why = ", whose rows are in the published part" if record.is_compaction else ""
    yield from (f"Replaces {part.path}{why}." for part in record.replace)
    yield from (
        f"Marks bucket {marker.bucket or '.'} complete, version {marker.version}."
        for marker in record.markers
    )
    if record.manifest:
        yield f"Lists its files in {record.manifest}."
    opened = record.state.open
    yield f"Leaves {counted(len(opened), 'part')} open with {size(sum(part.size_bytes for part in opened))}."


SHOW = Command("show", "Show the decision of an epoch, or of any record of the log.", _of_show, _run_show)
