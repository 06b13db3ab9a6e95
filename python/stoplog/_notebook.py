# SPDX-License-Identifier: Apache-2.0
"""A cell's output in a notebook, if this is one. IPython is not needed: it is there, or it is no notebook."""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import TypeAlias

Update: TypeAlias = Callable[[object], object]
"""Shows an object in place of the one before."""


def live_output() -> Update | None:
    """Where objects show themselves one in place of another; `None` outside of a notebook.

    IPython in a terminal has no kernel, and a screen of its own.

    >>> live_output() is None
    True
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return _Output() if getattr(shell, "kernel", None) is not None else None


class _Output:
    """Takes up room with the first object, so that nothing empty is shown before."""

    def __init__(self) -> None:
        self._handle: object | None = None

    def __call__(self, shown: object) -> None:
        if self._handle is None:
            self._handle = import_module("IPython.display").display(shown, display_id=True)
        else:
            self._handle.update(shown)  # type: ignore[attr-defined]
