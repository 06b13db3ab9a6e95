# SPDX-License-Identifier: Apache-2.0
"""The definitions that Scala and Python share: `shared/*.json`, which `make docs` writes from the Scala code.

A jar carries the same file, and a Scala test fails where it differs from the definitions.
"""

from __future__ import annotations

import json
from functools import cache
from pkgutil import get_data
from typing import Any


@cache
def shared(jar: str) -> dict[str, Any]:
    """The definitions of a jar, as they were when this release was built.

    Args:
        jar: `core`, or the name of a connector.
    """
    data = get_data("stoplog", f"shared/{jar}.json")
    found: dict[str, Any] = json.loads(data or b"{}")
    return found


def option_keys(jar: str, of: str = "sink") -> frozenset[str]:
    """Every option that a jar knows by a name of its own.

    Args:
        of: `sink` or `source`.

    >>> "maxPartSize" in option_keys("core"), "maxPartSize" in option_keys("core", "source")
    (True, False)
    """
    return frozenset(shared(jar)["options"][of])


DIRECTORIES: dict[str, str] = shared("core")["directories"]
"""The names of the directories of a sink, by their purpose; `root` is the one that has those of all sinks."""

ROOT = DIRECTORIES["root"]
"""The directory under a sink's path that has all but the finished files."""

LOG = DIRECTORIES["log"]

REPLACEMENTS: str = shared("core")["replacements"]
"""The name of the log of the jobs that replace files."""

GRACE_MILLIS: int = shared("core")["graceMillis"]
"""The time for which drivers leave an unfinished file alone that no record names: its writer may be alive."""

RECORD_ENDS: tuple[str, str] = (shared("core")["names"]["record"], ".json")
"""The ends of records' names; the second one in logs that an earlier version began."""

NOTE_END: str = shared("core")["names"]["note"]
"""The end of the names of notes of visible parts; further ones have a number behind it."""
