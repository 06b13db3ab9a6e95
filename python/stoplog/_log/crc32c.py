# SPDX-License-Identifier: Apache-2.0
"""The checksum of records: CRC-32C (Castagnoli), which Python's own libraries do not have.

google-crc32c computes it in C, where it is installed: a hundred times as fast.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import cache

_POLYNOMIAL = 0x82F63B78  # 0x1EDC6F41, bits reversed


def crc32c(data: bytes) -> int:
    """The checksum of all bytes.

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
    # Without its C code it is slower than ours, and has said so by a warning.
    is_in_c: bool = google_crc32c.implementation == "c"
    return google_crc32c.value if is_in_c else in_python


def in_python(data: bytes) -> int:
    """The same without any other package."""
    last, second, third, fourth = _tables()
    crc = 0xFFFFFFFF
    whole = len(data) // 4 * 4
    # Four bytes at a time: a record of ten thousand parts has millions.
    for start in range(0, whole, _CHUNK):
        chunk = data[start : min(start + _CHUNK, whole)]
        for word in struct.unpack(f"<{len(chunk) // 4}I", chunk):
            crc ^= word
            crc = fourth[crc & 0xFF] ^ third[(crc >> 8) & 0xFF] ^ second[(crc >> 16) & 0xFF] ^ last[crc >> 24]
    for byte in data[whole:]:
        crc = last[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


_CHUNK = 1 << 16


@cache
def _tables() -> tuple[tuple[int, ...], ...]:
    """What a byte does to the checksum: by itself, and with one, two and three more behind it."""
    tables = [tuple(_shifted(byte, 8) for byte in range(256))]
    for _ in range(3):
        tables.append(tuple(tables[0][crc & 0xFF] ^ (crc >> 8) for crc in tables[-1]))
    return tuple(tables)


def _shifted(crc: int, bits: int) -> int:
    for _ in range(bits):
        crc = (crc >> 1) ^ (_POLYNOMIAL if crc & 1 else 0)
    return crc
