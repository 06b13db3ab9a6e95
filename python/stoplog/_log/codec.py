# SPDX-License-Identifier: Apache-2.0
"""Decodes records from bytes: checks the version and the checksum before any other field."""

from __future__ import annotations

import json
import re

from stoplog._log.crc32c import crc32c
from stoplog._log.delta import StoredRecord
from stoplog._log.paths import paths_outside
from stoplog._log.reading import Json, WrongField, base_of, gone_of, has_settings, record_of
from stoplog._log.records import LogRecord
from stoplog._shared.definitions import shared

VERSION: int = shared("core")["recordVersion"]
"""The version of all written records, and the newest version that this release can read."""


class RecordProblem(ValueError):
    """Bytes that are not a usable record."""


class Torn(RecordProblem):
    """The bytes were cut off, overwritten or changed."""


class TooNew(RecordProblem):
    """A newer release wrote the bytes, which may contain unknown fields."""

    def __init__(self, version: int) -> None:
        super().__init__(f"it has version {version}, and this release reads up to {VERSION}")
        self.version = version


class Elsewhere(RecordProblem):
    """The record names files outside the sink's path: no release writes such a record.

    Attributes:
        paths: the files outside.
        last_epoch: the last epoch of the record.
    """

    def __init__(self, paths: tuple[str, ...], last_epoch: int | None) -> None:
        super().__init__(f"it names files outside of the sink's path: {', '.join(map(repr, paths))}")
        self.paths = paths
        self.last_epoch = last_epoch


class BaseGone(Torn):
    """The record contains a difference, and a record of its base is missing.

    Attributes:
        seq: the sequence number of the missing record.
    """

    def __init__(self, seq: int) -> None:
        super().__init__(f"its base, record {seq}, is missing")
        self.seq = seq


def decode(data: bytes) -> LogRecord:
    """Decodes a record with its whole state. Raises `Torn`, `TooNew` or `Elsewhere`."""
    stored = decode_stored(data)
    if stored.base is not None:
        raise BaseGone(stored.said.seq - 1)
    return stored.said


def decode_stored(data: bytes) -> StoredRecord:
    """Decodes a record with its whole state or a difference. Raises `Torn`, `TooNew` or `Elsewhere`."""
    try:
        stored = _decoded(data)
    except RecursionError:
        raise Torn("it is nested too deeply") from None
    outside = paths_outside(stored.said)
    if outside:
        raise Elsewhere(outside, stored.said.state.last_epoch)
    return stored


def _decoded(data: bytes) -> StoredRecord:
    root = _parsed(data)
    version = root.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise Torn("it has no version")
    if version > VERSION:
        raise TooNew(version)
    body = root.get("record")
    if not isinstance(body, dict):
        raise Torn("it contains no record")
    checksum = _checksum(_body_bytes(data, body))
    if root.get("crc32c") != checksum:
        raise Torn("its checksum does not match")
    try:
        if "base" in body:
            base = base_of(body)
            return StoredRecord(record_of(body), checksum, base, gone_of(body), has_settings(body))
        return StoredRecord(record_of(body), checksum)
    except WrongField as error:
        raise Torn(f"a field is missing or of another type ({error})") from error


_ENVELOPE = re.compile(rb'\{"version":\d+,"crc32c":"[0-9a-f]{8}","record":')


def _parsed(data: bytes) -> Json:
    if not data:
        raise Torn("it is empty")
    try:
        root = json.loads(data.decode("utf-8"))
    except ValueError:
        raise Torn("it ends in the middle, or is not JSON") from None
    if not isinstance(root, dict):
        raise Torn("it is not a JSON object")
    return root


def _body_bytes(data: bytes, body: Json) -> bytes:
    """Returns the bytes of the inner object.

    For a file that an editor has formatted, returns the writer's form.
    """
    stripped = data.strip()
    envelope = _ENVELOPE.match(stripped)
    if envelope is not None:
        return stripped[envelope.end() : -1]
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")


def _checksum(data: bytes) -> str:
    return f"{crc32c(data):08x}"
