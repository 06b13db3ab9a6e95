# SPDX-License-Identifier: Apache-2.0
"""What the calls of a builder have set: each call's options under one name, which a second call replaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from stoplog._options import Pairs, merged, shown
from stoplog.errors import InvalidOptions

if TYPE_CHECKING:
    from collections.abc import Mapping

Aspects: TypeAlias = tuple[tuple[str, Pairs], ...]


def with_aspect(aspects: Aspects, aspect: str, options: Mapping[str, str]) -> Aspects:
    """The same with these options, and without those that the aspect had before.

    >>> with_aspect((("format", (("format", "json"),)),), "format", {"format": "csv", "header": "true"})
    (('format', (('format', 'csv'), ('header', 'true'))),)
    """
    return (*(each for each in aspects if each[0] != aspect), (aspect, tuple(options.items())))


def pairs_of(aspects: Aspects) -> Pairs:
    """All their options.

    Raises:
        InvalidOptions: an option has two values.
    """
    try:
        return merged(dict(options) for _, options in aspects)
    except ValueError as error:
        raise InvalidOptions("STOPLOG_INVALID_OPTIONS", str(error)) from None


def shown_aspects(aspects: Aspects) -> str:
    """All their options as a `repr` shows them.

    >>> shown_aspects((("format", (("format", "json"),)), ("sinkId", (("sinkId", "a"),))))
    "format='json', sinkId='a'"
    """
    return shown(pair for _, options in aspects for pair in options)
