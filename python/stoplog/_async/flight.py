# SPDX-License-Identifier: Apache-2.0
"""The calls in flight on an event loop."""

from __future__ import annotations

import asyncio
import functools
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")

CANCEL_SECONDS = 5.0
"""How long calls that are cancelled at a task's failure may clean up."""


class Flight(Generic[Asked, Answered]):
    """Makes at most `capacity` calls at a time; the next one begins on the loop where another has ended.

    All methods are called on the loop.

    Args:
        call: made for each request.
        landed: is told of those that ended, once in each round of the loop; or of what ends them all.
    """

    def __init__(
        self,
        call: Callable[[Asked], Awaitable[Answered]],
        capacity: int,
        landed: Callable[[list[tuple[int, Answered]] | BaseException], None],
    ) -> None:
        self._loop = asyncio.get_running_loop()
        self._call = call
        self._capacity = capacity
        self._landed = landed
        self._waiting: deque[tuple[int, Asked]] = deque()
        self._running: set[asyncio.Future[Answered]] = set()
        self._ended: list[tuple[int, Answered]] = []

    def add(self, calls: list[tuple[int, Asked]]) -> None:
        """Begins numbered calls, now or when there is room."""
        self._waiting.extend(calls)
        self._begin()

    async def cancel(self) -> None:
        """Ends all without an answer."""
        self._waiting.clear()
        running = set(self._running)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=CANCEL_SECONDS)

    def _begin(self) -> None:
        while self._waiting and len(self._running) < self._capacity:
            number, asked = self._waiting.popleft()
            task = asyncio.ensure_future(self._call(asked), loop=self._loop)
            self._running.add(task)
            task.add_done_callback(functools.partial(self._note, number))

    def _note(self, number: int, task: asyncio.Future[Answered]) -> None:
        self._running.discard(task)
        if task.cancelled():
            self._landed(RuntimeError("A call was cancelled from within."))
        elif (error := task.exception()) is not None:
            self._landed(error)
        else:
            if not self._ended:
                self._loop.call_soon(self._tell)
            self._ended.append((number, task.result()))
        self._begin()

    def _tell(self) -> None:
        ended, self._ended = self._ended, []
        self._landed(ended)
