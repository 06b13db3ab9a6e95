# SPDX-License-Identifier: Apache-2.0
"""The figures of a report, each reckoned by hand for one small sink."""

from __future__ import annotations

import json
import os
import re
from html import unescape
from pathlib import Path

import pytest
from made_sink import MINUTE, NOW, QUERY, UID, MadeSink

from stoplog._report.bins import TimeCounts
from stoplog._report.delays import delays_of
from stoplog._report.plots import delay_plot, modified_plot, reason_plot
from stoplog._shared.version import version
from stoplog.inspection import SinkDirectory, SinkReport

HOUR = NOW - 60 * MINUTE
"""Midnight, in UTC: the sink's hour ends now, at one o'clock."""


def at(minutes: int, seconds: float = 0) -> int:
    """That long after midnight."""
    return HOUR + minutes * MINUTE + round(seconds * 1000)


@pytest.fixture
def sink(tmp_path: Path) -> MadeSink:
    """Three parts are published, of which two are merged later; one is open."""
    sink = MadeSink(tmp_path)
    sink.record("claim", at_millis=at(0))
    first = {**sink.pending_part("day=1", 0, 100, "size"), "openedAtMillis": at(48)}
    second = {**sink.pending_part("day=1", 1, 300, "age"), "openedAtMillis": at(49, 30)}
    mark(sink, sink.record("epoch", [first, second], at_millis=at(50)), at(51))
    third = {**sink.pending_part("day=2", 2, 300, "age"), "openedAtMillis": at(54, 59.8)}
    sink.write(f"day=2/{sink.name(2)}", b"x" * 300, NOW - at(55))
    # By the clock of the storage, this record was carried out before it was written.
    mark(sink, sink.record("epoch", [third], at_millis=at(55)), at(54))
    merged = {**sink.pending_part("day=1", 0, 400), "name": f"part-{UID}-m0.json"}
    sink.write(f"day=1/part-{UID}-m0.json", b"x" * 400, NOW - at(56))
    small = [
        {"bucket": "day=1", "name": sink.name(number), "bytes": 100, "records": 10, "epoch": 0}
        for number in (0, 1)
    ]
    mark(sink, sink.record("compact", [merged], replace=small, at_millis=at(56)), at(56, 30))
    sink.write(f"old/{sink.name(90)}", b"x" * 5000, NOW - at(20))
    opened = sink.open_part("day=3", 3, 200)
    sink.record("epoch", opened=[{**opened, "openedAtMillis": at(57)}], at_millis=at(58))
    return sink


def mark(sink: MadeSink, seq: int, at_millis: int) -> None:
    os.utime(sink.mark_path(seq), (at_millis / 1000, at_millis / 1000))


def report(sink: MadeSink) -> SinkReport:
    return SinkDirectory(sink.root, clock=lambda: NOW).report()


def texts(html: str, element: str) -> list[str]:
    """What stands in each of these elements."""
    found = re.findall(rf"<{element}(?: [^>]*)?>(.*?)</{element}>", html, re.DOTALL)
    return [unescape(re.sub("<[^>]*>", "", each)) for each in found]


def rows(html: str, caption: str) -> list[tuple[str, ...]]:
    """A table, with its heads."""
    (table,) = re.findall(rf"<caption>{re.escape(caption)}</caption>(.*?)</table>", html, re.DOTALL)
    lines = re.findall("<tr>(.*?)</tr>", table, re.DOTALL)
    return [tuple(texts(line, "t[hd]")) for line in lines]


def test_figures_of_the_log_are_totals(sink: MadeSink) -> None:
    log = report(sink).figures.log
    assert (log.kept, log.read, log.unreadable) == (5, 5, 0)
    assert (log.from_millis, log.to_millis) == (at(0), at(58))
    assert (log.parts, log.rows, log.bytes, log.merged) == (3, 30, 700, 1)
    assert log.reasons == {"size": 2, "age": 2}
    published = {each.from_millis: each.counts for each in log.published.bins if each.counts}
    assert log.published.width_millis == 10_000
    assert published == {at(51): {"size": 1, "age": 1}, at(55): {"age": 1}, at(56, 30): {"size": 1}}


