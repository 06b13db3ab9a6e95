# SPDX-License-Identifier: Apache-2.0
"""A bounded window of calls between the input and the output of a task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

Order: TypeAlias = Literal["ordered", "unordered"]

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")


class Lane(Protocol[Asked, Answered]):
    """Runs calls while the task's own thread reads and writes."""

    def start(self, calls: list[tuple[int, Asked]]) -> None:
        """Starts numbered calls; calls over the capacity of the lane are queued."""

    def finished(self) -> list[tuple[int, Answered]]:
        """Returns the calls that ended since the last call; waits for at least one.

        Raises the lane's own error.
        """


def answered(
    chunks: Iterable[list[Asked]], lane: Lane[Asked, Answered], size: int, order: Order
) -> Iterator[tuple[Asked, Answered]]:
    """Returns each request with its result.

    The window holds at most `size` requests. Held requests are in the lane or, with order "ordered", finished
    before their turn. The next chunk is read only if the window is not full and all requests of the current
    chunk are started.
    """
    inbox = _Inbox(iter(chunks))
    held: dict[int, Asked] = {}
    ended: dict[int, Answered] = {}
    begun = 0
    while True:
        room = size - len(held)
        fresh = inbox.take(room) if room > 0 else []
        if fresh:
            calls = list(enumerate(fresh, begun))
            begun += len(calls)
            held.update(calls)
            lane.start(calls)
            continue
        if not held:
            return
        ended.update(lane.finished())
        for number in list(_in_turn(held, ended) if order == "ordered" else ended):
            yield held.pop(number), ended.pop(number)


def _in_turn(held: dict[int, Asked], ended: dict[int, Answered]) -> Iterator[int]:
    """Returns the numbers before the first request in flight; requests are held in numerical order."""
    for number in held:
        if number not in ended:
            return
        yield number


class _Inbox(Generic[Asked]):
    def __init__(self, chunks: Iterator[list[Asked]]) -> None:
        self._chunks = chunks
        self._in_hand: list[Asked] = []
        self._taken = 0

    def take(self, most: int) -> list[Asked]:
        """Returns up to `most` next requests of one chunk; returns an empty list at the end of the input."""
        while self._taken == len(self._in_hand):
            chunk = next(self._chunks, None)
            if chunk is None:
                return []
            self._in_hand, self._taken = chunk, 0
        taken = self._in_hand[self._taken : self._taken + most]
        self._taken += len(taken)
        return taken
