# SPDX-License-Identifier: Apache-2.0
"""A live line about a query's sink, in a terminal or a notebook."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TextIO

from stoplog._html.markup import element, words
from stoplog._html.shown import tables
from stoplog._html.style import styled
from stoplog._notebook import Update, live_output
from stoplog.metrics import SinkProgress, Wait, progress

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

_CLEAR_LINE = "\r\x1b[2K"


def follow(
    query: StreamingQuery, every: float = 1.0, wait: Wait = time.sleep, out: TextIO | None = None
) -> None:
    """Shows what the sink does until the query ends; an interrupt stops the showing, not the query.

    In a terminal one line is rewritten in place, and in a notebook one line with a table of all numbers;
    anywhere else each progress is a line of its own.

    Args:
        query: a streaming query, classic or Connect.
        every: seconds between two looks.
        wait: how to let the seconds pass; a test can do without.
        out: where to write; the cell of a notebook, or else standard output, by default.

    Example:
        query = sink.write_stream(events, checkpoint_location="/data/checkpoint").start()
        stoplog.follow(query)
    """
    cell = live_output() if out is None else None
    if cell is None:
        _on_screen(progress(query, every, wait), sys.stdout if out is None else out)
    else:
        _in_notebook(progress(query, every, wait), cell)


def _on_screen(each_progress: Iterator[SinkProgress], screen: TextIO) -> None:
    in_place = screen.isatty()
    try:
        for each in each_progress:
            screen.write(f"{_CLEAR_LINE}{line(each)}" if in_place else f"{line(each)}\n")
            screen.flush()
    except KeyboardInterrupt:
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
    except KeyboardInterrupt:
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
    'batch 7: 1,000 rows in | open 3 parts, 2.0 KiB | pending 0 | published 1 parts, 0 B, 0 rows'
    """
    of = each.metrics
    return " | ".join(
        (
            f"batch {each.batch_id}: {each.input_rows:,} rows in",
            f"open {of.open_parts:,} parts, {size_in_words(of.open_bytes)}",
            f"pending {of.pending_parts:,}",
            f"published {of.published_parts:,} parts, {size_in_words(of.published_bytes)}, "
            f"{of.published_rows:,} rows",
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
