# SPDX-License-Identifier: Apache-2.0
"""All that a report is made of, each number with where it is from."""

from __future__ import annotations

from dataclasses import dataclass

from stoplog._inspect.status import SinkStatus, status
from stoplog._report.log_figures import LogFigures, log_figures
from stoplog._report.size_bins import SizeBin, SizeCounts
from stoplog._report.time_bins import TimeBins, TimeCounts
from stoplog._storage import FileInfo, Storage


@dataclass(frozen=True, slots=True)
class ListingFigures:
    """The finished files of the directory, of all its sinks, as the file system lists them.

    Attributes:
        files: how many there are.
        bytes: of them all.
        largest_bytes: of the largest.
        sizes: how many there are of each size.
        modified: when they were last written to, which is before they were published.
    """

    files: int
    bytes: int
    largest_bytes: int
    sizes: tuple[SizeBin, ...]
    modified: TimeBins


@dataclass(frozen=True, slots=True)
class Figures:
    """What is known of a sink.

    Attributes:
        path: the directory as it was named.
        status: what is open now, and what is in each bucket.
        log: from the log's records.
        listing: from the directory.
    """

    path: str
    status: SinkStatus
    log: LogFigures
    listing: ListingFigures


def figures(storage: Storage, sink_id: str, now_millis: int) -> Figures:
    """Lists the directory once, and reads the log. Raises as `status` does."""
    sizes, times = SizeCounts(), TimeCounts()

    def seen(file: FileInfo) -> None:
        sizes.add(file.size_bytes)
        times.add(file.modified_at_millis)

    found = status(storage, sink_id, now_millis, seen)
    return Figures(
        storage.root,
        found,
        log_figures(storage, sink_id, now_millis),
        ListingFigures(sizes.files, sizes.total_bytes, sizes.largest_bytes, sizes.bins(), times.bins()),
    )
