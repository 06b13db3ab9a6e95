# SPDX-License-Identifier: Apache-2.0
"""The bounded window of calls between what was read and what was given on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar

Order: TypeAlias = Literal["ordered", "unordered"]

Asked = TypeVar("Asked")
Answered = TypeVar("Answered")


class Lane(Protocol[Asked, Answered]):
    """Runs calls while the task's own thread reads and writes."""

    def start(self, calls: list[tuple[int, Asked]]) -> None:
        """Begins numbered calls, or as many of them as it makes at a time."""

    def finished(self) -> list[tuple[int, Answered]]:
        """The calls that ended since; waits for one. Raises what ended the lane itself."""


def answered(
    chunks: Iterable[list[Asked]], lane: Lane[Asked, Answered], size: int, order: Order
) -> Iterator[tuple[Asked, Answered]]:
    """Each request with its answer.

    At most `size` requests are held: in the lane or, where order is kept, answered before their turn. The
    next chunk is read only when there is room for one more, and what is in hand is called before that.
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
    """The numbers before the first one in flight; requests are held in the order of their numbers."""
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
        """The next requests, `most` at most and all of one chunk; none when all are taken."""
        while self._taken == len(self._in_hand):
            chunk = next(self._chunks, None)
            if chunk is None:
                return []
            self._in_hand, self._taken = chunk, 0
        taken = self._in_hand[self._taken : self._taken + most]
        self._taken += len(taken)
        return taken
