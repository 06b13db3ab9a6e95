# SPDX-License-Identifier: Apache-2.0
"""Names that people know from Spark, Delta Lake, Flink and Kafka Connect, with the names of this project.

The jar reads the same file, `shared/names.json`, for its error about an unknown option.
"""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING

from stoplog._shared.definitions import shared

if TYPE_CHECKING:
    from collections.abc import Iterable


def meant(of: str, name: str) -> tuple[str, ...]:
    """Returns the names of this project for a name from another system; the case is irrelevant.

    Args:
        of: the kind of the name: `sink` or `source` for an option, `methods`, `names`, `commands` or `flags`.

    Returns:
        The alternatives, of which a caller uses the first that exists; none for an unknown name.

    >>> meant("sink", "maxFileSize"), meant("commands", "vacuum"), meant("sink", "maxPartSize")
    (('maxPartSize',), ('clean',), ())
    """
    return _table(of).get(name.lower(), ())


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Returns the known name that differs least from a misspelled name, if there is a similar one.

    >>> nearest("statu", ["status", "show"]), nearest("vacuum", ["status", "show"])
    ('status', None)
    """
    return next(iter(get_close_matches(name, list(known), n=1)), None)


@cache
def _table(of: str) -> dict[str, tuple[str, ...]]:
    return {
        name.lower(): (value,) if isinstance(value, str) else tuple(value)
        for name, value in shared("names")[of].items()
    }
