# SPDX-License-Identifier: Apache-2.0
"""Write-ahead targets and checkpoint committers in Python, as the jar calls them."""

from __future__ import annotations

import base64
import re
from typing import Any

import pyarrow as pa
import pytest

import stoplog
from stoplog._python.sending import NotesSide, PackingSide, TargetSide


class Dying(stoplog.WriteAheadTarget, stoplog.CheckpointCommitter):
    """Has a connection that dies at its first use."""

    def __init__(self) -> None:
        self.calls: list[str] = []

    def open(self) -> None:
        self.calls.append("open")

    def use(self) -> None:
        self.calls.append("use")
        if self.calls == ["open", "use"]:
            raise ConnectionError("the server has restarted")

    def send_values(self, batch: Any, epoch: object, time: object) -> bool:
        self.use()
        return True

    def is_committed(self, chunk: object) -> bool:
        self.use()
        return True

    def commit(self, chunk: object) -> None:
        self.use()

    def forget_before(self, query: str, epoch: int) -> None:
        self.use()

    def close(self) -> None:
        self.calls.append("close")


def packed() -> str:
    (batch,) = PackingSide().run([pa.RecordBatch.from_pydict({"value": ["a"]})])
    return base64.b64encode(batch.column(0)[0].as_py()).decode("ascii")


@pytest.mark.parametrize(
    ("side", "method", "arguments"),
    [
        (TargetSide, "send_values", [packed(), 7, None]),
        (NotesSide, "is_committed", ["query", "chunk", 7, 3, 1]),
        (NotesSide, "commit", ["query", "chunk", 7, 3, 1]),
        (NotesSide, "forget_before", ["query", 7]),
    ],
)
def test_a_target_and_its_notes_are_opened_again_after_an_exception(
    side: Any, method: str, arguments: list[Any]
) -> None:
    user = Dying()
    call = getattr(side(user), method)
    with pytest.raises(ConnectionError):
        call(*arguments)
    call(*arguments)
    call(*arguments)
    assert user.calls == ["open", "use", "close", "open", "use", "use"]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda of: of.to_target(Dying), "to_target needs a WriteAheadTarget, and got the class Dying"),
        (lambda of: of.to_target("shop"), "to_target needs a WriteAheadTarget, not 'shop'"),
        (
            lambda of: of.to_sender("a.B").with_committer(Dying),
            "with_committer needs a string or a CheckpointCommitter, and got the class Dying",
        ),
    ],
)
def test_a_class_in_place_of_an_object_is_refused_at_the_call(call: Any, said: str) -> None:
    with pytest.raises(TypeError, match=re.escape(said)):
        call(stoplog.WriteAheadSink)
