# SPDX-License-Identifier: Apache-2.0
"""Lists the sinks of a path, and shows the contents of their buckets."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from stoplog._text.words import ago, counted, moment, size
from stoplog.cli.command import Answer, Command, ExitCode, add_limit, add_path, add_sink_id, directory_of
from stoplog.cli.table import limited, table
from stoplog.inspection import BucketStatus, OpenPartStatus, SinkStatus, SinkSummary, TargetStatus


def _run_ls(given: Namespace) -> Answer:
    sinks = directory_of(given).sinks()
    torn = any(sink.problem for sink in sinks)
    return Answer({"sinks": sinks}, lambda: _lines_of_ls(sinks), ExitCode.FINDINGS if torn else ExitCode.OK)


def _lines_of_ls(sinks: list[SinkSummary]) -> Iterator[str]:
    if not sinks:
        yield "No streaming query has written here: there is no log below _stoplog. Batch jobs leave no log."
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


LS = Command("ls", "List the sinks of a path, with their queries and newest records.", add_path, _run_ls)


def _of_status(parser: ArgumentParser) -> None:
    add_path(parser)
    add_sink_id(parser)
    add_limit(parser)


def _run_status(given: Namespace) -> Answer:
    found = directory_of(given).status(given.sink_id)
    return Answer({"status": found}, lambda: _lines_of_status(found, given.limit))


def _lines_of_status(found: SinkStatus, limit: int) -> Iterator[str]:
    sink = found.sink
    epoch = "no epoch yet" if sink.last_epoch is None else f"epoch {sink.last_epoch}"
    yield f"Sink {sink.sink_id} of query {sink.query_id or '-'}: {epoch}, {_newest(found)}"
    if found.driver is not None:
        yield f"{found.driver.message[:1].upper()}{found.driver.message[1:]}."
    if sink.pending_parts:
        yield f"Decided, but not yet marked as published: {counted(sink.pending_parts, 'part')}."
    yield ""
    rows = [_bucket(bucket, found.now_millis) for bucket in found.buckets]
    yield from limited(
        table(
            ("BUCKET", "FINISHED", "BYTES", "NEWEST", "PENDING", "OPEN", "BYTES", "OLDEST", "NEXT ROLL"),
            rows[: limit or None],
        ),
        len(rows),
        limit,
        "buckets",
    )
    if found.open:
        yield ""
        yield from limited(
            table(
                ("OPEN PART", "ROWS", "BYTES", "WILL ROLL", "WHY NOT YET"),
                [_open(part, found.now_millis) for part in found.open[: limit or None]],
            ),
            len(found.open),
            limit,
            "open parts",
        )
    if found.targets:
        yield ""
        yield from table(
            ("TARGET", "WAITING RECORDS", "FAILED", "WHY"),
            [_target(target, found.now_millis) for target in found.targets],
        )
    if found.foreign_files:
        yield ""
        yield f"Not written by a sink, but visible to readers: {counted(found.foreign_files, 'file')}."


def _newest(found: SinkStatus) -> str:
    sink = found.sink
    if sink.newest_kind is None:
        return "without a record"
    return f"newest record {sink.newest_seq} ({sink.newest_kind.value}) {ago(sink.age_millis)} ago"


def _bucket(bucket: BucketStatus, now_millis: int) -> tuple[str, ...]:
    return (
        bucket.bucket or ".",
        str(bucket.finished),
        size(bucket.finished_bytes),
        _since(bucket.newest_finished_at_millis, now_millis),
        str(bucket.pending),
        str(bucket.open),
        size(bucket.open_bytes),
        _since(bucket.oldest_open_at_millis, now_millis),
        _until(bucket.next_roll_at_millis, now_millis),
    )


def _open(part: OpenPartStatus, now_millis: int) -> tuple[str, ...]:
    roll = part.roll
    when = _until(roll.at_millis, now_millis)
    return (
        part.finished_path,
        str(part.records),
        size(part.size_bytes),
        f"{when} ({roll.reason})" if roll.reason else when,
        roll.why_not_yet,
    )


def _target(target: TargetStatus, now_millis: int) -> tuple[str, ...]:
    return (
        target.name,
        str(target.waiting_records),
        _since(target.failed_at_millis, now_millis),
        target.last_error or "-",
    )


def _since(millis: int | None, now_millis: int) -> str:
    return "-" if millis is None else ago(now_millis - millis)


def _until(millis: int | None, now_millis: int) -> str:
    if millis is None:
        return "-"
    return f"in {ago(millis - now_millis)}" if millis > now_millis else f"due since {moment(millis)}"


STATUS = Command(
    "status", "Show finished, pending and open parts, and when they will roll.", _of_status, _run_status
)
