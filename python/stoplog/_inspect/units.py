# SPDX-License-Identifier: Apache-2.0
"""Sizes and spans of time as options say them, which is how the log notes them."""

from __future__ import annotations

import re

_SIZE = re.compile(r"(\d+)\s*([kmgtp]?)(?:i?b)?")
_SPAN = re.compile(r"(\d+)\s*(ms|s|m|h|d)")
_SHIFTS = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40, "p": 50}
_MILLIS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}


def bytes_of(text: str | None) -> int | None:
    """The number of bytes; `None` for what is not known.

    >>> bytes_of("128m"), bytes_of("12345"), bytes_of(None)
    (134217728, 12345, None)
    """
    found = _SIZE.fullmatch(text.strip().lower()) if text else None
    return int(found.group(1)) << _SHIFTS[found.group(2)] if found else None


def millis_of(text: str | None) -> int | None:
    """The number of milliseconds; `None` for what is not known.

    >>> millis_of("15m"), millis_of("1001ms"), millis_of("soon")
    (900000, 1001, None)
    """
    found = _SPAN.fullmatch(text.strip().lower()) if text else None
    return int(found.group(1)) * _MILLIS[found.group(2)] if found else None
