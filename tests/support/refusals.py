# SPDX-License-Identifier: Apache-2.0
"""Errors as a user meets them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

_CONDITION = re.compile(r"\[(STOPLOG_[A-Z_]+)\]\s*(.*?)(?=\s+SQLSTATE|\n\s*at |\n\nJVM|\n===|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A named condition and the text that a user reads with it."""

    condition: str
    message: str


def refusal(action: Callable[[], object]) -> Refusal:
    """The error of stoplog that the action ends with, whatever of Spark's it is wrapped in."""
    with pytest.raises(Exception, match="STOPLOG_") as error:
        action()
    found = _CONDITION.search(str(error.value))
    assert found, f"no condition of stoplog in: {error.value}"
    return Refusal(found[1], " ".join(found[2].split()))


def assert_refused(action: Callable[[], object], condition: str, *advice: str) -> Refusal:
    """The action is refused by this name, and the message contains what to do about it."""
    found = refusal(action)
    assert found.condition == condition, found.message
    for words in advice:
        assert words in found.message
    return found
