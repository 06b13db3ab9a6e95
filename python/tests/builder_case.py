# SPDX-License-Identifier: Apache-2.0
"""A builder with the calls that a test makes on it, and the options that come of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

Options = dict[str, str | None]
"""`None` stands for one that is not set any more."""


@dataclass(frozen=True)
class Call:
    """One call of a method."""

    method: str
    arguments: tuple[Any, ...]
    named: dict[str, Any]

    def on(self, builder: Any) -> Any:
        return getattr(builder, self.method)(*self.arguments, **self.named)

    def __str__(self) -> str:
        return f"{self.method}{self.arguments or self.named}"


def call(method: str, *arguments: Any, **named: Any) -> Call:
    return Call(method, arguments, named)


@dataclass(frozen=True)
class Builder:
    """A builder with nothing set but what its first method asks for.

    Attributes:
        start: the builder.
        base: what is set from the beginning.
        calls: what is set besides after each of the calls.
        keys: the options that the jar knows.
        by_name: those of them that have no method.
        excluded: methods that are refused after those that the start has called.
    """

    start: Any
    base: dict[str, str]
    calls: list[tuple[Call, Options]]
    keys: frozenset[str] = frozenset()
    by_name: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()

    def options(self, *rows: Options) -> dict[str, str]:
        """What is set from the beginning and by rows of the table."""
        found: Options = {**self.base}
        for row in rows:
            found |= row
        return {key: value for key, value in found.items() if value is not None}