def test_a_cancelled_compaction_is_not_counted(sink: MadeSink) -> None:
    sink.call_off(3)
    log = report(sink).figures.log
    assert (log.parts, log.merged, log.reasons) == (3, 0, {"age": 2, "size": 1})


def test_a_skipped_lost_part_is_not_counted(sink: MadeSink) -> None:
    sink.mark_path(2).with_suffix(".visible").write_text(json.dumps({"skipped": [f"day=2/{sink.name(2)}"]}))
    log = report(sink).figures.log
    assert (log.parts, log.rows, log.bytes, log.reasons) == (2, 20, 400, {"size": 2, "age": 1})


def test_a_delay_ends_with_the_mark_but_not_before_the_record(sink: MadeSink) -> None:
    delays = report(sink).figures.log.delays
    waited = [200, 90_000, 180_000]
    assert (delays.parts, delays.median_millis, delays.longest_millis) == (3, waited[1], waited[2])
    assert [(each.from_millis, each.below_millis) for each in delays.bins if each.parts] == [
        (0, 1_000),
        (60_000, 120_000),
        (120_000, 300_000),
    ]


def test_figures_of_the_directory_are_totals(sink: MadeSink) -> None:
    listing = report(sink).figures.listing
    assert (listing.files, listing.bytes, listing.largest_bytes) == (3, 5700, 5000)
    sizes = [(each.from_bytes, each.below_bytes, each.files) for each in listing.sizes if each.files]
    assert sizes == [(256, 512, 2), (4096, 8192, 1)]
    modified = {each.from_millis: each.counts for each in listing.modified.bins if each.counts}
    assert modified == {at(20): {"": 1}, at(55): {"": 1}, at(56): {"": 1}}


def test_the_page_states_all_figures(sink: MadeSink) -> None:
    assert texts(report(sink).html, "p") == [
        "Nothing needs attention: 3 files, 1 open part",
        f"Sink main of query {QUERY}: epoch 2, newest record 4 (epoch) 2m before. "
        "Seen at 2026-01-01T01:00:00Z.",
        "From the log: the 5 retained records, written from 2026-01-01T00:00:00Z to "
        "2026-01-01T00:58:00Z. Of older data, only the files are known.",
        "From the listing: all finished files of this directory, of all its sinks, by their sizes and the "
        "times of their last bytes. The listing has no roll reasons, and no times of publication.",
        "From the listing: 3 files, 5.6 KiB. Mean 1.9 KiB, median between 256 B and 512 B, largest 4.9 KiB; "
        "the policy closes a part at 1 KiB.",
        "From the log: 3 parts with 30 rows and 700 B, and 1 compacted part.",
        "From the listing, including files that the log no longer names: by the time of the last byte, which "
        "is before the publication. A copied directory may have other times.",
        "From the log: the delay of the first row of each part, from the opening of the part to its "
        "publication. Median 1m 30s, nine of ten at most 3m, longest 3m. Compacted parts "
        "are omitted, because their rows were visible before.",
        "From the newest record: 1 part with 10 rows and 200 B that readers do not see yet.",
        "Finished files and markers from the listing, open and pending parts from the newest record of this "
        "sink.",
        f"Made by stoplog {version()}. Times in UTC, sizes in binary units.",
    ]
    assert texts(report(sink).html, "title")[0] == f"{sink.root} (main) – stoplog"
    assert texts(report(sink).html, "h1") == [str(sink.root)]


