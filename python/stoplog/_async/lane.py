# SPDX-License-Identifier: Apache-2.0
"""Calls in flight, and the thread that runs them."""

from __future__ import annotations

import asyncio
import functools
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from pyspark.sql import Row

    from stoplog._async.outcome import Outcome


Asked = TypeVar("Asked")
Answered = TypeVar("Answered")

CANCEL_SECONDS = 5.0
"""The seconds that calls have to clean up after the failure of their task cancels them."""


class Flight(Generic[Asked, Answered]):
    """Makes at most `capacity` calls at a time; the end of a call starts the next call on the same loop.

    All methods are called on the loop.

    Args:
        call: called for each request.
        landed: called with the ended calls once in each round of the loop, or with the error that ends all
            calls.
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
        """Starts numbered calls at once, or as soon as the capacity allows."""
        self._waiting.extend(calls)
        self._begin()

    async def cancel(self) -> None:
        """Cancels all calls; no results are delivered."""
        self._waiting.clear()
        running = set(self._running)
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=CANCEL_SECONDS)

    def _begin(self) -> None:
        while self._waiting and len(self._running) < self._capacity:
            number, request = self._waiting.popleft()
            task = asyncio.ensure_future(self._call(request), loop=self._loop)
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


class LoopLane:
    """An event loop in its own thread. The loop continues while the task's thread waits for input or output.

    Args:
        make: awaited once on the loop before the first call; returns the function that makes the calls.
        end: a coroutine function that the loop runs after the last call.
        capacity: the maximum number of calls in flight.
    """

    def __init__(
        self,
        make: Callable[[], Awaitable[Callable[[list[Row]], Awaitable[list[Outcome]]]]],
        end: Callable[[], Awaitable[None]],
        capacity: int,
    ) -> None:
        self._end = end
        self._landed: SimpleQueue[list[tuple[int, list[Outcome]]] | BaseException] = SimpleQueue()
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_report_others)
        self._thread = threading.Thread(target=self._run, name="stoplog-async", daemon=True)
        self._thread.start()

        async def opened() -> Flight[list[Row], list[Outcome]]:
            return Flight(await make(), capacity, self._landed.put)

        try:
            self._flight = self._on_loop(opened)
        except BaseException:
            self._stop()
            raise

    def start(self, calls: list[tuple[int, list[Row]]]) -> None:
        self._loop.call_soon_threadsafe(self._flight.add, calls)

    def finished(self) -> list[tuple[int, list[Outcome]]]:
        landed = self._landed.get()
        if isinstance(landed, BaseException):
            raise landed
        return landed

    def close(self) -> None:
        """Cancels the running calls, closes the opened function and ends the thread."""
        try:
            self._on_loop(self._wind_up)
        finally:
            self._stop()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        while True:
            try:
                self._loop.run_forever()
                return
            except BaseException as error:
                # sys.exit() has ended the loop. The loop continues: open() or close() may not have returned.
                self._landed.put(RuntimeError(f"A call ended the event loop by {error!r}."))

    async def _wind_up(self) -> None:
        await self._flight.cancel()
        await self._end()
        await self._loop.shutdown_asyncgens()

    def _on_loop(self, work: Callable[[], Awaitable[Any]]) -> Any:
        async def awaited() -> Any:
            try:
                return await work()
            except (SystemExit, KeyboardInterrupt) as error:
                # These exceptions end the asyncio loop, and the waiting thread would not receive them.
                raise RuntimeError(f"open() or close() tried to end the process by {error!r}.") from error

        return asyncio.run_coroutine_threadsafe(awaited(), self._loop).result()

    def _stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


def _report_others(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Reports errors that no one receives, except an exit, which has ended the task already."""
    if not isinstance(context.get("exception"), SystemExit | KeyboardInterrupt):
        loop.default_exception_handler(context)
