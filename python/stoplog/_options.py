# SPDX-License-Identifier: Apache-2.0
"""Option maps: strings to strings, whose keys differ only by more than case, as in Spark."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeAlias

from stoplog import _redaction

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Pairs: TypeAlias = tuple[tuple[str, str], ...]
"""An immutable option map, in the order in which it was made."""

KEYS: frozenset[str] = frozenset(
    {
        "path", "format", "encoder", "bulkWriter", "compression",
        "rollingPolicy", "maxPartSize", "maxRecordsPerPart", "rolloverInterval", "inactivityInterval",
        "eventTimeInterval", "eventTimeColumn",
        "bucketCheckInterval",
        "compaction", "compactSmallerThan", "compactTo", "compactAfterEpochs", "compactMinFiles", "compactor",
        "bucketBy", "partitionBy", "bucketAssigner", "bucketFormat", "bucketColumn", "bucketTimeZone",
        "timeZone",
        "partPrefix", "partSuffix",
        "inProgress", "inProgressPrefix", "inProgressSuffix", "pendingPrefix", "pendingSuffix",
        "maxOpenParts", "distribution", "sinkId", "onForeignQuery", "onRestart", "finalizeOnTermination",
        "onLostPart", "onSchemaChange", "onBadRow", "rejectPath",
        "useTruncate", "validLengthPrefix", "validLengthSuffix", "durability",
        "bucketComplete", "bucketCompleteDelay", "bucketMarker", "bucketListener",
        "manifest", "manifestRetention",
        "lineSep", "nullValue", "sink", "logLocation", "view",
    }
)  # fmt: skip
"""Every option that this package can set by a name of its own: the jar's registry, held equal by a test."""

SOURCE_KEYS: frozenset[str] = frozenset(
    {
        "path", "paths", "format", "source", "columns", "charset", "lineSep", "lengthPrefix", "maxRecordSize",
        "partitionColumns", "fileEnumerator",
        "pathGlobFilter", "recursiveFileLookup", "minFileAge", "onChangedFile", "ignoreMissingFiles",
        "monitorInterval", "cleanSource", "sourceArchiveDir", "onCorrupt", "quarantinePath", "onMergedPart",
        "stableFor", "readyMarker", "wholeListingInterval",
        "datePattern", "dateFrom", "dateUntil", "dateWithin", "dateTimeZone",
        "maxFilesPerTrigger", "maxBytesPerTrigger", "maxRowsPerTrigger",
    }
)  # fmt: skip
"""The same for the source."""


def own_class(option: str, class_name: str, parameters: Mapping[str, object] | None) -> dict[str, str]:
    """A class on the session's class path that an option names, with its parameters as `<option>.<name>`.

    >>> own_class("encoder", "com.acme.Words", {"separator": ";", "header": True})
    {'encoder': 'com.acme.Words', 'encoder.separator': ';', 'encoder.header': 'true'}
    """
    named = {
        f"{option}.{name}": text_of(f"{option}.{name}", value) for name, value in (parameters or {}).items()
    }
    return {option: class_name, **named}


def text_of(key: str, value: object) -> str:
    """A value as Spark writes it in an option.

    >>> text_of("header", True), text_of("rows", 7), text_of("sep", "x")
    ('true', '7', 'x')
    >>> text_of("sep", None)
    Traceback (most recent call last):
    TypeError: sep must be a string, a number or a bool, and is of type NoneType

    Raises:
        TypeError: the value is of another type. The error does not show it: it may be a secret.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise TypeError(f"{key} must be a string, a number or a bool, and is of type {type(value).__name__}")


def joined(values: str | Iterable[str]) -> str:
    """Several values as one of an option.

    >>> joined(["a", "b"]), joined("a,b")
    ('a,b', 'a,b')
    """
    return values if isinstance(values, str) else ",".join(values)


def path_text(path: str | os.PathLike[str]) -> str:
    """A path as text.

    >>> path_text("/data/out")
    '/data/out'

    Raises:
        TypeError: it is no path, or one of bytes, which options cannot hold.
    """
    text = os.fspath(path)
    if isinstance(text, str):
        return text
    raise TypeError(f"a path must be a string, and {path!r} is of type {type(text).__name__}")


def present(values: Mapping[str, object | None]) -> dict[str, str]:
    """The options that were given: one that is `None` is left to the session's or the jar's default.

    >>> present({"header": True, "sep": None})
    {'header': 'true'}
    """
    return {key: text_of(key, value) for key, value in values.items() if value is not None}


def merged(parts: Iterable[Mapping[str, str]]) -> Pairs:
    """One option map of several; all contradictions between them are reported in one error.

    >>> merged([{"format": "json"}, {"sinkId": "a"}])
    (('format', 'json'), ('sinkId', 'a'))
    >>> merged([{"timeZone": "UTC"}, {"timezone": "CET"}])
    Traceback (most recent call last):
    ValueError: an option was given two values: timeZone is 'UTC' and 'CET'
    >>> merged([{"password": "hunter2"}, {"password": "hunter3"}])
    Traceback (most recent call last):
    ValueError: an option was given two values: password is '…' and '…'
    """
    first: dict[str, tuple[str, str]] = {}
    conflicts: list[str] = []
    for part in parts:
        for key, value in part.items():
            known_key, known_value = first.setdefault(key.lower(), (key, value))
            if known_value != value:
                both = [_redaction.value(known_key, one) for one in (known_value, value)]
                conflicts.append(f"{known_key} is {both[0]!r} and {both[1]!r}")
    if conflicts:
        raise ValueError(f"an option was given two values: {', '.join(conflicts)}")
    return tuple(first.values())


def shown(pairs: Iterable[tuple[str, str]]) -> str:
    """The options as a `repr` shows them; what looks like a secret is hidden, as in Spark's own logs.

    >>> shown([("format", "json"), ("fs.s3a.secret.key", "hunter2")])
    "format='json', fs.s3a.secret.key='…'"
    >>> shown([("url", "jdbc:postgresql://shop:hunter2@db/x?password=hunter2&ssl=true")])
    "url='jdbc:postgresql://shop:…@db/x?password=…&ssl=true'"
    """
    return ", ".join(f"{key}={_redaction.value(key, value)!r}" for key, value in pairs)
