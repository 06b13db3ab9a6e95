# SPDX-License-Identifier: Apache-2.0
"""Directories whose reports are hard to draw, each for a reason of its own."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from made_sink import MINUTE, NOW, Json, MadeSink

REASONS = ("size", "records", "age", "inactivity", "checkpoint", "openLimit", "complete", "end", "eventTime")


def usual(root: Path) -> None:
    """A day of a stream with a bucket for each hour, most parts closed by their age."""
    drawn = random.Random(1)
    sink = MadeSink(root, settings={**MadeSink(root).settings, "maxPartSize": "128m"})
    sink.record("claim", at_millis=NOW - 25 * 60 * MINUTE)
    for number in range(90):
        at = NOW - (90 - number) * 16 * MINUTE
        hour = f"2026-01-{1 + number // 60:02d}--{number % 24:02d}"
        reasons = drawn.choices(("age", "inactivity", "size"), (8, 2, 1), k=3)
        parts = [
            finished(sink, hour, 3 * number + one, at, reason, drawn) for one, reason in enumerate(reasons)
        ]
        sink.record("epoch", parts, at_millis=at)
    opened = [sink.open_part("2026-01-02--05", 300 + number, 40_000 * number) for number in range(8)]
    sink.record("epoch", opened=opened)


def every_reason(root: Path) -> None:
    """All roll reasons at once, some of an own policy, and waits from milliseconds to months."""
    drawn = random.Random(2)
    sink = MadeSink(root)
    for number in range(60):
        at = NOW - (60 - number) * 30 * MINUTE
        reasons = (*REASONS, "nearly-full-of-something-of-our-own")
        parts = [
            finished(sink, "b", 9 * number + one, at, reason, drawn) for one, reason in enumerate(reasons)
        ]
        for part in parts:
            part["openedAtMillis"] = at - 4 ** drawn.randrange(1, 17)
        sink.record("epoch", parts, at_millis=at)


def many_buckets(root: Path) -> None:
    """Far more buckets and open parts than tables show, with long names."""
    drawn = random.Random(3)
    sink = MadeSink(root)
    buckets = [
        f"country=Saint-Barthélemy-and-others-{number:04d}/year=2026/month=01" for number in range(1200)
    ]
    at = NOW - 3 * MINUTE
    sink.record(
        "epoch", [finished(sink, each, number, at, "size", drawn) for number, each in enumerate(buckets)]
    )
    sink.record(
        "epoch", opened=[sink.open_part(each, 2000 + number, 10) for number, each in enumerate(buckets[:400])]
    )


def huge_numbers(root: Path) -> None:
    """Sizes and rows that need many digits."""
    sink = MadeSink(root)
    parts = [sink.pending_part("all", number, 9_876_543_210_987_654) for number in range(3)]
    for part in parts:
        part["records"] = 987_654_321_987_654
    opened = [
        {**sink.open_part("all", 7, 10), "records": 987_654_321_987_654, "bytes": 9_876_543_210_987_654}
    ]
    sink.record("epoch", parts, opened)
    for number in range(70):
        with sink.write(f"all/{sink.name(100 + number)}", b"").open("r+b") as file:
            file.truncate(2 ** (number % 43))  # sparse: it takes no room


def one_file(root: Path) -> None:
    """A single bar."""
    sink = MadeSink(root)
    sink.record("epoch", [sink.finished("", 0, 1)])


def nothing_yet(root: Path) -> None:
    """A sink that has started, and no row came."""
    MadeSink(root).record("claim")


def long_words(root: Path) -> None:
    """Names without a place to break them."""
    sink = MadeSink(root, sink_id="s" * 120)
    bucket = "/".join("w" * 200 for _ in range(3))
    sink.record("epoch", [sink.finished(bucket, 0, 10)], [sink.open_part(bucket, 1, 10)])


def finished(sink: MadeSink, bucket: str, number: int, at: int, reason: str, drawn: random.Random) -> Json:
    """A part that was published then, of a size about which files of a stream are."""
    part = sink.finished(bucket, number, 1)
    size = int(drawn.lognormvariate(17, 1.2)) + 1
    file = sink.root / bucket / sink.name(number)
    with file.open("r+b") as opened:
        opened.truncate(size)
    sink.write_time(file, at - MINUTE)
    opened_at = at - drawn.randrange(2, 15) * MINUTE
    return part | {
        "reason": reason,
        "bytes": size,
        "openedAtMillis": opened_at,
        "lastWrittenAtMillis": at - MINUTE,
    }


CASES: tuple[Callable[[Path], None], ...] = (
    usual,
    every_reason,
    many_buckets,
    huge_numbers,
    one_file,
    nothing_yet,
    long_words,
)
