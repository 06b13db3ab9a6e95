# SPDX-License-Identifier: Apache-2.0
"""The progress of long commands, on the standard error: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Protocol, TextIO

from stoplog._text.words import many

Clock = Callable[[], float]
Poll = Callable[[], "tuple[int, int]"]
"""Returns the number of finished units and the number of all units; 0 of 0 before the work is known."""

_LINE_SECONDS = 10.0
_LOOK_SECONDS = 0.5
_THREAD = "stoplog-progress"


class Progress(Protocol):
    """Shows how far a command is."""

    def to(self, done: int, total: int) -> None:
        """Shows that `done` of `total` units are finished; a total of 0 is unknown."""

    def close(self) -> None:
        """Ends the display. A bar disappears, lines remain."""


class Latest:
    """Keeps the last progress that a call has reported; the work is unknown before. For `watched`."""

    def __init__(self) -> None:
        self._last = 0, 0

    def to(self, done: int, total: int) -> None:
        """Sets the progress."""
        self._last = done, total

    def poll(self) -> tuple[int, int]:
        """Returns the progress; see `Poll`."""
        return self._last


class Pace:
    """Describes the progress, with the rate since the first unit of the present work.

    Work begins anew if fewer units are finished than before, as in the next stage of Spark.

    Args:
        unit: the unit of the numbers, in the singular.
        clock: a monotonic clock in seconds.
    """

    def __init__(self, unit: str, clock: Clock) -> None:
        self._unit, self._clock, self._begin = unit, clock, clock()
        self._first: tuple[float, int] | None = None
        self._last = 0

    def text(self, done: int, total: int) -> str:
        """Describes the progress now; see `Progress.to`."""
        now = self._clock()
        if not total:
            return described(0, 0, now - self._begin, self._unit)
        if self._first is None or done < self._last:
            self._first = (now, done) if self._last or not done else (self._begin, 0)
        self._last = done
        since, before = self._first
        return described(done, total, now - since, self._unit, before)


class Lines:
    """Prints a line at most every ten seconds, so that short commands print nothing.

    Args:
        what: the command.
        unit: the unit of the numbers, in the singular.
        out: the stream of the lines.
        clock: a monotonic clock in seconds.
    """

    def __init__(self, what: str, unit: str, out: TextIO, clock: Clock = time.monotonic) -> None:
        self._what, self._out, self._clock, self._pace = what, out, clock, Pace(unit, clock)
        self._last = clock()

    def to(self, done: int, total: int) -> None:
        now, text = self._clock(), self._pace.text(done, total)
        if now - self._last < _LINE_SECONDS:
            return
        self._last = now
        print(f"stoplog {self._what}: {text}", file=self._out, flush=True)

    def close(self) -> None:
        """Does nothing: the last line remains."""


class Bar:
    """A bar of the library rich.

    Args:
        what: the command.
        unit: the unit of the numbers, in the singular.
        out: the terminal.
        clock: a monotonic clock in seconds.
    """

    def __init__(self, what: str, unit: str, out: TextIO, clock: Clock = time.monotonic) -> None:
        bars: Any = import_module("rich.progress")
        console = import_module("rich.console").Console(file=out)
        columns = (bars.TextColumn(what), bars.BarColumn(), bars.TextColumn("{task.fields[text]}"))
        self._pace = Pace(unit, clock)
        self._bar = bars.Progress(*columns, console=console, transient=True)
        self._task = self._bar.add_task(what, total=None, text="")
        self._bar.start()

    def to(self, done: int, total: int) -> None:
        text = self._pace.text(done, total)
        self._bar.update(self._task, completed=done, total=total or None, text=text)

    def close(self) -> None:
        self._bar.stop()


def described(done: int, total: int, seconds: float, unit: str, before: int = 0) -> str:
    """Describes the progress in words; `before` units were finished when the time began.

    >>> described(1_000, 6_000, 10, "record"), described(0, 0, 12, "step")
    ('1,000 of 6,000 records, 100/s, 50 s left', 'running for 12 s')
    """
    if not total:
        return f"running for {seconds:.0f} s"
    rate = (done - before) / seconds if seconds else 0
    speed = f", {rate:,.0f}/s, {(total - done) / rate:.0f} s left" if rate else ""
    return f"{done:,} of {many(total, unit)}{speed}"


@contextmanager
def progress(what: str, unit: str, out: TextIO | None = None) -> Iterator[Progress]:
    """Shows the progress of a command while a block runs.

    Args:
        what: the command.
        unit: the unit of the numbers, in the singular.
        out: the stream; the standard error by default.
    """
    stream = out or sys.stderr
    # Without the extra stoplog[cli], a terminal shows the lines.
    shown = Bar(what, unit, stream) if stream.isatty() and find_spec("rich") else Lines(what, unit, stream)
    try:
        yield shown
    finally:
        shown.close()


@contextmanager
def watched(what: str, unit: str, poll: Poll) -> Iterator[None]:
    """Shows the progress of a call that reports nothing itself, by a second thread that polls.

    Args:
        what: the command.
        unit: the unit of the numbers, in the singular.
        poll: see `Poll`.
    """
    ended = threading.Event()
    with progress(what, unit) as shown:

        def look() -> None:
            while not ended.wait(_LOOK_SECONDS):
                with suppress(Exception):  # the session may have ended
                    shown.to(*poll())

        watcher = threading.Thread(target=look, name=_THREAD, daemon=True)
        watcher.start()
        try:
            yield
        finally:
            ended.set()
            watcher.join()
