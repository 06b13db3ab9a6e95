# SPDX-License-Identifier: Apache-2.0
"""The report in the order in which it is read."""

from __future__ import annotations

from collections.abc import Iterator

from stoplog._html.markup import Markup, words
from stoplog._inspect.sinks import SinkKind
from stoplog._report.figures import Figures
from stoplog._report.plots import delay_plot, modified_plot, reason_plot, size_plot
from stoplog._report.size_bins import median_bin
from stoplog._report.tables import bucket_table, open_table
from stoplog._version import version
from stoplog._words import ago, counted, many, moment, size


def sections(found: Figures) -> Iterator[Markup]:
    """All of it, without what makes it a page."""
    yield words("h1", found.path)
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
    yield words("p", f"Made by stoplog {version()}. Times in UTC, sizes in binary units.", class_="note")


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
        "times of their last bytes. It does not say why a file was closed, nor when it was published.",
        class_="note",
    )


def _log(found: Figures) -> str:
    log = found.log
    if log.from_millis is None or log.to_millis is None:
        return "nothing, it has no record that can be read."
    span = f"from {moment(log.from_millis)} to {moment(log.to_millis)}"
    kept = f"the {counted(log.kept, 'record')} that it keeps"
    told = f"{kept if log.read == log.kept else f'the newest {log.read} of {kept}'}, written {span}."
    if log.unreadable:
        told += f" Left out as unreadable: {counted(log.unreadable, 'record')}; stoplog check says more."
    return f"{told} What is older is known by its files alone."


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
        return words("p", "This sink commits elsewhere: its directory has a log, and no files to be listed.")
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
    merged = f", and {many(log.merged, 'part')} that compaction merged" if log.merged else ""
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
        "From the listing, also of files that the log no longer names: by the time of the last byte, which "
        "is before the file was published. A copied directory may have other times.",
    )
    yield modified_plot(found.listing.modified)


def _delays(found: Figures) -> Iterator[Markup]:
    delays = found.log.delays
    if not delays.parts:
        yield words("p", "From the log: the records that were read published nothing.")
        return
    yield words(
        "p",
        f"From the log: how long a part's first row waited until readers saw it, from the opening of the "
        f"part to its being published. Median {_wait(delays.median_millis)}, nine of ten at most "
        f"{_wait(delays.ninetieth_millis)}, longest {_wait(delays.longest_millis)}. Merged parts are "
        "left out: their rows were seen before.",
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
        "that no reader sees yet.",
    )
    yield open_table(found.status)


def _buckets(found: Figures) -> Iterator[Markup]:
    if not found.status.buckets:
        yield words("p", "There is none yet.")
        return
    yield words(
        "p",
        "Finished files and markers from the listing, open and pending parts from the newest record "
        "of this sink.",
    )
    yield bucket_table(found.status)
    if found.status.foreign_files:
        count = many(found.status.foreign_files, "file")
        yield words("p", f"Not written by a sink, and seen by readers: {count}.")
