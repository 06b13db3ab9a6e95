# SPDX-License-Identifier: Apache-2.0
"""Durations, sizes and counts as the option strings that the jar reads."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TypeAlias

from stoplog._words import many

Duration: TypeAlias = timedelta | str | int
"""A `timedelta`, a string such as `"15m"`, or as in PyFlink an int of milliseconds, 1000 at least."""

Size: TypeAlias = str | int
"""A Spark byte string such as `"128m"` (binary: 1k is 1024 bytes), or an int of bytes, 1024 at least."""

_MILLISECOND = timedelta(milliseconds=1)
_BELOW_ZERO = re.compile(r"\s*-\s*[0-9].*")
_ZERO = re.compile(r"\s*0+\s*[A-Za-z]*\s*")


def duration_text(name: str, value: Duration) -> str:
    """The duration as an option's value; `name` is what an error calls it.

    >>> duration_text("rollover_interval", timedelta(minutes=15))
    '900000ms'
    >>> duration_text("rollover_interval", 60_000)
    '60000ms'
    >>> duration_text("rollover_interval", "15 min")
    '15 min'
    >>> duration_text("rollover_interval", 5)
    Traceback (most recent call last):
    ValueError: rollover_interval=5 is 5 milliseconds: write '5s' or timedelta(seconds=5) for seconds, \
or '5ms' if milliseconds are meant
    """
    if _is_below_zero(value):
        raise ValueError(f"{name}={value!r} must not be less than 0")
    if isinstance(value, timedelta):
        whole, rest = divmod(value, _MILLISECOND)
        if rest:
            raise ValueError(f"{name} must be a whole number of milliseconds, not {value!r}")
        return f"{whole}ms"
    if isinstance(value, str):
        return value
    millis = _integer(name, value, 'a timedelta, a string such as "15m" or an int of milliseconds')
    if 0 < millis < 1000:
        raise ValueError(
            f"{name}={millis} is {many(millis, 'millisecond')}: "
            f"write '{millis}s' or timedelta(seconds={millis}) for seconds, "
            f"or '{millis}ms' if milliseconds are meant"
        )
    return f"{millis}ms"


def interval_text(name: str, value: Duration) -> str:
    """The same for one that must not be zero either.

    >>> interval_text("rollover_interval", "0s")
    Traceback (most recent call last):
    ValueError: rollover_interval='0s' must be more than 0
    """
    _more_than_zero(name, value)
    return duration_text(name, value)


def size_text(name: str, value: Size) -> str:
    """The size as an option's value; `name` is what an error calls it.

    >>> size_text("max_part_size", 1024), size_text("max_part_size", "128m")
    ('1024', '128m')
    >>> size_text("max_part_size", 128)
    Traceback (most recent call last):
    ValueError: max_part_size=128 is 128 bytes: write '128m' for mebibytes, or '128b' if bytes are meant
    """
    _more_than_zero(name, value)
    if isinstance(value, str):
        return value
    size = _integer(name, value, 'a string such as "128m" or an int of bytes')
    if 0 < size < 1024:
        raise ValueError(
            f"{name}={size} is {many(size, 'byte')}: write '{size}m' for mebibytes, "
            f"or '{size}b' if bytes are meant"
        )
    return str(size)


def count_text(name: str, value: int) -> str:
    """The number as an option's value; `name` is what an error calls it.

    >>> count_text("max_records", 1000)
    '1000'
    """
    count = _integer(name, value, "an int")
    _more_than_zero(name, count)
    return str(count)


def _more_than_zero(name: str, value: object) -> None:
    if _is_zero(value) or _is_below_zero(value):
        raise ValueError(f"{name}={value!r} must be more than 0")


def _is_zero(value: object) -> bool:
    if isinstance(value, str):
        return bool(_ZERO.fullmatch(value))
    return not isinstance(value, bool) and value in (0, timedelta(0))


def _is_below_zero(value: object) -> bool:
    if isinstance(value, str):
        return bool(_BELOW_ZERO.fullmatch(value))
    return (isinstance(value, timedelta) and value < timedelta(0)) or (isinstance(value, int) and value < 0)


def _integer(name: str, value: object, expected: str) -> int:
    # bool is an int to Python, and True would become one millisecond or one byte.
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be {expected}, not {value!r}")
    return value
