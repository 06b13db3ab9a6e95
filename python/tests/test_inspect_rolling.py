# SPDX-License-Identifier: Apache-2.0
"""When an open part will be closed: each limit of the policy, at it and one before."""

from __future__ import annotations

from dataclasses import replace

import pytest
from made_sink import MINUTE, NOW, RUN

from stoplog._inspect.rolling import RollForecast, RollingFacts, bytes_of, forecast, millis_of
from stoplog._log.records import OpenPart

DEFAULT = {"rollingPolicy": "default"}
FULL = "the part is full: its next row, or the next epoch, closes the part"


def part(size: int = 0, records: int = 0, opened: int = NOW, written: int = NOW) -> OpenPart:
    return OpenPart("b", "name", 0, "handle", size, records, opened, written, RUN)


def reported(settings: dict[str, str], one: OpenPart, now: int = NOW) -> RollForecast:
    return forecast(one, RollingFacts.of({**DEFAULT, **settings}), False, now)


@pytest.mark.parametrize(
    ("settings", "one", "expected"),
    [
        ({"maxPartSize": "1k"}, part(size=1025), RollForecast(NOW, "size", FULL)),
        ({"maxPartSize": "1k"}, part(size=1024), RollForecast(None, None, "100% of its size")),
        ({"maxPartSize": "1k"}, part(size=1023), RollForecast(None, None, "99% of its size")),
        ({"maxRecordsPerPart": "40"}, part(records=40), RollForecast(NOW, "records", FULL)),
        ({"maxRecordsPerPart": "40"}, part(records=41), RollForecast(NOW, "records", FULL)),
        ({"maxRecordsPerPart": "40"}, part(records=39), RollForecast(None, None, "97% of its rows")),
        (
            {"maxPartSize": "1k", "maxRecordsPerPart": "40"},
            part(size=512, records=10),
            RollForecast(None, None, "50% of its size, 25% of its rows"),
        ),
        (
            {"maxPartSize": "1k", "maxRecordsPerPart": "40"},
            part(size=1025, records=40),
            RollForecast(NOW, "size", FULL),
        ),
        ({}, part(), RollForecast(None, None, "no limit is set")),
        (
            {"maxPartSize": "1k", "eventTimeInterval": "10m"},
            replace(part(size=512), first_event_time_millis=1767225600000),
            RollForecast(None, None, "50% of its size, closed by a row of 2026-01-01T00:10:00Z or later"),
        ),
        (
            {"eventTimeInterval": "1s"},
            replace(part(), first_event_time_millis=-(1 << 62)),
            RollForecast(None, None, f"closed by a row of {1000 - (1 << 62)} ms or later"),
        ),
        ({"eventTimeInterval": "1s"}, part(), RollForecast(None, None, "no limit is set")),
    ],
)
def test_a_full_part_is_closed_by_the_next_row(
    settings: dict[str, str], one: OpenPart, expected: RollForecast
) -> None:
    """Of bytes it may have as many as the limit says, of rows one less."""
    assert reported(settings, one) == expected


@pytest.mark.parametrize(
    ("settings", "reason"),
    [({"rolloverInterval": "15m"}, "age"), ({"inactivityInterval": "15m"}, "inactivity")],
)
def test_the_clock_closes_a_part_at_the_limit(settings: dict[str, str], reason: str) -> None:
    at = NOW + 15 * MINUTE
    word = "open" if reason == "age" else "idle"
    early = reported(settings, part(), at - 1)
    assert early == RollForecast(at, reason, f"{word} 14m of 15m")
    due = "the part is due: a running driver closes it at the next check of the clock"
    assert reported(settings, part(), at) == RollForecast(at, reason, due)
    looking = reported({**settings, "bucketCheckInterval": "90s"}, part(), at)
    assert looking == RollForecast(at, reason, f"{due}, every 90s")


