# SPDX-License-Identifier: Apache-2.0
"""Objects of the user in the driver's Python process."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial
from typing import Any

from stoplog._functions.code import UserCode, plan_of
from stoplog._functions.find import FinderSide
from stoplog._shared.this_python import python_options


def driver_options(owner: str, made: Callable[[], object], reader: Any) -> dict[str, str]:
    """Returns the options by which the jar finds an object in Python.

    Args:
        owner: the class or function of the user, for messages.
        made: creates the object in the process; the jar calls its methods.
        reader: `spark.read` or `spark.readStream`.
    """
    return {
        "python.class": owner,
        "python.pickled": base64.b64encode(plan_of(made)).decode("ascii"),
        **python_options(reader),
    }


def found_by(finder: UserCode, reader: Any) -> dict[str, str]:
    """Returns the options of a source whose files a function finds."""
    made = driver_options(finder.owner, partial(FinderSide, finder.owner, finder.pickled), reader)
    parameters = {f"fileEnumerator.{name}": value for name, value in made.items()}
    return {"fileEnumerator": "stoplog.python.source.PythonFinder", **parameters}
