# SPDX-License-Identifier: Apache-2.0
"""The shared definitions of Scala and Python: `shared/*.json`, which `make docs` generates from Scala.

A jar contains the same file, and a Scala test fails if the file differs from the definitions.
"""

from __future__ import annotations

import json
from functools import cache
from pkgutil import get_data
from typing import Any


@cache
def shared(jar: str) -> dict[str, Any]:
    """Returns the definitions of a jar, as of the build of this release.

    Args:
        jar: `core`, or the name of a connector.
    """
    data = get_data("stoplog", f"shared/{jar}.json")
    found: dict[str, Any] = json.loads(data or b"{}")
    return found


def option_keys(jar: str, of: str = "sink") -> frozenset[str]:
    """Returns the names of all options that a jar defines.

    Args:
        of: `sink` or `source`.

    >>> "maxPartSize" in option_keys("core"), "maxPartSize" in option_keys("core", "source")
    (True, False)
    """
    return frozenset(shared(jar)["options"][of])


DIRECTORIES: dict[str, str] = shared("core")["directories"]
"""The names of a sink's directories, by purpose; `root` is the directory of all sinks."""

ROOT = DIRECTORIES["root"]
"""The directory under a sink's path that contains all files except finished files."""

LOG = DIRECTORIES["log"]

REPLACEMENTS: str = shared("core")["replacements"]
"""The name of the log for jobs that replace files."""

GRACE_MILLIS: int = shared("core")["graceMillis"]
"""The time for which drivers keep an unfinished file without a record, because its writer may be running."""

RECORD_END: str = shared("core")["names"]["record"]
"""The suffix of records' names."""

NOTE_END: str = shared("core")["names"]["note"]
"""The suffix of the names of notes about visible parts; further notes append a number to the suffix."""
