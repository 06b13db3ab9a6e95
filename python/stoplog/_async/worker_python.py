# SPDX-License-Identifier: Apache-2.0
"""Checks whether the Python workers of a local session use this Python."""

from __future__ import annotations

import shutil
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def warn_of_other_python(df: DataFrame) -> None:
    """Warns if the workers use another installation, which may not have this package.

    On a cluster and with Spark Connect, the workers run on other machines: no warning.
    """
    context = getattr(getattr(df, "sparkSession", None), "_sc", None)
    if context is None or not str(context.master).startswith("local"):
        return
    other = other_python(context.pythonExec, sys.executable)
    if other is not None:
        warnings.warn(
            f"Spark's Python workers are {other}, and this is {sys.executable}: if stoplog is not installed "
            "there, tasks end with ModuleNotFoundError. Set the environment variable PYSPARK_PYTHON to "
            "sys.executable before the session starts.",
            stacklevel=3,
        )


def other_python(worker: str, own: str) -> str | None:
    """Returns the Python of a worker's command if the command is from another installation.

    Links are not followed, because the links of several virtual environments lead to the same Python.

    >>> other_python("/venv/bin/python3", "/venv/bin/python") is None
    True
    >>> other_python("/usr/bin/python3", "/venv/bin/python")
    '/usr/bin/python3'
    """
    found = shutil.which(worker) or worker
    return None if Path(found).parent == Path(own).parent else found
