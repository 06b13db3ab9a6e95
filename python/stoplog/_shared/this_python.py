# SPDX-License-Identifier: Apache-2.0
"""The options by which the driver starts the Python of this process."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def python_options(is_connect: bool) -> dict[str, str]:
    """Returns the options that name this Python, and the directories of its modules.

    With Spark Connect, only the version: the Python of the server is on another machine.

    >>> sorted(python_options(is_connect=False))
    ['python.executable', 'python.path', 'python.version']
    >>> list(python_options(is_connect=True))
    ['python.version']
    """
    own = {"python.version": f"{sys.version_info[0]}.{sys.version_info[1]}"}
    if is_connect or not sys.executable:
        return own
    path = [str(Path(entry).absolute()) for entry in sys.path]
    return own | {"python.executable": sys.executable, "python.path": os.pathsep.join(path)}
