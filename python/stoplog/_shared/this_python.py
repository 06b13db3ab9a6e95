# SPDX-License-Identifier: Apache-2.0
"""The options by which the driver starts the Python of this process."""

from __future__ import annotations

import os
import sys
from pathlib import Path

_PICKLED = "python.pickled"


def completed(options: dict[str, str], of: object) -> dict[str, str]:
    """Returns options with the Python of each pickle in the options.

    Args:
        of: an object of the session, such as a DataFrame or a reader.

    >>> sorted(completed({"rollingPolicy.python.pickled": "gASV"}, object()))[:2]
    ['rollingPolicy.python.executable', 'rollingPolicy.python.path']
    >>> completed({"format": "json"}, object())
    {'format': 'json'}
    """
    prefixes = [key.removesuffix(_PICKLED) for key in options if key.endswith(_PICKLED)]
    added = {f"{prefix}{key}": value for prefix in prefixes for key, value in python_options(of).items()}
    return {**added, **options}


def python_options(of: object) -> dict[str, str]:
    """Returns the options that name this Python, and the directories of its modules.

    With Spark Connect, only the version: the Python of the server is on another machine.

    Args:
        of: an object of the session, such as a DataFrame or a reader.

    >>> sorted(python_options(object()))
    ['python.executable', 'python.path', 'python.version']
    """
    own = {"python.version": f"{sys.version_info[0]}.{sys.version_info[1]}"}
    if type(of).__module__.startswith("pyspark.sql.connect") or not sys.executable:
        return own
    path = [str(Path(entry).absolute()) for entry in sys.path]
    return own | {"python.executable": sys.executable, "python.path": os.pathsep.join(path)}
