# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any, cast

import pytest
from fakes import FakeBridge

from stoplog import graceful_stop, stop_after_batch, stopping

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

QUERY = cast("StreamingQuery", object())


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake = FakeBridge()
    monkeypatch.setattr(stopping, "require_bridge", lambda *_: fake)
    return fake


def test_stop_after_batch_returns_whether_the_query_ended_in_time(bridge: FakeBridge) -> None:
    assert stop_after_batch(QUERY, timeout=2.5)
    assert not stop_after_batch(QUERY, timeout=0, finalize=False)
    assert bridge.stopped == [(QUERY, 2500, "finalize"), (QUERY, 0, "asConfigured")]


def test_a_negative_timeout_is_rejected(bridge: FakeBridge) -> None:
    with pytest.raises(ValueError, match="-1"):
        stop_after_batch(QUERY, timeout=-1)
    assert not bridge.stopped


def test_the_jvm_and_a_marker_are_watched_only_inside_the_block(bridge: FakeBridge) -> None:
    with graceful_stop(QUERY, timeout=3, marker="/data/stop", look_every=2):
        assert bridge.stopped == [
            ("shutdown", QUERY, 3000, "finalize"),
            ("/data/stop", QUERY, 2000, 3000, "finalize"),
        ]
        assert not bridge.undone
    assert bridge.undone == ["/data/stop", "shutdown"]
    assert len(bridge.stopped) == 2


def test_sigterm_stops_the_query_and_not_python(bridge: FakeBridge) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with graceful_stop(QUERY, timeout=3):
        os.kill(os.getpid(), signal.SIGTERM)
    assert (QUERY, 3000, "finalize") in bridge.stopped
    assert signal.getsignal(signal.SIGTERM) is before


def test_sigterm_stops_every_query_of_nested_blocks(bridge: FakeBridge) -> None:
    other = cast("StreamingQuery", object())
    with graceful_stop(QUERY, timeout=3), graceful_stop(other, timeout=4):
        os.kill(os.getpid(), signal.SIGTERM)
    assert {(QUERY, 3000, "finalize"), (other, 4000, "finalize")} <= set(bridge.stopped)


def test_another_thread_does_not_change_signal_handlers(bridge: FakeBridge) -> None:
    handlers: list[Any] = []

    def inside() -> None:
        with graceful_stop(QUERY):
            handlers.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGTERM)]
    assert bridge.undone == ["shutdown"]
