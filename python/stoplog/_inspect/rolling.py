# SPDX-License-Identifier: Apache-2.0
"""Forecasts when an open part will be closed, from the settings of the rolling policy in the log."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from stoplog._html.shown import Shown
from stoplog._log.records import OpenPart
from stoplog._text.words import moment

# The length of 64-bit numbers; the jar does not write longer numbers.
_NUMBER = re.compile(r"[0-9]{1,19}")
_SIZE = re.compile(rf"({_NUMBER.pattern})\s*([kmgtp]?)(?:i?b)?")
_SPAN = re.compile(rf"({_NUMBER.pattern})\s*(ms|s|m|h|d)")
_SHIFTS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40, "p": 50}
_MILLIS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def bytes_of(text: str | None) -> int | None:
    """Parses a number of bytes; returns `None` for any other text.

    >>> bytes_of("128m"), bytes_of("12345"), bytes_of(None)
    (134217728, 12345, None)
    """
    found = _SIZE.fullmatch(text.strip().lower()) if text else None
    return int(found.group(1)) << _SHIFTS[found.group(2)] if found else None


def millis_of(text: str | None) -> int | None:
    """Parses a number of milliseconds; returns `None` for any other text.

    >>> millis_of("15m"), millis_of("1001ms"), millis_of("soon")
    (900000, 1001, None)
    """
    found = _SPAN.fullmatch(text.strip().lower()) if text else None
    return int(found.group(1)) * _MILLIS[found.group(2)] if found else None


@dataclass(frozen=True, slots=True)
class RollingFacts(Shown):
    """The settings of the rolling policy in the newest record.

    Attributes:
        policy: `default`, `onCheckpoint`, or the class of a custom policy.
        max_part_bytes: a larger part is closed.
        max_records: a part with this number of rows is closed.
        rollover_millis: a part of this age is closed.
        inactivity_millis: a part without a new row for this time is closed.
        event_time_millis: a row closes a part if the event time of the part's first row is earlier by this
            time.
        check_millis: the interval at which the driver checks parts between epochs.
        on_restart: the handling of open parts at the next start, `continue` or `finish`.
    """

    policy: str
    max_part_bytes: int | None = None
    max_records: int | None = None
    rollover_millis: int | None = None
    inactivity_millis: int | None = None
    check_millis: int | None = None
    on_restart: str = "continue"
    event_time_millis: int | None = None

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> RollingFacts | None:
        """Returns the facts in a record's settings; `None` for a log without a rolling policy."""
        if "rollingPolicy" not in settings:
            return None
        records = settings.get("maxRecordsPerPart", "")
        return cls(
            policy=settings["rollingPolicy"],
            max_part_bytes=bytes_of(settings.get("maxPartSize")),
            max_records=int(records) if _NUMBER.fullmatch(records) else None,
            rollover_millis=millis_of(settings.get("rolloverInterval")),
            inactivity_millis=millis_of(settings.get("inactivityInterval")),
            check_millis=millis_of(settings.get("bucketCheckInterval")),
            on_restart=settings.get("onRestart", "continue"),
            event_time_millis=millis_of(settings.get("eventTimeInterval")),
        )


@dataclass(frozen=True, slots=True)
class RollForecast(Shown):
    """The expected close time of a part, and the reason.

    Attributes:
        at_millis: the close time if no row arrives before; `None` if the log does not determine the time.
        reason: the reason, as the log will record it.
        why_not_yet: the share of each limit that the part has reached, or the reason for an unknown share.
    """

    at_millis: int | None
    reason: str | None
    why_not_yet: str


def forecast(part: OpenPart, facts: RollingFacts | None, ended: bool, now_millis: int) -> RollForecast:
    """Forecasts the close of an open part.

    Args:
        ended: true if the log ends with a clean end of its query, so that no driver checks the clock.
    """
    if ended:
        does = (
            "publishes the part" if facts is not None and facts.on_restart == "finish" else "resumes the part"
        )
        return RollForecast(None, None, f"the query has ended and left the part open: its next start {does}")
    if facts is None:
        return RollForecast(
            None, None, "the log does not contain the rolling policy: an older release wrote the log"
        )
    if facts.policy not in ("default", "onCheckpoint"):
        return RollForecast(None, None, f"a custom policy decides: {facts.policy}")
    full = _full(part, facts)
    if full is not None:
        return RollForecast(
            now_millis, full, "the part is full: its next row, or the next epoch, closes the part"
        )
    if facts.policy == "onCheckpoint":
        return RollForecast(
            now_millis, "checkpoint", "the next epoch that writes to its bucket closes the part"
        )
    return _by_the_clock(part, facts, now_millis)


def _full(part: OpenPart, facts: RollingFacts) -> str | None:
    if facts.max_part_bytes is not None and part.size_bytes > facts.max_part_bytes:
        return "size"
    return "records" if facts.max_records is not None and part.records >= facts.max_records else None


def _by_the_clock(part: OpenPart, facts: RollingFacts, now_millis: int) -> RollForecast:
    times = [
        (start + interval, word)
        for start, interval, word in (
            (part.opened_at_millis, facts.rollover_millis, "age"),
            (part.last_written_at_millis, facts.inactivity_millis, "inactivity"),
        )
        if interval is not None
    ]
    if not times:
        return RollForecast(None, None, _reached(part, facts, now_millis))
    at, word = min(times)
    if at <= now_millis:
        every = f", every {_span(facts.check_millis)}" if facts.check_millis else ""
        why = f"the part is due: a running driver closes it at the next check of the clock{every}"
        # The driver checks the age first, and finds both reasons in one check after an absence.
        return RollForecast(at, next(each for due, each in times if due <= now_millis), why)
    return RollForecast(at, word, _reached(part, facts, now_millis))


def _reached(part: OpenPart, facts: RollingFacts, now_millis: int) -> str:
    """Returns the share of each limit that the part has reached."""
    limits = []
    if facts.max_part_bytes is not None:
        limits.append(f"{_share(part.size_bytes, facts.max_part_bytes)} of its size")
    if facts.max_records is not None:
        limits.append(f"{_share(part.records, facts.max_records)} of its rows")
    if facts.rollover_millis is not None:
        limits.append(f"open {_span(now_millis - part.opened_at_millis)} of {_span(facts.rollover_millis)}")
    if facts.inactivity_millis is not None:
        idle = _span(now_millis - part.last_written_at_millis)
        limits.append(f"idle {idle} of {_span(facts.inactivity_millis)}")
    if facts.event_time_millis is not None and part.first_event_time_millis is not None:
        end = part.first_event_time_millis + facts.event_time_millis
        limits.append(f"closed by a row of {moment(end)} or later")
    return ", ".join(limits) or "no limit is set"


def _share(part: int, whole: int) -> str:
    return f"{100 * part // whole}%"


def _span(millis: int) -> str:
    seconds = max(0, millis) // 1000
    if seconds < 120:
        return f"{seconds}s"
    return f"{seconds // 60}m" if seconds < 7200 else f"{seconds // 3600}h"
