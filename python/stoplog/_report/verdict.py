# SPDX-License-Identifier: Apache-2.0
"""What a report says first: whether anything needs attention."""

from __future__ import annotations

from collections.abc import Iterator

from stoplog._inspect.liveness import DriverLife, DriverState
from stoplog._inspect.sinks import SinkKind
from stoplog._inspect.status import SinkStatus
from stoplog._inspect.targets import TargetStatus
from stoplog._report.figures import Figures
from stoplog._text.words import ago, counted, many

GOOD = "Nothing needs attention"
_WAY_OUT = "start the query, unless it waits for its first rows, or run stoplog finalize PATH."
"""A query has neither record nor heartbeat before its first rows, so the log cannot prove that none runs."""


def headline(found: Figures, problems: int) -> str:
    """Returns one line with the number of problems."""
    if problems:
        return "1 problem needs attention" if problems == 1 else f"{problems} problems need attention"
    if found.status.sink.kind is SinkKind.CONNECTOR:
        return GOOD
    return f"{GOOD}: {many(found.listing.files, 'file')}, {many(len(found.status.open), 'open part')}"


def attention(found: Figures) -> Iterator[str]:
    """Returns a sentence with the way out for each problem that the figures show."""
    status = found.status
    if found.log.unreadable:
        unreadable = counted(found.log.unreadable, "record")
        yield f"The log has {unreadable} that cannot be read: stoplog check PATH names them."
    if status.driver is not None and status.driver.state is not DriverState.ALIVE:
        yield from _without_driver(status, status.driver)
    if status.driver is not None and status.driver.is_hanging:
        message = status.driver.message
        yield f"{message[:1].upper()}{message[1:]}. Read the log of the driver, and restart the query."
    yield from (
        _failed(target, status.now_millis) for target in status.targets if target.last_error is not None
    )


def _without_driver(status: SinkStatus, driver: DriverLife) -> Iterator[str]:
    """Returns sentences on rows that wait for the next run."""
    if status.sink.pending_parts:
        pending = many(status.sink.pending_parts, "part")
        yield (
            f"{pending} of the newest record may be invisible, and the log names no running query: {_WAY_OUT}"
        )
    if status.open:
        rows = many(sum(part.records for part in status.open), "row")
        opened = many(len(status.open), "open part")
        yield f"{opened} with {rows}, and the log names no running query ({driver.message}): {_WAY_OUT}"


def _failed(target: TargetStatus, now_millis: int) -> str:
    since = "" if target.failed_at_millis is None else f" since {ago(now_millis - target.failed_at_millis)}"
    waiting = many(target.waiting_records, "record")
    return f"The announcement target {target.name} fails{since}, {waiting} waiting: {target.last_error}"
