# SPDX-License-Identifier: Apache-2.0
"""Names that people know from Spark, Delta Lake, Flink and Kafka Connect, with the names of this project.

The jar reads the same file, `shared/names.json`, for its error about an unknown option.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING

from stoplog._shared.definitions import shared

if TYPE_CHECKING:
    from collections.abc import Iterable


def meant(of: str, name: str) -> tuple[str, ...]:
    """Returns the names of this project for a name from another system.

    Case, `_`, `-` and `.` of the name are irrelevant.

    Args:
        of: the kind of the name: for an option `sink`, `source` or a connector; `methods`, `names`,
            `commands` or `flags`.

    Returns:
        The alternatives, of which a caller uses the first that exists; none for an unknown name.

    >>> meant("sink", "maxFileSize"), meant("commands", "vacuum"), meant("sink", "maxPartSize")
    (('maxPartSize',), ('clean',), ())
    >>> meant("sink", "target_file_size"), meant("sink", "checkpointLocation")
    (('maxPartSize',), ())
    """
    return tuple(own for own in _table(of).get(_plain(name), ()) if own.lower() != name.lower())


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Returns the known name that differs least from a misspelled name, if there is a similar one.

    A name in CamelCase is the name of a class, and is similar to other names of classes only. Otherwise, the
    case is irrelevant.

    >>> nearest("statu", ["status", "show"]), nearest("vacuum", ["status", "show"])
    ('status', None)
    >>> nearest("ParquetSink", ["TwoPhaseSink", "FileSink"]), nearest("Postgres", ["progress"])
    (None, None)
    """
    spelled = {each.lower(): each for each in known if _is_camel_case(each) == _is_camel_case(name)}
    return next((spelled[each] for each in get_close_matches(name.lower(), spelled, 1, _SIMILAR)), None)


_SIMILAR = 0.75
"""The similarity of a misspelled name. Names with less similarity have other meanings."""


def _is_camel_case(name: str) -> bool:
    return name[:1].isupper() and not name.isupper()


@cache
def _table(of: str) -> dict[str, tuple[str, ...]]:
    return {
        _plain(name): (value,) if isinstance(value, str) else tuple(value)
        for name, value in shared("names")[of].items()
    }


def _plain(name: str) -> str:
    flag = re.match("-*", name)
    return (flag[0] if flag else "") + re.sub("[-_.]", "", name).lower()
