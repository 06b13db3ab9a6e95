# SPDX-License-Identifier: Apache-2.0
"""The values that user code receives and returns."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

MAX_TOKEN_BYTES = 64 * 1024
"""The length of the longest token. The log contains all tokens of an epoch."""


@dataclass(frozen=True)
class WriterTask:
    """One attempt of one task.

    Attributes:
        id: a text without spaces that no other attempt has, for the name of a file or a transaction. If a
            token has the id, recovery of another query with the same target does not abort the output.
        run: the id of this start of the query.
        epoch: the micro-batch; `None` in a batch query.
        partition: the number of the task. An epoch that is repeated may have another number of tasks.
        attempt: how often this task failed before.
    """

    id: str
    run: str
    epoch: int | None
    partition: int
    attempt: int


@dataclass(frozen=True)
class Prepared:
    """Rows that are durable, invisible for readers, and can be committed by any process.

    Attributes:
        token: everything that another process needs for the commit, up to 64 KiB. The log stores the token.
        rows: the number of rows.
        size_bytes: the number of bytes, if known.
        name: the name in messages; the id of the task by default.
        version: the `token_version` of the sink that made the token.
        metrics: counters of the writer; the sums over committed output appear in `sink.metrics`.
    """

    token: bytes
    rows: int
    size_bytes: int = 0
    name: str = ""
    version: int = 1
    metrics: dict[str, int] | None = None


@dataclass(frozen=True)
class Staged:
    """Prepared or half-prepared rows that `staged()` has found.

    Attributes:
        token: the token of the rows, equal to that of `Prepared`.
        modified_at: when the writer last added to the rows, in seconds as in `time.time()`. Rows younger than
            eleven minutes stay, because their writer may still be at work. 0 if the target rejects the
            writes of such a writer: the rows are then undone at once.
    """

    token: bytes
    modified_at: float


@dataclass(frozen=True)
class Chunk:
    """The rows of one task and epoch, which a write-ahead sink sends together.

    Attributes:
        name: the same each time the rows are sent, and different from the names of all other chunks.
        query: the id of the query, which restarts keep.
        epoch: the micro-batch; `None` in a batch query.
        partition: the number of the task.
        rows: the number of rows.
    """

    name: str
    query: str
    epoch: int | None
    partition: int
    rows: int


class CommitOutcome(Enum):
    """The outcome of a successful commit."""

    COMMITTED = "committed"
    """This call made the rows visible."""

    ALREADY_COMMITTED = "already committed"
    """The rows were visible already."""

    LOST = "lost"
    """The rows are gone, and were never visible."""


class StagedLost(RuntimeError):
    """Prepared output is gone before the record that would commit the output."""

    def __init__(self, count: int) -> None:
        super().__init__(
            f"staged() no longer returns {count} of the outputs that this epoch has prepared, so no record "
            "decides the epoch. Restart the query, which writes the epoch again. If another query has this "
            "target, use task.id in the tokens of both: recovery then leaves the output of the other query."
        )


class WrongUse(TypeError):
    """User code broke the protocol: a wrong result, or a wrong call. The text names the repair."""
