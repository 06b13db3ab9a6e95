# SPDX-License-Identifier: Apache-2.0
"""Targets and checkpoint committers of one's own for the write-ahead sink."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from stoplog._python.model import Chunk

if TYPE_CHECKING:
    from datetime import datetime

__all__ = ["CheckpointCommitter", "Chunk", "WriteAheadTarget"]


class WriteAheadTarget(ABC):
    """A system without transactions: rows are in a log first, and are sent from the log at least once.

    A target is pickled and sent to executors, so it keeps parameters only. Connections belong into `open`,
    and so do secrets, such as `os.environ["NAME"]`.

    Example:
        class Printed(stoplog.WriteAheadTarget):
            def send_values(self, batch, epoch, time):
                print(epoch, time, batch.to_pylist())
                return True

        sink = stoplog.WriteAheadSink.to_target(Printed()).build()
        sink.write_stream(orders, "/data/checkpoint").start()
    """

    target: str = ""
    """The target of the rows, for messages and the log; the name of the class by default."""

    def open(self) -> None:  # noqa: B027  optional
        """Opens connections, before the first call of a process, and again after an exception of a call."""

    @abstractmethod
    def send_values(self, batch: Any, epoch: int | None, time: datetime | None) -> bool:
        """Sends the rows of an Arrow record batch, and returns after the target has acknowledged them.

        Args:
            batch: some of the rows of one task and epoch.
            epoch: the micro-batch; `None` in a batch query.
            time: when Spark planned the micro-batch, the same each time the rows are sent; `None` in a batch
                query.

        Returns:
            True if all rows were sent. False, or an exception, sends all rows of the task again. If all
            attempts fail, the query ends with `STOPLOG_REQUEST_FAILED`, or after an exception with
            `STOPLOG_PYTHON_FAILED`, and the next start sends the rows.
        """

    def close(self) -> None:  # noqa: B027  optional
        """Releases connections, also after an exception of a call."""


class CheckpointCommitter(ABC):
    """Remembers the sent chunks in a place that outlives all processes, such as the target itself.

    Used on the driver and on executors; pickled like a `WriteAheadTarget`.
    """

    def open(self) -> None:  # noqa: B027  optional
        """Opens connections, before the first call of a process, and again after an exception of a call."""

    @abstractmethod
    def is_committed(self, chunk: Chunk) -> bool:
        """Returns whether the chunk has a note."""

    @abstractmethod
    def commit(self, chunk: Chunk) -> None:
        """Writes the note of a chunk durably. Writing the note again is not an error."""

    def forget_before(self, query: str, epoch: int) -> None:  # noqa: B027  optional
        """Deletes the notes of the query's earlier epochs, which nobody needs any more."""

    def close(self) -> None:  # noqa: B027  optional
        """Releases connections, also after an exception of a call."""
