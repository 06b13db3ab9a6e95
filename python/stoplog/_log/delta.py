# SPDX-License-Identifier: Apache-2.0
"""Records as their files have them: with their whole state, or with the difference from the record before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from stoplog._log.records import LogRecord, SinkState

_Entry = TypeVar("_Entry")


@dataclass(frozen=True, slots=True)
class Base:
    """The record before one that holds a difference.

    Attributes:
        whole: the newest record with a whole state: each behind it holds a difference.
        checksum: of the record before.
    """

    whole: int
    checksum: str


@dataclass(frozen=True, slots=True)
class Gone:
    """The keys of entries that the record before has and this one has not: paths of parts, buckets."""

    open: tuple[str, ...] = ()
    live: tuple[str, ...] = ()
    small: tuple[str, ...] = ()


NOTHING_GONE = Gone()


class WrongBase(ValueError):
    """A difference was not made from this state."""


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """One file of the log.

    Attributes:
        said: all that the file says. Of a difference the lists of its state hold the entries that are new or
            changed, and the settings are empty if they are those of the record before.
        checksum: tells the record from another one in its place.
        base: of a difference; `None` for a record with its whole state.
        gone: of a difference.
    """

    said: LogRecord
    checksum: str
    base: Base | None = None
    gone: Gone = NOTHING_GONE
    has_settings: bool = True

    def on(self, before: SinkState) -> LogRecord:
        """The record, from the state that the record before it leaves. Raises `WrongBase`."""
        state = self.said.state
        whole = replace(
            state,
            settings=state.settings if self.has_settings else before.settings,
            open=_after(before.open, state.open, self.gone.open, lambda part: part.finished_path),
            live=_after(before.live, state.live, self.gone.live, lambda bucket: bucket.bucket),
            small=_after(before.small, state.small, self.gone.small, lambda part: part.path),
        )
        return replace(self.said, state=whole)


def _after(
    before: tuple[_Entry, ...], put: tuple[_Entry, ...], gone: tuple[str, ...], key: Callable[[_Entry], str]
) -> tuple[_Entry, ...]:
    """What stays, and behind it what is new or changed."""
    if not put and not gone:
        return before
    entries = {key(entry): entry for entry in before}
    for name in gone:
        if entries.pop(name, None) is None:
            raise WrongBase(f"{name!r} is to go and is not there")
    for entry in put:
        entries.pop(key(entry), None)
    return (*entries.values(), *put)
