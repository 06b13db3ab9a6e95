# SPDX-License-Identifier: Apache-2.0
"""When an open part will be closed, by what the log notes of the rolling policy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stoplog._html.shown import Shown
from stoplog._inspect.units import bytes_of, millis_of
from stoplog._log.records import OpenPart
from stoplog._words import moment


@dataclass(frozen=True, slots=True)
class RollingFacts(Shown):
    """What the newest record says of the policy.

    Attributes:
        policy: `default`, `onCheckpoint`, or the class of an own one.
        max_part_bytes: a part with more is closed.
        max_records: a part with as many is closed.
        rollover_millis: a part that old is closed.
        inactivity_millis: a part without a row for that long is closed.
        event_time_millis: a row closes a part whose first row's event time is that much before its own.
        check_millis: how often the driver looks between epochs.
        on_restart: `continue` or `finish`: what the next start does with open parts.
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
        """`None` where an older release wrote the log, which did not note the policy."""
        if "rollingPolicy" not in settings:
            return None
        records = settings.get("maxRecordsPerPart", "")
        return cls(
            policy=settings["rollingPolicy"],
            max_part_bytes=bytes_of(settings.get("maxPartSize")),
            max_records=int(records) if records.isdigit() else None,
            rollover_millis=millis_of(settings.get("rolloverInterval")),
            inactivity_millis=millis_of(settings.get("inactivityInterval")),
            check_millis=millis_of(settings.get("bucketCheckInterval")),
            on_restart=settings.get("onRestart", "continue"),
            event_time_millis=millis_of(settings.get("eventTimeInterval")),
        )


@dataclass(frozen=True, slots=True)
class RollForecast(Shown):
    """When and why a part will be closed.

    Attributes:
        at_millis: by the clock, if no row comes before; `None` where nobody can tell.
        reason: the word that the log will have for it.
        why_not_yet: what the part has reached of each limit, or why nobody can tell.
    """

    at_millis: int | None
    reason: str | None
    why_not_yet: str


def forecast(part: OpenPart, facts: RollingFacts | None, ended: bool, now_millis: int) -> RollForecast:
    """What is going to become of an open part.

    Args:
        ended: whether the log ends with a clean end of its query, so that nobody looks at the clock.
    """
    if ended:
        does = "publishes it" if facts is not None and facts.on_restart == "finish" else "goes on with it"
        return RollForecast(None, None, f"the query has ended and left it open: its next start {does}")
    if facts is None:
        return RollForecast(
            None, None, "the log does not say which policy the query has: a release before wrote it"
        )
    if facts.policy == "onCheckpoint":
        return RollForecast(now_millis, "checkpoint", "the next epoch that writes to its bucket closes it")
    if facts.policy != "default":
        return RollForecast(None, None, f"the query's own policy decides: {facts.policy}")
    return _by_default(part, facts, now_millis)


def _by_default(part: OpenPart, facts: RollingFacts, now_millis: int) -> RollForecast:
    if facts.max_part_bytes is not None and part.size_bytes > facts.max_part_bytes:
        return RollForecast(
            now_millis, "size", "it is full: the next row for it, or the next epoch, closes it"
        )
    if facts.max_records is not None and part.records >= facts.max_records:
        return RollForecast(
            now_millis, "records", "it is full: the next row for it, or the next epoch, closes it"
        )
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
        why = f"it is due: the driver closes it when it looks at the clock{every}, if there is one"
        return RollForecast(at, word, why)
    return RollForecast(at, word, _reached(part, facts, now_millis))


def _reached(part: OpenPart, facts: RollingFacts, now_millis: int) -> str:
    """How far it is on the way to each limit."""
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
