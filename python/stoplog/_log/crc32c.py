# SPDX-License-Identifier: Apache-2.0
"""The checksum of records: CRC-32C (Castagnoli), which Python's standard library lacks.

If google-crc32c is installed, its C code computes the checksum a hundred times faster.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache

_POLYNOMIAL = 0x82F63B78  # 0x1EDC6F41, bits reversed


def crc32c(data: bytes) -> int:
    """Returns the checksum of all bytes.

    >>> f"{crc32c(b'123456789'):08x}"
    'e3069283'
    """
    return _fastest()(data)


@cache
def _fastest() -> Callable[[bytes], int]:
    try:
        import google_crc32c
    except ImportError:
        return in_python
    # Without its C code, google-crc32c is slower than this module, and warns about the missing code.
    is_in_c: bool = google_crc32c.implementation == "c"
    return google_crc32c.value if is_in_c else in_python


def in_python(data: bytes) -> int:
    """Computes the same checksum without any other package."""
    if len(data) < _SHORT:
        return _by_tables(data, 0xFFFFFFFF) ^ 0xFFFFFFFF
    begun = bytes(byte ^ 0xFF for byte in data[:4]) + data[4:]
    return _by_tables(_folded(begun), 0) ^ 0xFFFFFFFF


def _folded(data: bytes) -> bytes:
    """Returns fewer bytes with the same checksum, for an initial checksum of 0.

    A checksum is the remainder of a division of polynomials over two elements. If P(x) is the divisor, P(x)^w
    is P(x^w) for every power of two w. Therefore digits of w bits can be divided like single bits: the first
    digit is added to some of the next 32 digits, and Python adds long numbers fast. Each round leaves 32
    digits, and the next round uses narrower digits.
    """
    largest = 1 << (len(data) // 32 - 1).bit_length() - 1  # the input has more than 32 digits of this width
    width = min(_WIDE, largest)  # the width of a digit, in bytes
    while width >= _NARROW:
        data = bytes(-len(data) % width) + data  # leading zeros do not change the remainder
        digits = [int.from_bytes(data[at : at + width], "little") for at in range(0, len(data), width)]
        for place in range(len(digits) - 32):
            first = digits[place]
            for behind in _BEHIND:
                digits[place + behind] ^= first
        data = b"".join(digit.to_bytes(width, "little") for digit in digits[-32:])
        width //= 2
    return data


_SHORT = 1 << 12
_NARROW = 8
_WIDE = 1 << 14  # fits into the processor's cache
_BEHIND = tuple(behind for behind in range(1, 33) if _POLYNOMIAL >> (behind - 1) & 1)
"""Distances from the first of 33 bits to the bits that a division changes; bit 0 of `_POLYNOMIAL` is x^31."""


def _by_tables(data: bytes, crc: int) -> int:
    last, second, third, fourth = _tables()
    whole = len(data) // 4 * 4
    for start in range(0, whole, _CHUNK):
        chunk = data[start : min(start + _CHUNK, whole)]
        for word in struct.unpack(f"<{len(chunk) // 4}I", chunk):
            crc ^= word
            crc = fourth[crc & 0xFF] ^ third[(crc >> 8) & 0xFF] ^ second[(crc >> 16) & 0xFF] ^ last[crc >> 24]
    for byte in data[whole:]:
        crc = last[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc


_CHUNK = 1 << 16


@cache
def _tables() -> tuple[tuple[int, ...], ...]:
    """Returns the effect of a byte on the checksum: alone, and followed by one, two and three bytes."""
    tables = [tuple(_shifted(byte, 8) for byte in range(256))]
    for _ in range(3):
        tables.append(tuple(tables[0][crc & 0xFF] ^ (crc >> 8) for crc in tables[-1]))
    return tuple(tables)


def _shifted(crc: int, bits: int) -> int:
    for _ in range(bits):
        crc = (crc >> 1) ^ (_POLYNOMIAL if crc & 1 else 0)
    return crc
