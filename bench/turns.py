# SPDX-License-Identifier: Apache-2.0
"""Runs peers in turn, after a round that is not counted."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping


def in_turn(
    peers: Mapping[str, Callable[[], None]], rounds: int, after: Callable[[], None] = lambda: None
) -> dict[str, list[float]]:
    """Returns the seconds of each peer in each round.

    Args:
        after: runs after each peer, and is not measured.
    """
    seconds: dict[str, list[float]] = {name: [] for name in peers}
    for number in range(rounds + 1):
        for name, run in peers.items():
            begun = time.perf_counter()
            run()
            if number > 0:
                seconds[name].append(time.perf_counter() - begun)
            after()
    return seconds
