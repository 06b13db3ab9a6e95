# SPDX-License-Identifier: Apache-2.0
"""What is open now, and what is in each bucket."""

from __future__ import annotations

from stoplog._html.markup import Markup
from stoplog._html.table import limited
from stoplog._inspect.status import BucketStatus, OpenPartStatus, SinkStatus
from stoplog._words import ago, size

LIMIT = 200
"""Rows of each table: a page of a hundred thousand would not open."""


def open_table(found: SinkStatus) -> Markup:
    """The open parts, those that will be closed first at the beginning."""
    return limited(
        "Open parts, by when they will roll",
        ("Part", "Rows", "Bytes", "Age", "Last row", "Will roll", "Why not yet"),
        (_open(part, found.now_millis) for part in found.open),
        len(found.open),
        LIMIT,
        "stoplog status PATH --limit 0 lists them all.",
    )


def bucket_table(found: SinkStatus) -> Markup:
    """The buckets, those that something came to last at the beginning."""
    latest = sorted(found.buckets, key=lambda bucket: (-_touched(bucket), bucket.bucket))
    return limited(
        "Buckets, by the time that something came to them",
        (
            "Bucket",
            "Finished",
            "Finished bytes",
            "Newest",
            "Pending",
            "Open",
            "Open bytes",
            "Oldest open",
            "Next roll",
            "Markers",
        ),
        (_bucket(bucket, found.now_millis) for bucket in latest),
        len(latest),
        LIMIT,
        "stoplog status PATH --limit 0 lists them all.",
    )


def _open(part: OpenPartStatus, now_millis: int) -> tuple[str, ...]:
    when = _until(part.roll.at_millis, now_millis)
    return (
        f"{part.bucket}/{part.name}" if part.bucket else part.name,
        f"{part.records:,}",
        size(part.size_bytes),
        ago(now_millis - part.opened_at_millis),
        f"{ago(now_millis - part.last_written_at_millis)} ago",
        f"{when} ({part.roll.reason})" if part.roll.reason else when,
        part.roll.why_not_yet,
    )


def _bucket(bucket: BucketStatus, now_millis: int) -> tuple[str, ...]:
    return (
        bucket.bucket or ".",
        f"{bucket.finished:,}",
        size(bucket.finished_bytes),
        _since(bucket.newest_finished_at_millis, now_millis),
        f"{bucket.pending:,}",
        f"{bucket.open:,}",
        size(bucket.open_bytes),
        _since(bucket.oldest_open_at_millis, now_millis),
        _until(bucket.next_roll_at_millis, now_millis),
        f"{bucket.markers:,}",
    )


def _touched(bucket: BucketStatus) -> int:
    return max(bucket.newest_finished_at_millis or 0, bucket.oldest_open_at_millis or 0)


def _since(millis: int | None, now_millis: int) -> str:
    return "–" if millis is None else ago(now_millis - millis)


def _until(millis: int | None, now_millis: int) -> str:
    if millis is None:
        return "–"
    return f"in {ago(millis - now_millis)}" if millis > now_millis else f"due for {ago(now_millis - millis)}"
