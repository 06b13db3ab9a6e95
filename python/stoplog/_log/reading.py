# SPDX-License-Identifier: Apache-2.0
"""Parses a record from its JSON object: each field must exist and have the expected type."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from stoplog._log.delta import Base, Gone
from stoplog._log.records import (
    NO_TOTALS,
    NOTHING_SPOOLED,
    FinishedPart,
    LiveBucket,
    LogRecord,
    Marker,
    OpenPart,
    PendingPart,
    RecordKind,
    SinkState,
    Spooled,
    SpoolFile,
    Totals,
)

Json: TypeAlias = dict[str, Any]

_HALF = re.compile("[\ud800-\udfff]")
_YEAR_1, _YEAR_10000 = -62_135_596_800_000, 253_402_300_800_000
_Read = TypeVar("_Read")


class WrongField(ValueError):
    """A field is missing or has another type."""


def required(source: Json, field: str) -> Any:
    try:
        return source[field]
    except KeyError:
        raise WrongField(f"no field '{field}'") from None


def text(source: Json, field: str) -> str:
    value = required(source, field)
    if not isinstance(value, str):
        raise WrongField(f"field '{field}' is not a string")
    if not value.isascii() and _HALF.search(value):
        raise WrongField(f"field '{field}' contains half of a surrogate pair")
    return value


def number(source: Json, field: str) -> int:
    value = required(source, field)
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongField(f"field '{field}' is not a whole number")
    if not -(1 << 63) <= value < 1 << 63:
        raise WrongField(f"field '{field}' has more than 64 bits")
    return value


def moment(source: Json, field: str) -> int:
    """Returns a point in time in milliseconds, in the years 1 to 9999."""
    value = number(source, field)
    if not _YEAR_1 <= value < _YEAR_10000:
        raise WrongField(f"field '{field}' is not a time of the years 1 to 9999")
    return value


def optional_number(source: Json, field: str) -> int | None:
    return number(source, field) if field in source else None


def flag(source: Json, field: str) -> bool:
    return required(source, field) is True


def inner(source: Json, field: str) -> Json:
    value = required(source, field)
    if not isinstance(value, dict):
        raise WrongField(f"field '{field}' is not an object")
    return value


def each(source: Json, field: str, read: Callable[[Json], _Read]) -> tuple[_Read, ...]:
    value = required(source, field)
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise WrongField(f"field '{field}' is not a list of objects")
    return tuple(read(item) for item in value)


def each_if_any(source: Json, field: str, read: Callable[[Json], _Read]) -> tuple[_Read, ...]:
    return each(source, field, read) if field in source else ()


def record_of(source: Json) -> LogRecord:
    """Returns the record. Raises `WrongField`."""
    kind = _kind(text(source, "kind"))
    return LogRecord(
        seq=number(source, "seq"),
        kind=kind,
        epoch=number(source, "epoch") if kind is RecordKind.EPOCH else None,
        run=text(source, "run"),
        written_at_millis=moment(source, "writtenAtMillis"),
        publish=each(source, "publish", _pending),
        state=_state(inner(source, "state"), may_lack_settings="base" in source),
        manifest=text(inner(source, "manifest"), "path") if "manifest" in source else None,
        markers=each_if_any(source, "markers", _marker),
        replace=each_if_any(source, "replace", _finished),
    )


def _kind(word: str) -> RecordKind:
    try:
        return RecordKind(word)
    except ValueError:
        raise WrongField(f"unknown kind '{word}'") from None


def base_of(source: Json) -> Base:
    """Returns the base of a difference. Raises `WrongField`."""
    base = inner(source, "base")
    found = Base(number(base, "whole"), text(base, "crc32c"))
    if not 0 <= found.whole < number(source, "seq"):
        raise WrongField(f"record {found.whole} is not an earlier record")
    return found


def gone_of(source: Json) -> Gone:
    """Returns the entries that a difference removes. Raises `WrongField`."""
    state = inner(source, "state")
    return Gone(_texts(state, "openGone"), _texts(state, "liveGone"), _texts(state, "smallGone"))


def has_settings(source: Json) -> bool:
    """Returns true if the record contains the settings of its state."""
    return "settings" in inner(source, "state")


def _texts(source: Json, field: str) -> tuple[str, ...]:
    values = source.get(field, [])
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise WrongField(f"field '{field}' is not a list of strings")
    return tuple(values)


def _state(source: Json, may_lack_settings: bool) -> SinkState:
    noted = {} if may_lack_settings and "settings" not in source else inner(source, "settings")
    return SinkState(
        query_id=text(source, "queryId"),
        last_epoch=optional_number(source, "lastEpoch"),
        open=each(source, "open", _open),
        next_part=number(source, "nextPart"),
        settings={key: str(value) for key, value in noted.items()},
        live=each_if_any(source, "live", _live),
        small=each_if_any(source, "small", _finished),
    )


def _open(source: Json) -> OpenPart:
    return OpenPart(
        bucket=text(source, "bucket"),
        name=text(source, "name"),
        slot=number(source, "slot"),
        handle=text(source, "handle"),
        valid_bytes=number(source, "bytes"),
        records=number(source, "records"),
        opened_at_millis=moment(source, "openedAtMillis"),
        last_written_at_millis=moment(source, "lastWrittenAtMillis"),
        owner=text(source, "owner") if "owner" in source else None,
        spooled=_spooled(inner(source, "beside")) if "beside" in source else NOTHING_SPOOLED,
        first_event_time_millis=optional_number(source, "firstEventTimeMillis"),
    )


def _spooled(source: Json) -> Spooled:
    return Spooled(
        note=text(source, "note"),
        files=each(source, "files", _spool_file),
        storage_bytes=number(source, "storageBytes"),
        rows=text(source, "rows") if "rows" in source else "",
    )


def _spool_file(source: Json) -> SpoolFile:
    return SpoolFile(text(source, "file"), number(source, "bytes"), number(source, "level"))


def _pending(source: Json) -> PendingPart:
    return PendingPart(
        bucket=text(source, "bucket"),
        name=text(source, "name"),
        handle=text(source, "handle"),
        closed=flag(source, "closed"),
        size_bytes=number(source, "bytes"),
        records=number(source, "records"),
        opened_at_millis=moment(source, "openedAtMillis"),
        last_written_at_millis=moment(source, "lastWrittenAtMillis"),
        reason=text(source, "reason"),
    )


def _finished(source: Json) -> FinishedPart:
    return FinishedPart(
        bucket=text(source, "bucket"),
        name=text(source, "name"),
        size_bytes=number(source, "bytes"),
        records=number(source, "records"),
        epoch=number(source, "epoch"),
        merges=number(source, "merges") if "merges" in source else 0,
    )


def _marker(source: Json) -> Marker:
    return Marker(
        bucket=text(source, "bucket"),
        version=number(source, "version"),
        form=text(source, "form"),
        sink_id=text(source, "sinkId"),
        cause=text(source, "cause"),
        at_millis=moment(source, "atMillis"),
        end_millis=optional_number(source, "endMillis"),
        added=_totals(source, "added"),
    )


def _live(source: Json) -> LiveBucket:
    return LiveBucket(
        bucket=text(source, "bucket"),
        version=number(source, "version") if "version" in source else 0,
        added=_totals(source, "added"),
        last_written_at_millis=moment(source, "lastWrittenAtMillis"),
    )


def _totals(source: Json, field: str) -> Totals:
    if field not in source:
        return NO_TOTALS
    totals = inner(source, field)
    return Totals(number(totals, "files"), number(totals, "rows"), number(totals, "bytes"))
