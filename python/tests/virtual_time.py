# SPDX-License-Identifier: Apache-2.0
"""An event loop whose time passes only when there is nothing else to do."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from stoplog._async.lane import Flight


class VirtualLoop(asyncio.SelectorEventLoop):
    """Sleeps take no time: where the loop would wait, its clock is set forward instead."""

    def __init__(self) -> None:
        super().__init__(_Selector(self))
        self.now = 0.0

    def time(self) -> float:
        return self.now


class _Selector(selectors.DefaultSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[Any]:
        if timeout:
            self._loop.now += timeout
        return super().select(0)


class VirtualLane:
    """Calls on a virtual loop, in the thread of the test."""

    def __init__(self, call: Callable[[Any], Awaitable[Any]], capacity: int) -> None:
        self.loop = VirtualLoop()
        self._landed: asyncio.Queue[Any] = asyncio.Queue()
        self._flight = self.loop.run_until_complete(self._made(call, capacity))

    def start(self, calls: list[tuple[int, Any]]) -> None:
        self.loop.call_soon(self._flight.add, calls)

    def finished(self) -> list[tuple[int, Any]]:
        landed: list[tuple[int, Any]] = self.loop.run_until_complete(self._landed.get())
        return landed

    async def _made(self, call: Callable[[Any], Awaitable[Any]], capacity: int) -> Flight[Any, Any]:
        return Flight(call, capacity, self._landed.put_nowait)


def run(work: Coroutine[Any, Any, Any]) -> tuple[Any, float]:
    """What the coroutine returns, and the seconds that it took."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(work), loop.now
    finally:
        loop.close()