def test_the_tables_have_the_figures_of_the_plots(sink: MadeSink) -> None:
    html = report(sink).html
    assert rows(html, "Finished files by size") == [
        ("Size", "Files"),
        ("256 B to 512 B", "2"),
        ("4 KiB to 8 KiB", "1"),
    ]
    assert rows(html, "Published parts over time, by roll reason") == [
        ("UTC", "size", "age", "Together"),
        ("2026-01-01 00:51:00 to 00:51:10", "1", "1", "2"),
        ("2026-01-01 00:55:00 to 00:55:10", "0", "1", "1"),
        ("2026-01-01 00:56:30 to 00:56:40", "1", "0", "1"),
        ("Together", "2", "2", "4"),
    ]
    assert rows(html, "Finished files by the time of their last byte") == [
        ("UTC", "Files"),
        ("2026-01-01 00:20:00 to 00:21:00", "1"),
        ("2026-01-01 00:55:00 to 00:56:00", "1"),
        ("2026-01-01 00:56:00 to 00:57:00", "1"),
    ]
    assert rows(html, "Parts by visibility delay") == [
        ("Waited", "Parts"),
        ("0s to 1s", "1"),
        ("1m to 2m", "1"),
        ("2m to 5m", "1"),
    ]


def test_targets_of_announcements_have_a_table_if_there_are_targets(sink: MadeSink) -> None:
    assert "Announcements" not in report(sink).html
    sink.write(f"_stoplog/main/announced/hook/{0:020d}", b"{}")
    failure = b'{"reason": "503", "at": %d}' % (NOW - MINUTE)
    sink.write(f"_stoplog/main/announced/hook/{0:020d}.failed", failure)
    head, row = rows(report(sink).html, "Targets of announcements")
    assert head == ("Target", "Waiting records", "Failed", "Why")
    assert (row[0], row[2], row[3]) == ("hook", "1m", "503")
    assert int(row[1]) > 0


def test_open_parts_have_a_table_and_the_latest_bucket_is_first(sink: MadeSink) -> None:
    html = report(sink).html
    assert rows(html, "Open parts, by when they will roll") == [
        ("Part", "Rows", "Bytes", "Age", "Last row", "Will roll", "Why not yet"),
        (
            f"day=3/{sink.name(3)}", "10", "200 B", "3m", "1m ago", "in 4m (inactivity)",
            "19% of its size, open 3m of 15m, idle 60s of 5m",
        ),
    ]  # fmt: skip
    assert rows(html, "Buckets, by the time of their newest data") == [
        (
            "Bucket", "Finished", "Finished bytes", "Newest", "Pending",
            "Open", "Open bytes", "Oldest open", "Next roll", "Markers",
        ),
        ("day=3", "0", "0 B", "–", "0", "1", "200 B", "3m", "in 4m", "0"),
        ("day=1", "1", "400 B", "4m", "0", "0", "0 B", "–", "–", "0"),
        ("day=2", "1", "300 B", "5m", "0", "0", "0 B", "–", "–", "0"),
        ("old", "1", "4.9 KiB", "40m", "0", "0", "0 B", "–", "–", "0"),
    ]  # fmt: skip


def test_the_plots_have_descriptions_and_each_bar_has_a_title(sink: MadeSink) -> None:
    html = report(sink).html
    assert texts(html, "desc") == [
        "Each bar covers sizes up to twice its label. The highest is 256 B to 512 B, with 2 files of 3.",
        "Each bar covers 10s, in UTC. The highest is 2026-01-01 00:51:00 to 00:51:10, with 2 parts of 4.",
        "Each bar covers 1m, in UTC. The highest is 2026-01-01 00:20:00 to 00:21:00, with 1 file of 3.",
        "Each bar covers delays from its label to the next label. The highest is 0s to 1s, with 1 part of 3.",
    ]
    assert texts(html, "title")[1:] == [
        "Finished files by size",
        "256 B to 512 B: 2 files",
        "4 KiB to 8 KiB: 1 file",
        "Published parts over time, by roll reason",
        "2026-01-01 00:51:00 to 00:51:10: 2 parts (size 1, age 1)",
        "2026-01-01 00:55:00 to 00:55:10: 1 part (age 1)",
        "2026-01-01 00:56:30 to 00:56:40: 1 part (size 1)",
        "Finished files by the time of their last byte",
        "2026-01-01 00:20:00 to 00:21:00: 1 file",
        "2026-01-01 00:55:00 to 00:56:00: 1 file",
        "2026-01-01 00:56:00 to 00:57:00: 1 file",
        "Parts by visibility delay",
        "0s to 1s: 1 part",
        "1m to 2m: 1 part",
        "2m to 5m: 1 part",
    ]
    assert texts(html, "li") == ["size", "age"]
    labels = texts(html, "text")
    assert labels[3:8] == ["256 B", "512 B", "1 KiB", "2 KiB", "4 KiB"]
    assert [label for label in labels if label.startswith("00:5")][:3] == ["00:51:00", "00:51:50", "00:52:40"]
    assert labels[20:24] == ["00:20", "00:26", "00:32", "00:38"]
    assert labels[-4:] == ["0s", "2s", "10s", "1m"]


