# SPDX-License-Identifier: Apache-2.0
"""Both halves of a write-ahead target in Python: packing of batches in tasks, and sending."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from stoplog._python.model import Chunk, WrongUse
from stoplog._python.reopening import Reopening, called

if TYPE_CHECKING:
    import pyarrow as pa

PACKED = "data binary, rows bigint"
"""The rows for the jar, which knows these columns."""


@dataclass(frozen=True)
class PackingSide:
    """Packs batches in tasks, as the log stores them."""

    def run(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Implements the function of `mapInArrow`."""
        import pyarrow as pa

        for batch in batches:
            if batch.num_rows:
                out = pa.BufferOutputStream()
                with pa.ipc.new_stream(out, batch.schema) as stream:
                    stream.write_batch(batch)
                columns = [pa.array([out.getvalue().to_pybytes()]), pa.array([batch.num_rows], pa.int64())]
                yield pa.RecordBatch.from_arrays(columns, names=["data", "rows"])


class TargetSide:
    """Carries out the calls of the jar by a target of user code."""

    def __init__(self, target: Any) -> None:
        self._target = Reopening(target)

    def send_values(self, data: str, epoch: int | None, millis: int | None) -> bool:
        """Sends the rows of an Arrow stream, and returns whether all of them were sent."""
        import pyarrow as pa

        time = None if millis is None else datetime.fromtimestamp(millis / 1000, timezone.utc)
        with self._target as target, pa.ipc.open_stream(base64.b64decode(data)) as batches:
            return all(_is_sent(target.send_values(batch, epoch, time)) for batch in batches)

    def close(self) -> None:
        """Closes the target, if it is open and can be closed."""
        self._target.close()


class NotesSide:
    """Carries out the calls of the jar by a checkpoint committer of user code."""

    def __init__(self, committer: Any) -> None:
        self._committer = Reopening(committer)

    def is_committed(self, query: str, name: str, epoch: int | None, partition: int, rows: int) -> bool:
        """Returns whether the chunk is noted as sent."""
        with self._committer as committer:
            found = committer.is_committed(Chunk(name, query, epoch, partition, rows))
        if not isinstance(found, bool):
            raise WrongUse(f"is_committed returned {found!r}. Return True for a recorded chunk, else False.")
        return found

    def commit(self, query: str, name: str, epoch: int | None, partition: int, rows: int) -> bool:
        """Notes the chunk as sent."""
        with self._committer as committer:
            committer.commit(Chunk(name, query, epoch, partition, rows))
        return True

    def forget_before(self, query: str, epoch: int) -> None:
        """Deletes the notes of earlier epochs, if the committer can."""
        with self._committer as committer:
            called(committer, "forget_before", query, epoch)

    def close(self) -> None:
        """Closes the committer, if it is open and can be closed."""
        self._committer.close()


def _is_sent(returned: object) -> bool:
    if not isinstance(returned, bool):
        raise WrongUse(
            f"send_values returned {returned!r}. Return True after the target has acknowledged all rows, and "
            "False to send the rows again."
        )
    return returned
