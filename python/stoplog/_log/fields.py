# SPDX-License-Identifier: Apache-2.0
"""Fields of a record that have to be there, and of the type that they are read as."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

Json: TypeAlias = dict[str, Any]

_HALF = re.compile("[\ud800-\udfff]")
_YEAR_1, _YEAR_10000 = -62_135_596_800_000, 253_402_300_800_000
_Read = TypeVar("_Read")


class WrongField(ValueError):
    """A field is missing, or of another type."""


def required(source: Json, field: str) -> Any:
    try:
        return source[field]
    except KeyError:
        raise WrongField(f"no field '{field}'") from None


def text(source: Json, field: str) -> str:
    value = required(source, field)
    if not isinstance(value, str):
        raise WrongField(f"field '{field}' is not a text")
    if not value.isascii() and _HALF.search(value):
        raise WrongField(f"field '{field}' has half a character in it")
    return value


def number(source: Json, field: str) -> int:
    value = required(source, field)
    if isinstance(value, bool) or not isinstance(value, int):
        raise WrongField(f"field '{field}' is not a whole number")
    if not -(1 << 63) <= value < 1 << 63:
        raise WrongField(f"field '{field}' has more than 64 bits")
    return value


def moment(source: Json, field: str) -> int:
    """A point in time, in milliseconds, of a year that calendars have."""
    value = number(source, field)
    if not _YEAR_1 <= value < _YEAR_10000:
        raise WrongField(f"field '{field}' is no time of the years 1 to 9999")
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
