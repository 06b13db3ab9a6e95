# SPDX-License-Identifier: Apache-2.0
"""Shows the progress of a running query in a terminal or a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from threading import Event, Thread
from typing import TYPE_CHECKING, Literal, TextIO, TypeAlias, overload

from stoplog._html.markup import element, styled, words
from stoplog._html.shown import tables
from stoplog._text.words import many
from stoplog.metrics import SinkProgress, Wait, at_the_end, progress

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery


Update: TypeAlias = Callable[[object], object]
"""Replaces the displayed object by another object."""


def live_output() -> Update | None:
    """Returns an output that replaces each displayed object by the next; `None` outside a notebook.

    IPython in a terminal has no kernel, and uses the terminal's output.

    >>> live_output() is None
    True
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return _Output() if getattr(shell, "kernel", None) is not None else None


class _Output:
    """Creates the display with the first object, so that no empty output is shown before."""

    def __init__(self) -> None:
        self._handle: object | None = None

    def __call__(self, shown: object) -> None:
        if self._handle is None:
            self._handle = import_module("IPython.display").display(shown, display_id=True)
        else:
            self._handle.update(shown)  # type: ignore[attr-defined]


_CLEAR_LINE = "\r\x1b[2K"


@overload
def follow(
    query: StreamingQuery,
    every: float = 1.0,
    wait: Wait = time.sleep,
    out: TextIO | None = None,
    *,
    background: Literal[False] = False,
) -> None: ...


@overload
def follow(
    query: StreamingQuery,
    every: float = 1.0,
    wait: Wait = time.sleep,
    out: TextIO | None = None,
    *,
    background: Literal[True],
) -> Following: ...


def follow(
    query: StreamingQuery,
    every: float = 1.0,
    wait: Wait = time.sleep,
    out: TextIO | None = None,
    *,
    background: bool = False,
) -> Following | None:
    """Shows the progress of the sink until the query ends. An interrupt ends the display, not the query.

    A terminal rewrites one line in place; a notebook rewrites one line with a table of all metrics. All other
    outputs contain one line for each progress. In a classic session, the last line is written after the sink
    has published its last parts, with the metrics of the whole run.

    Args:
        query: a streaming query, classic or Connect.
        every: the seconds between two updates.
        wait: waits for the given seconds; tests may pass a function that returns at once.
        out: the output; by default the notebook's cell, or else standard output.
        background: returns at once, and shows progress from a thread, so that a notebook's next cell can run.

    Returns:
        In the background, an object that can end the display or wait for its end.

    Raises:
        NotAStoplogQuery: the query writes to another sink. In the background, `Following.join` raises this
            error.

    Example:
        query = sink.write_stream(events, checkpoint_location="/data/checkpoint").start()
        stoplog.follow(query)
    """
    cell = live_output() if out is None else None
    screen = sys.stdout if out is None else out

    def show(wait: Wait) -> None:
        each_progress = _to_the_end(query, progress(query, every, wait))
        if cell is None:
            _on_screen(each_progress, screen)
        else:
            _in_notebook(each_progress, cell)

    if background:
        return Following(show, wait)
    show(wait)
    return None


class Following:
    """A display in the background, created by `follow(query, background=True)`. Never stops the query.

    Example:
        following = stoplog.follow(query, background=True)
        ...
        following.stop()
    """

    def __init__(self, show: Callable[[Wait], None], wait: Wait) -> None:
        self._show = show
        self._wait = wait
        self._stopping = Event()
        self._error: Exception | None = None
        self._thread = Thread(target=self._run, name="stoplog-follow", daemon=True)
        self._thread.start()

    def __repr__(self) -> str:
        return f"Following(running={self.running})"

    @property
    def running(self) -> bool:
        """Returns true while the display is updated."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Ends the display; the query continues.

        Example:
            following.stop()
        """
        self._stopping.set()
        self._thread.join()

    def join(self, timeout: float | None = None) -> bool:
        """Waits until the query has ended and the last line is written.

        Args:
            timeout: the maximum wait in seconds; unlimited by default.

        Returns:
            True if the query ended in this time.

        Raises:
            NotAStoplogQuery: the query writes to another sink.

        Example:
            assert following.join(timeout=60)
        """
        self._thread.join(timeout)
        if self._error is not None:
            raise self._error
        return not self.running

    def _run(self) -> None:
        try:
            self._show(self._pause)
        except Exception as error:  # stored for `join`: an exception in a thread does not reach a caller
            self._error = error

    def _pause(self, seconds: float) -> None:
        # A custom `wait` is for tests and returns at once.
        if self._wait is time.sleep:
            self._stopping.wait(seconds)
        else:
            self._wait(seconds)
        if self._stopping.is_set():
            raise _Stopped


