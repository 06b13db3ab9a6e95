# SPDX-License-Identifier: Apache-2.0
"""Errors that users see."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

_CONDITION = re.compile(r"\[(STOPLOG_[A-Z_]+)\]\s*(.*?)(?=\s+SQLSTATE|\n\s*at |\n\nJVM|\n===|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Rejection:
    """A condition and the message that a user reads."""

    condition: str
    message: str


def rejection(action: Callable[[], object]) -> Rejection:
    """Returns the error of stoplog that the action raises, unwrapped from errors of Spark."""
    with pytest.raises(Exception, match="STOPLOG_") as error:
        action()
    found = _CONDITION.search(str(error.value))
    assert found, f"no condition of stoplog in: {error.value}"
    return Rejection(found[1], " ".join(found[2].split()))


def assert_rejected(action: Callable[[], object], condition: str, *advice: str) -> Rejection:
    """Asserts that the action raises this condition with a message that contains the advice."""
    found = rejection(action)
    assert found.condition == condition, found.message
    for words in advice:
        assert words in found.message
    return found
