# SPDX-License-Identifier: Apache-2.0
"""The event loop of a task."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any

from stoplog._async.flight import Flight

if TYPE_CHECKING:
    from pyspark.sql import Row

    from stoplog._async.outcome import Outcome


class LoopLane:
    """An event loop in one thread, which goes on while the task's own thread waits for input or output.

    Args:
        make: gives, on the loop, what makes the calls; awaited once before the first.
        end: awaited on the loop after the last call.
        capacity: how many calls are in flight at most.
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
        self._over = threading.Event()
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
        """Cancels what still runs, closes what was opened and ends the thread."""
        try:
            if not self._over.is_set():
                self._on_loop(self._wind_up)
        finally:
            self._stop()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        except BaseException as error:  # sys.exit() in a call ends the loop; the task must not wait for ever
            self._over.set()
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
                # asyncio ends the loop with these, and nobody would tell whoever waits here.
                raise RuntimeError(f"open() or close() tried to end the process by {error!r}.") from error

        return asyncio.run_coroutine_threadsafe(awaited(), self._loop).result()

    def _stop(self) -> None:
        if not self._over.is_set():
            self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
