# SPDX-License-Identifier: Apache-2.0
"""The one place that waits for something that another thread or process brings about."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_INTERVAL_SECONDS = 0.02


def until(what: str, condition: Callable[[], bool], seconds: float = 300) -> None:
    """Returns as soon as the condition holds; fails by name if it does not hold in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:g} s in vain for {what}")
        time.sleep(_INTERVAL_SECONDS)
