# SPDX-License-Identifier: Apache-2.0
"""Durations, sizes and counts as the option strings that the jar reads."""

from __future__ import annotations

from datetime import timedelta
from typing import TypeAlias

from stoplog._words import many

Duration: TypeAlias = timedelta | str | int
"""A `timedelta`, a string such as `"15m"`, or as in PyFlink an int of milliseconds, 1000 at least."""

Size: TypeAlias = str | int
"""A Spark byte string such as `"128m"` (binary: 1k is 1024 bytes), or an int of bytes, 1024 at least."""

_MILLISECOND = timedelta(milliseconds=1)


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


def size_text(name: str, value: Size) -> str:
    """The size as an option's value; `name` is what an error calls it.

    >>> size_text("max_part_size", 1024), size_text("max_part_size", "128m")
    ('1024', '128m')
    >>> size_text("max_part_size", 128)
    Traceback (most recent call last):
    ValueError: max_part_size=128 is 128 bytes: write '128m' for mebibytes, or '128b' if bytes are meant
    """
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
    return str(_integer(name, value, "an int"))


def _integer(name: str, value: object, expected: str) -> int:
    # bool is an int to Python, and True would become one millisecond or one byte.
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be {expected}, not {value!r}")
    return value
