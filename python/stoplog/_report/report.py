# SPDX-License-Identifier: Apache-2.0
"""The report as an HTML page: its tables, its sections, and the page itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from stoplog._html.markup import Markup, element, limited, page, styled, text, words
from stoplog._inspect.sinks import SinkKind
from stoplog._inspect.status import BucketStatus, OpenPartStatus, SinkStatus
from stoplog._inspect.targets import TargetStatus
from stoplog._report.bins import median_bin
from stoplog._report.figures import Figures
from stoplog._report.plots import delay_plot, modified_plot, reason_plot, size_plot
from stoplog._report.verdict import attention, headline
from stoplog._shared.version import version
from stoplog._text.words import ago, counted, many, moment, size

LIMIT = 200
"""The maximum number of rows in each table: a browser cannot open a page with a hundred thousand rows."""


def open_table(found: SinkStatus) -> Markup:
    """The open parts, in the order of their expected close times."""
    return limited(
        "Open parts, by when they will roll",
        ("Part", "Rows", "Bytes", "Age", "Last row", "Will roll", "Why not yet"),
        (_open_row(part, found.now_millis) for part in found.open),
        len(found.open),
        LIMIT,
        "stoplog status PATH --limit 0 lists all of them.",
    )


def bucket_table(found: SinkStatus) -> Markup:
    """The buckets, in descending order of the last addition."""
    latest = sorted(found.buckets, key=lambda bucket: (-_touched(bucket), bucket.bucket))
    return limited(
        "Buckets, by the time of their newest data",
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
        "stoplog status PATH --limit 0 lists all of them.",
    )


def target_table(found: SinkStatus) -> Markup:
    """The targets of announcements."""
    return limited(
        "Targets of announcements",
        ("Target", "Waiting records", "Failed", "Why"),
        (_target(target, found.now_millis) for target in found.targets),
        len(found.targets),
        LIMIT,
        "stoplog status PATH lists all of them.",
    )


def _open_row(part: OpenPartStatus, now_millis: int) -> tuple[str, ...]:
    when = _until(part.roll.at_millis, now_millis)
    return (
        part.finished_path,
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


def _target(target: TargetStatus, now_millis: int) -> tuple[str, ...]:
    return (
        target.name,
        f"{target.waiting_records:,}",
        _since(target.failed_at_millis, now_millis),
        target.last_error or "–",
    )


def _touched(bucket: BucketStatus) -> int:
    return max(bucket.newest_finished_at_millis or 0, bucket.oldest_open_at_millis or 0)


def _since(millis: int | None, now_millis: int) -> str:
    return "–" if millis is None else ago(now_millis - millis)


def _until(millis: int | None, now_millis: int) -> str:
    if millis is None:
        return "–"
    return f"in {ago(millis - now_millis)}" if millis > now_millis else f"due for {ago(now_millis - millis)}"


def sections(found: Figures) -> Iterator[Markup]:
    """Returns all sections, without the frame of the page."""
    yield words("h1", found.path)
    yield from _verdict(found)
    yield from _head(found)
    yield words("h2", "Sizes of finished files")
    yield from _sizes(found)
    yield words("h2", "Published parts, by roll reason")
    yield from _reasons(found)
    yield words("h2", "Finished files over time")
    yield from _modified(found)
    yield words("h2", "Visibility delay")
    yield from _delays(found)
    yield words("h2", "Open parts")
    yield from _open(found)
    yield words("h2", "Buckets")
    yield from _buckets(found)
    if found.status.targets:
        yield words("h2", "Announcements")
        yield target_table(found.status)
    yield words("p", f"Made by stoplog {version()}. Times in UTC, sizes in binary units.", class_="note")


def _verdict(found: Figures) -> Iterator[Markup]:
    problems = tuple(attention(found))
    state = "wrong" if problems else "right"
    yield words("p", headline(found, len(problems)), class_=f"verdict {state}", role="status")
    if problems:
        yield element("ul", *(words("li", problem) for problem in problems))


def _head(found: Figures) -> Iterator[Markup]:
    sink = found.status.sink
    epoch = "no epoch yet" if sink.last_epoch is None else f"epoch {sink.last_epoch:,}"
    newest = "without a record"
    if sink.newest_kind is not None:
        newest = f"newest record {sink.newest_seq} ({sink.newest_kind.value}) {ago(sink.age_millis)} before"
    at = moment(found.status.now_millis)
    yield words("p", f"Sink {sink.sink_id} of query {sink.query_id or '–'}: {epoch}, {newest}. Seen at {at}.")
    yield words("p", f"From the log: {_log(found)}", class_="note")
    yield words(
        "p",
        "From the listing: all finished files of this directory, of all its sinks, by their sizes and the "
        "times of their last bytes. The listing has no roll reasons, and no times of publication.",
        class_="note",
    )


def _log(found: Figures) -> str:
    log = found.log
    if log.from_millis is None or log.to_millis is None:
        return "nothing, because no record is readable."
    span = f"from {moment(log.from_millis)} to {moment(log.to_millis)}"
    kept = f"the {counted(log.kept, 'retained record')}"
    sentence = f"{kept if log.read == log.kept else f'the newest {log.read} of {kept}'}, written {span}."
    if log.unreadable:
        sentence += f" Unreadable: {counted(log.unreadable, 'record')}; run stoplog check for details."
    return f"{sentence} Of older data, only the files are known."


def _sizes(found: Figures) -> Iterator[Markup]:
    listing = found.listing
    half = median_bin(listing.sizes)
    if half is None:
        yield _no_file(found)
        return
    mean = size(listing.bytes // listing.files)
    middle = f"between {size(half.from_bytes)} and {size(half.below_bytes)}"
    yield words(
        "p",
        f"From the listing: {many(listing.files, 'file')}, {size(listing.bytes)}. "
        f"Mean {mean}, median {middle}, largest {size(listing.largest_bytes)}{_limit(found)}.",
    )
    yield size_plot(listing.sizes)


def _no_file(found: Figures) -> Markup:
    if found.status.sink.kind is SinkKind.CONNECTOR:
        return words("p", "This sink writes to another system: its directory has a log, but no files.")
    return words("p", "From the listing: there is no finished file yet.")


def _limit(found: Figures) -> str:
    rolling = found.status.rolling
    if rolling is None or rolling.max_part_bytes is None:
        return ""
    return f"; the policy closes a part at {size(rolling.max_part_bytes)}"


def _reasons(found: Figures) -> Iterator[Markup]:
    log = found.log
    if not log.reasons:
        yield words("p", "From the log: the records that were read published nothing.")
        return
    merged = f", and {many(log.merged, 'compacted part')}" if log.merged else ""
    yield words(
        "p",
        f"From the log: {many(log.parts, 'part')} with {many(log.rows, 'row')} and "
        f"{size(log.bytes)}{merged}.",
    )
    yield reason_plot(log.published, log.reasons)


def _modified(found: Figures) -> Iterator[Markup]:
    if not found.listing.files:
        yield _no_file(found)
        return
    yield words(
        "p",
        "From the listing, including files that the log no longer names: by the time of the last byte, which "
        "is before the publication. A copied directory may have other times.",
    )
    yield modified_plot(found.listing.modified)


def _delays(found: Figures) -> Iterator[Markup]:
    delays = found.log.delays
    if not delays.parts:
        yield words("p", "From the log: the records that were read published nothing.")
        return
    yield words(
        "p",
        f"From the log: the delay of the first row of each part, from the opening of the part to its "
        f"publication. Median {_wait(delays.median_millis)}, nine of ten at most "
        f"{_wait(delays.ninetieth_millis)}, longest {_wait(delays.longest_millis)}. Compacted parts "
        "are omitted, because their rows were visible before.",
    )
    yield delay_plot(delays)


def _wait(millis: int | None) -> str:
    return f"{millis} ms" if millis is not None and millis < 1000 else ago(millis)


def _open(found: Figures) -> Iterator[Markup]:
    opened = found.status.open
    if not opened:
        yield words("p", "From the newest record: no part is open.")
        return
    rows = many(sum(part.records for part in opened), "row")
    total = size(sum(part.size_bytes for part in opened))
    yield words(
        "p",
        f"From the newest record: {many(len(opened), 'part')} with {rows} and {total} "
        "that readers do not see yet.",
    )
    yield open_table(found.status)


def _buckets(found: Figures) -> Iterator[Markup]:
    if not found.status.buckets:
        yield words("p", "There is no bucket yet.")
        return
    yield words(
        "p",
        "Finished files and markers from the listing, open and pending parts from the newest record "
        "of this sink.",
    )
    yield bucket_table(found.status)
    if found.status.foreign_files:
        count = many(found.status.foreign_files, "file")
        yield words("p", f"Not written by a sink, but visible to readers: {count}.")


@dataclass(frozen=True, slots=True, repr=False)
class SinkReport:
    """The history of a sink as an HTML page without external resources, in light and dark style.

    Notebooks display the report directly.

    Attributes:
        figures: the numbers on the page.

    Example:
        stoplog.inspect("/data/out").report().save("report.html")
    """

    figures: Figures

    @property
    def html(self) -> str:
        """Returns the whole page."""
        title = text(f"{self.figures.path} ({self.figures.status.sink.sink_id}) – stoplog")
        return page(title, *sections(self.figures))

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the page to a local file, overwrites an old file, and returns the path. Raises `OSError`.

        Example:
            stoplog.inspect("/data/out").report().save("report.html")
        """
        target = Path(path)
        target.write_text(self.html, encoding="utf-8")
        return target

    def __repr__(self) -> str:
        return f"SinkReport({self.figures.path!r}, {self.figures.status.sink.sink_id!r})"

    def _repr_html_(self) -> str:
        return styled(*sections(self.figures))
