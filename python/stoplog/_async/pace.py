# SPDX-License-Identifier: Apache-2.0
"""A rate limit for the calls of one task."""

from __future__ import annotations

import asyncio

CATCH_UP_SECONDS = 0.05
"""How far calls may be behind their time and still be made up for.

Without it every late wake-up of the event loop, a millisecond or so, would be lost for ever, and a limit of a
thousand calls a second never reached.
"""


class Pace:
    """Lets calls pass one by one, in any T seconds at most `(T + CATCH_UP_SECONDS) / seconds_between + 1`.

    The first one waits like any other. So the bound holds across the tasks of one partition in successive
    micro-batches too, although these know nothing of each other.

    Args:
        seconds_between: of two calls.
    """

    def __init__(self, seconds_between: float) -> None:
        self._between = seconds_between
        self._next: float | None = None
        self._turns = asyncio.Lock()

    async def turn(self) -> None:
        """Waits until the next call may be made."""
        loop = asyncio.get_running_loop()
        async with self._turns:
            now = loop.time()
            due = now + self._between if self._next is None else self._next
            if due > now:
                await asyncio.sleep(due - now)
            self._next = max(due, loop.time() - CATCH_UP_SECONDS) + self._between
