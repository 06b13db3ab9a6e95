# SPDX-License-Identifier: Apache-2.0
"""The result of a rule."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Level(Enum):
    """The consequence of a finding."""

    WARNING = "warning"
    """Jobs start, and some may fail or write other rows than expected."""

    PROBLEM = "problem"
    """Jobs do not work."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact of an environment that should be different.

    Attributes:
        name: the rule, as a stable identifier.
        level: the consequence.
        what: the fact.
        why: the reason why the fact matters.
        repair: the line that repairs the environment, for a shell or for `spark-defaults.conf`.
    """

    name: str
    level: Level
    what: str
    why: str
    repair: str


def problem(name: str, what: str, why: str, repair: str) -> Finding:
    """Creates a finding about jobs that do not work."""
    return Finding(name, Level.PROBLEM, what, why, repair)


def warning(name: str, what: str, why: str, repair: str) -> Finding:
    """Creates a finding about jobs that start."""
    return Finding(name, Level.WARNING, what, why, repair)
