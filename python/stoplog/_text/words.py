# SPDX-License-Identifier: Apache-2.0
"""Formats numbers, ages, sizes and times for display."""

from __future__ import annotations

import re
from datetime import datetime, timezone


def counted(count: int, what: str) -> str:
    """Formats a number of things.

    >>> counted(1, "part"), counted(2, "part")
    ('1 part', '2 parts')
    """
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def many(count: int, what: str) -> str:
    """Formats a number of things with thousands separators.

    >>> many(1, "part"), many(12345, "part")
    ('1 part', '12,345 parts')
    """
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def ago(millis: int | None) -> str:
    """Formats a time span by its two largest units.

    >>> ago(0), ago(61_000), ago(7_260_000), ago(200_000_000), ago(None)
    ('0s', '1m 1s', '2h 1m', '2d 7h', '-')
    """
    if millis is None:
        return "-"
    seconds = max(0, millis) // 1000
    units = [
        (seconds // 86400, "d"),
        (seconds // 3600 % 24, "h"),
        (seconds // 60 % 60, "m"),
        (seconds % 60, "s"),
    ]
    shown = [f"{count}{unit}" for count, unit in units]
    first = next((at for at, (count, _) in enumerate(units) if count), 3)
    return " ".join(text for text in shown[first : first + 2] if first == 3 or not text.startswith("0"))


def size(count: int) -> str:
    """Formats bytes in the largest binary unit with at least one whole unit.

    >>> size(0), size(1023), size(1536), size(134217728), size(3 << 60)
    ('0 B', '1023 B', '1.5 KiB', '128 MiB', '3072 PiB')
    """
    amount = float(count)
    for unit in ("B", "KiB", "MiB", "GiB", "TiB", "PiB"):
        if amount < 1024 or unit == "PiB":
            return f"{amount:.1f}".removesuffix(".0") + f" {unit}"
        amount /= 1024
    raise AssertionError


def moment(millis: int) -> str:
    """Formats a point in time in UTC.

    >>> moment(1767225600000)
    '2026-01-01T00:00:00Z'
    """
    try:
        return datetime.fromtimestamp(millis / 1000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    except (
        ValueError,
        OverflowError,
        OSError,
    ):  # the year is not in 1 to 9999, as for a file with an invented time
        return f"{millis} ms"


_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def visible(line: str) -> str:
    """Escapes all characters that would move the cursor, change colours or reverse the text of a line.

    >>> print(visible("day=1\\x1b]0;title\\x07"))
    day=1\\x1b]0;title\\x07
    """
    return _UNSEEN.sub(lambda found: repr(found[0])[1:-1], line)


def visible_json(text: str) -> str:
    """Escapes such characters in JSON, which remains valid JSON; line feeds between tokens are kept.

    >>> print(visible_json('{"bucket": "\\x9b2J"}'))
    {"bucket": "\\u009b2J"}
    """
    return _UNSEEN.sub(lambda found: found[0] if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)