class _Stopped(Exception):
    """The user has ended the display."""


def _to_the_end(query: StreamingQuery, each_progress: Iterator[SinkProgress]) -> Iterator[SinkProgress]:
    """Repeats the last progress with final metrics if the sink has published more parts since."""
    last = None
    for each in each_progress:
        yield each
        last = each
    if last is not None:
        final = at_the_end(query, last)
        if final != last:
            yield final


def _on_screen(each_progress: Iterator[SinkProgress], screen: TextIO) -> None:
    in_place = screen.isatty()
    try:
        for each in each_progress:
            screen.write(f"{_CLEAR_LINE}{line(each)}" if in_place else f"{line(each)}\n")
            screen.flush()
    except (KeyboardInterrupt, _Stopped):
        pass
    finally:
        if in_place:
            screen.write("\n")
            screen.flush()


def _in_notebook(each_progress: Iterator[SinkProgress], cell: Update) -> None:
    latest = None
    ended = "the query has ended"
    try:
        for each in each_progress:
            latest = each
            cell(LiveLine(each))
    except (KeyboardInterrupt, _Stopped):
        ended = "no longer followed"
    if latest is not None:
        cell(LiveLine(latest, ended))


@dataclass(frozen=True, slots=True)
class LiveLine:
    """A progress for a notebook: a line, and a table of all metrics.

    Attributes:
        progress: the newest progress.
        ended: the reason for the end of updates, if ended.

    >>> from stoplog.metrics import SinkMetrics
    >>> LiveLine(SinkProgress(7, "", 1000, SinkMetrics(open_parts=3)))
    batch 7: 1,000 rows in | open 3 parts, 0 B | pending 0 | published 0 parts, 0 B, 0 rows
    """

    progress: SinkProgress
    ended: str = ""

    def __repr__(self) -> str:
        return f"{line(self.progress)} | {self.ended}" if self.ended else line(self.progress)

    def _repr_html_(self) -> str:
        said = element("p", words("strong", repr(self)), role="status")
        more = element("details", words("summary", "All numbers"), *tables(self.progress.metrics, "Metrics"))
        return styled(said, more)


def line(each: SinkProgress) -> str:
    """Formats a progress as a line of text.

    >>> from stoplog.metrics import SinkMetrics
    >>> line(SinkProgress(7, "", 1000, SinkMetrics(open_parts=3, open_bytes=2048, published_parts=1)))
    'batch 7: 1,000 rows in | open 3 parts, 2.0 KiB | pending 0 | published 1 part, 0 B, 0 rows'
    """
    of = each.metrics
    return " | ".join(
        (
            f"batch {each.batch_id}: {many(each.input_rows, 'row')} in",
            f"open {many(of.open_parts, 'part')}, {size_in_words(of.open_bytes)}",
            f"pending {of.pending_parts:,}",
            f"published {many(of.published_parts, 'part')}, {size_in_words(of.published_bytes)}, "
            f"{many(of.published_rows, 'row')}",
        )
    )


def size_in_words(size_bytes: int) -> str:
    """Formats a size in the largest unit with at least one whole unit.

    >>> size_in_words(1023), size_in_words(1024), size_in_words(128 * 1024**2)
    ('1023 B', '1.0 KiB', '128.0 MiB')
    """
    if size_bytes < 1024:
        return f"{size_bytes} B"
    size = float(size_bytes)
    for unit in ("KiB", "MiB", "GiB"):
        size /= 1024
        if size < 1024:
            return f"{size:.1f} {unit}"
    return f"{size / 1024:.1f} TiB"