def test_bars_and_notes_have_css_classes(sink: MadeSink) -> None:
    html = report(sink).html
    drawn = re.findall(r'<rect [^>]*class="(\w+)"', html)
    sizes, legend, reasons, modified, delays = ["s1"] * 2, ["s1", "s3"], ["s1", "s3", "s3", "s1"], 3, 3
    assert drawn == [*sizes, *legend, *reasons, *["s1"] * (modified + delays)]
    assert html.count('<svg viewBox="0 0 12 12" aria-hidden="true" xmlns="http://www.w3.org/2000/svg">') == 2
    assert html.count('<div class="pair">') == 4
    assert html.count('<ul class="legend">') == 1
    asides = re.findall('<p class="note">(.{15})', html)
    assert asides == ["From the log: t", "From the listin", "Made by stoplog"]


def test_missing_figures_are_named_as_missing(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path, query="")
    sink.record("claim", at_millis=at(59))
    claimed = texts(report(sink).html, "p")[1:]  # without the headline
    assert claimed[0] == (
        "Sink main of query –: no epoch yet, newest record 0 (claim) 1m before. Seen at 2026-01-01T01:00:00Z."
    )
    assert claimed[3:-1] == [
        "From the listing: there is no finished file yet.",
        "From the log: the records that were read published nothing.",
        "From the listing: there is no finished file yet.",
        "From the log: the records that were read published nothing.",
        "From the newest record: no part is open.",
        "There is no bucket yet.",
    ]
    sink.record_path(0).unlink()
    assert (report(sink).figures.log.from_millis, report(sink).figures.log.to_millis) == (None, None)
    assert texts(report(sink).html, "p")[1:3] == [
        "Sink main of query –: no epoch yet, without a record. Seen at 2026-01-01T01:00:00Z.",
        "From the log: nothing, because no record is readable.",
    ]


def test_the_page_of_a_connector_mentions_the_missing_listing(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path, settings={"content": ""})
    sink.record("claim", at_millis=at(59))
    elsewhere = "This sink writes to another system: its directory has a log, but no files."
    said = texts(report(sink).html, "p")[1:]
    assert [said.index(elsewhere), said.count(elsewhere)] == [3, 2]


def test_thousands_have_commas_and_short_delays_are_in_milliseconds(tmp_path: Path) -> None:
    sink = MadeSink(
        tmp_path,
        settings={"content": "format=json", "inProgress": "staging", "rollingPolicy": "onCheckpoint"},
    )
    parts = [
        {**sink.finished("", n, 0), "records": 1_000, "openedAtMillis": at(58) - wait}
        for n, wait in enumerate((999, 1000))
    ]
    mark(sink, sink.record("epoch", parts, at_millis=at(58)), at(58))
    sink.record("epoch", at_millis=at(59))
    sink.write("theirs.csv", b"x")
    html = report(sink).html
    said = texts(html, "p")[1:]
    assert "epoch 1, newest record 1 (epoch) 1m before" in said[0]
    assert said[3] == "From the listing: 2 files, 0 B. Mean 0 B, median between 0 B and 1 B, largest 0 B."
    assert said[4] == "From the log: 2 parts with 2,000 rows and 0 B."
    assert "Median 999 ms, nine of ten at most 1s, longest 1s." in said[6]
    assert said[-2] == "Not written by a sink, but visible to readers: 1 file."
    assert rows(html, "Finished files by size") == [("Size", "Files"), ("empty", "2")]
    assert rows(html, "Buckets, by the time of their newest data")[1][0] == "."


