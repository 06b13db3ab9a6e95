# SPDX-License-Identifier: Apache-2.0
"""What is known of one file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from stoplog._html.shown import Shown


class PartState(Enum):
    """What a file is to a sink."""

    FINISHED = "finished"
    OPEN = "open"
    PENDING = "pending"
    REPLACED = "replaced"
    GONE = "gone"
    BESIDE = "beside"
    ORPHAN = "orphan"
    OWN = "own"
    BUCKET = "bucket"
    FOREIGN = "foreign"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Explanation(Shown):
    """What is known of one file.

    Attributes:
        asked: what was asked for.
        state: what it is.
        message: why, in one or two sentences.
        path: where it is, or is going to be, under the sink's path.
        sink_id: whose it is, if that is known.
        epoch: the last epoch of the record that closed it.
        seq: that record, or the newest one for a part that is open.
    """

    asked: str
    state: PartState
    message: str
    path: str | None = None
    sink_id: str | None = None
    epoch: int | None = None
    seq: int | None = None
