# SPDX-License-Identifier: Apache-2.0
"""Broken laws of functions and classes of the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


class LawBroken(AssertionError):
    """A function or class of the user breaks a law.

    Attributes:
        law: the name of the law.
    """

    def __init__(self, law: str, why: str) -> None:
        super().__init__(f"{law}: {why}")
        self.law = law


def difference(expected: Sequence[Any], found: Sequence[Any], noun: str = "row") -> str:
    """Describes the first difference.

    >>> difference([1, 2, 3], [1, 3])
    '2 rows instead of 3, and row 1 is 3 instead of 2'
    """
    many = "" if len(expected) == len(found) else f"{len(found)} {noun}s instead of {len(expected)}, and "
    at = next((n for n, (one, two) in enumerate(zip(expected, found, strict=False)) if one != two), None)
    if at is None:
        return f"{len(found)} {noun}s instead of {len(expected)}"
    return f"{many}{noun} {at} is {found[at]!r} instead of {expected[at]!r}"