def test_overdue_parts_and_parts_without_a_deadline_are_shown(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    late = {**sink.open_part("", 0, 1), "openedAtMillis": at(40)}
    sink.record("epoch", opened=[late], at_millis=at(59))
    assert rows(report(sink).html, "Open parts, by when they will roll")[1][:6] == (
        sink.name(0), "10", "1 B", "20m", "1m ago", "due for 5m (age)",
    )  # fmt: skip
    sink.settings = {"content": "format=json", "inProgress": "staging", "rollingPolicy": "com.example.Own"}
    sink.record("epoch", opened=[late], at_millis=at(59))
    assert rows(report(sink).html, "Open parts, by when they will roll")[1][5] == "–"


@pytest.mark.parametrize(
    ("moments", "labels", "spans"),
    [
        ((0, 40), ("01:00:00", "01:00:35"), ("01:00:00 to 01:00:01", "01:00:40 to 01:00:41")),
        ((0, 1800), ("01:00", "01:30"), ("01:00:00 to 01:01:00", "01:30:00 to 01:31:00")),
        ((0, 86_400), ("01-01 01:00", "01-02 01:00"), ("01:00:00 to 02:00:00", "01:00:00 to 02:00:00")),
    ],
)
def test_the_precision_of_times_follows_from_the_range(
    moments: tuple[int, int], labels: tuple[str, str], spans: tuple[str, str]
) -> None:
    counts = TimeCounts()
    for seconds in moments:
        counts.add(NOW + 1000 * seconds)
    found = counts.bins()
    html = modified_plot(found)
    drawn = [label for label in texts(html, "text") if ":" in label]
    assert (drawn[0], drawn[-1]) == labels  # there is not room for all
    reported = [cells[0] for cells in rows(html, "Finished files by the time of their last byte")[1:]]
    assert [each[11:] for each in reported] == list(spans)


def test_days_are_shown_as_dates() -> None:
    counts = TimeCounts()
    for days in (0, 40):
        counts.add(NOW + days * 24 * 60 * MINUTE)
    html = modified_plot(counts.bins())
    assert "Each bar covers 1d, in UTC." in texts(html, "desc")[0]
    assert "2026-01-01" in texts(html, "text")
    reported = rows(html, "Finished files by the time of their last byte")
    assert reported[1:] == [("2026-01-01", "1"), ("2026-02-10", "1")]


def test_the_longest_delays_are_in_an_open_bin() -> None:
    day = 24 * 60 * MINUTE
    html = delay_plot(delays_of([day - 1, day, 9 * day]))
    assert rows(html, "Parts by visibility delay")[1:] == [("12h to 1d", "1"), ("1d and longer", "2")]


def test_every_compacted_part_counts(sink: MadeSink) -> None:
    merged = [{**sink.pending_part("day=1", number, 400)} for number in (4, 5)]
    mark(sink, sink.record("compact", merged, at_millis=at(59)), at(59))
    log = report(sink).figures.log
    assert (log.merged, log.parts) == (3, 3)


def test_custom_reasons_are_a_single_sum_in_each_bar() -> None:
    counts = TimeCounts()
    for reason in ("noon", "noon", "midnight", "size"):
        counts.add(at(50), reason)
    html = reason_plot(counts.bins(), {"noon": 2, "midnight": 1, "size": 1})
    assert "others 3" in " ".join(texts(html, "text") + texts(html, "title") + texts(html, "g")), html
