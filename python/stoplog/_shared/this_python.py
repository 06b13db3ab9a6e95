# SPDX-License-Identifier: Apache-2.0
"""The options by which the driver starts the Python of this process."""

from __future__ import annotations

import os
import sys
from pathlib import Path


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
