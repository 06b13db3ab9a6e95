# SPDX-License-Identifier: Apache-2.0
"""A running query that a terminal or a notebook follows."""

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
from stoplog._words import many
from stoplog.metrics import SinkProgress, Wait, at_the_end, progress

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery


Update: TypeAlias = Callable[[object], object]
"""Shows an object in place of the one before."""


def live_output() -> Update | None:
    """An output in which objects show themselves one in place of another; `None` outside of a notebook.

    IPython in a terminal has no kernel, and a screen of its own.

    >>> live_output() is None
    True
    """
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return _Output() if getattr(shell, "kernel", None) is not None else None


class _Output:
    """Takes up room with the first object, so that nothing empty is shown before."""

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
    """Shows what the sink does until the query ends; an interrupt stops the showing, not the query.

    In a terminal one line is rewritten in place, and in a notebook one line with a table of all numbers;
    anywhere else each progress is a line of its own. On a classic session the last line is written when the
    sink has published its last parts, and has the numbers of the whole run.

    Args:
        query: a streaming query, classic or Connect.
        every: seconds between two looks.
        wait: lets the seconds pass; a test can do without.
        out: where to write; the cell of a notebook, or else standard output, by default.
        background: answer at once, and show from a thread, so that a notebook's next cell can run.

    Returns:
        What stops the showing, or waits for its end, if it is in the background.

    Raises:
        NotAStoplogQuery: the query writes to another sink. In the background `Following.join` raises it.

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
    """A showing in the background; made by `follow(query, background=True)`. It never stops the query.

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
        """True while it shows new progress."""
        return self._thread.is_alive()

    def stop(self) -> None:
        """Ends the showing, and not the query.

        Example:
            following.stop()
        """
        self._stopping.set()
        self._thread.join()

    def join(self, timeout: float | None = None) -> bool:
        """Waits until the query has ended and its last line is written.

        Args:
            timeout: seconds to wait at most; without an end by default.

        Returns:
            Whether it was so in time.

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
        except Exception as error:  # `join` raises it: what a thread raises reaches no caller
            self._error = error

    def _pause(self, seconds: float) -> None:
        # An own `wait` is a test's, and passes no time.
        if self._wait is time.sleep:
            self._stopping.wait(seconds)
        else:
            self._wait(seconds)
        if self._stopping.is_set():
            raise _Stopped


class _Stopped(Exception):
    """The user has stopped the showing."""


def _to_the_end(query: StreamingQuery, each_progress: Iterator[SinkProgress]) -> Iterator[SinkProgress]:
    """The last one once more, if the sink has published more since."""
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
    """A progress as a notebook shows it: a line, and all numbers below it.

    Attributes:
        progress: the newest.
        ended: why no other follows, if none does.

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
    """One progress in words.

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
    """A size in the largest unit of which there is at least one.

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