def test_the_earliest_limit_counts() -> None:
    both = {"rolloverInterval": "15m", "inactivityInterval": "5m", "maxPartSize": "1k"}
    idle = reported(both, part(opened=NOW - 4 * MINUTE, written=NOW - MINUTE))
    assert (idle.at_millis, idle.reason) == (NOW + 4 * MINUTE, "inactivity")
    assert idle.why_not_yet == "0% of its size, open 4m of 15m, idle 60s of 5m"
    old = reported(both, part(opened=NOW - 12 * MINUTE, written=NOW - MINUTE))
    assert (old.at_millis, old.reason) == (NOW + 3 * MINUTE, "age")


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-5, "0s"),
        (0, "0s"),
        (119, "119s"),
        (120, "2m"),
        (179, "2m"),
        (7199, "119m"),
        (7200, "2h"),
        (10799, "2h"),
    ],
)
def test_durations_are_shown_in_a_suitable_unit(seconds: int, shown: str) -> None:
    one = part(opened=NOW - seconds * 1000)
    assert reported({"rolloverInterval": "1d"}, one).why_not_yet == f"open {shown} of 24h"


@pytest.mark.parametrize(
    ("policy", "ended", "expected"),
    [
        (
            {"rollingPolicy": "onCheckpoint"},
            False,
            RollForecast(NOW, "checkpoint", "the next epoch that writes to its bucket closes the part"),
        ),
        (
            {"rollingPolicy": "com.acme.AtMidnight"},
            False,
            RollForecast(None, None, "a custom policy decides: com.acme.AtMidnight"),
        ),
        (
            {},
            False,
            RollForecast(
                None, None, "the log does not contain the rolling policy: an older release wrote the log"
            ),
        ),
        (
            {"rollingPolicy": "onCheckpoint"},
            True,
            RollForecast(
                None, None, "the query has ended and left the part open: its next start resumes the part"
            ),
        ),
        (
            {"rollingPolicy": "default", "onRestart": "finish"},
            True,
            RollForecast(
                None, None, "the query has ended and left the part open: its next start publishes the part"
            ),
        ),
    ],
)
def test_other_policies_and_ended_queries_have_a_forecast(
    policy: dict[str, str], ended: bool, expected: RollForecast
) -> None:
    assert forecast(part(), RollingFacts.of(policy), ended, NOW) == expected


def test_the_settings_of_the_policy_are_read() -> None:
    settings = {
        "rollingPolicy": "default",
        "maxPartSize": "2m",
        "maxRecordsPerPart": "7",
        "rolloverInterval": "1h",
        "inactivityInterval": "2m",
        "bucketCheckInterval": "30s",
    }
    facts = RollingFacts("default", 2 << 20, 7, 3_600_000, 120_000, 30_000)
    assert RollingFacts.of(settings) == facts
    assert RollingFacts.of(DEFAULT) == RollingFacts("default")
    assert RollingFacts.of({**DEFAULT, "maxRecordsPerPart": "none"}) == RollingFacts("default")
    assert RollingFacts.of({**DEFAULT, "rolloverInterval": "none"}) == RollingFacts("default")
    assert RollingFacts.of({}) is None


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("7", 7),
        ("7b", 7),
        (" 7 K ", 7 << 10),
        ("7kb", 7 << 10),
        ("7MiB", 7 << 20),
        ("7g", 7 << 30),
        ("7t", 7 << 40),
        ("7p", 7 << 50),
        ("7x", None),
        ("", None),
        (None, None),
    ],
)
def test_sizes_are_parsed_as_in_options(text: str | None, size: int | None) -> None:
    assert bytes_of(text) == size


@pytest.mark.parametrize(
    ("text", "millis"),
    [
        ("7ms", 7),
        (" 7 S ", 7000),
        ("7m", 420_000),
        ("7h", 25_200_000),
        ("7d", 604_800_000),
        ("7", None),
        (None, None),
    ],
)
def test_durations_are_parsed_as_in_options(text: str | None, millis: int | None) -> None:
    assert millis_of(text) == millis
