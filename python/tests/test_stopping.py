# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any, cast

import pytest
from fakes import FakeBridge, JavaObject

from stoplog import ConnectUnsupported, Finished, NotAStoplogQuery, graceful_stop, stop_after_batch, stopping
from stoplog._jvm import bridge as jvm_bridge

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

QUERY = cast("StreamingQuery", object())


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    fake = FakeBridge()
    for module in (stopping, jvm_bridge):
        monkeypatch.setattr(module, "require_bridge", lambda *_: fake)
        monkeypatch.setattr(module, "is_connect", lambda: False)
    return fake


def test_stop_after_batch_leaves_parts_open_by_default(bridge: FakeBridge) -> None:
    assert stop_after_batch(QUERY, timeout=2.5)
    assert stop_after_batch(QUERY, timeout=3, finalize=True)
    assert bridge.stopped == [(QUERY, 2500, "asConfigured"), (QUERY, 3000, "finalize")]


def test_stop_after_batch_is_true_only_if_no_row_is_left_invisible(bridge: FakeBridge) -> None:
    bridge.finished = JavaObject(inTime=True, openParts=2, rows=10, bytes=4096)
    stopped = stop_after_batch(QUERY, timeout=2.5)
    assert stopped == Finished(in_time=True, open_parts=2, rows=10, bytes=4096)
    assert not stopped
    bridge.finished = JavaObject(inTime=True, openParts=0, rows=0, bytes=0)
    assert stop_after_batch(QUERY, timeout=0) == Finished(in_time=False)


def test_stop_after_batch_does_not_stop_a_query_of_another_sink(bridge: FakeBridge) -> None:
    bridge.others.append(QUERY)
    with pytest.raises(NotAStoplogQuery):
        stop_after_batch(QUERY)
    assert not bridge.stopped


def test_finalize_is_refused_on_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stopping, "is_connect", lambda: True)
    with pytest.raises(ConnectUnsupported, match="with_finalize_on_termination"):
        stop_after_batch(QUERY, finalize=True)


def test_a_negative_timeout_is_rejected(bridge: FakeBridge) -> None:
    with pytest.raises(ValueError, match="-1"):
        stop_after_batch(QUERY, timeout=-1)
    assert not bridge.stopped


def test_the_jvm_and_a_marker_are_watched_only_inside_the_block(bridge: FakeBridge) -> None:
    with graceful_stop(QUERY, timeout=3, marker="/data/stop", look_every=2):
        assert bridge.stopped == [
            ("shutdown", QUERY, 3000, "asConfigured"),
            ("/data/stop", QUERY, 2000, 3000, "asConfigured"),
        ]
        assert not bridge.undone
    assert bridge.undone == ["/data/stop", "shutdown"]
    assert len(bridge.stopped) == 2


def test_sigterm_stops_the_query_and_not_python(bridge: FakeBridge) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with graceful_stop(QUERY, timeout=3):
        os.kill(os.getpid(), signal.SIGTERM)
    assert (QUERY, 3000, "asConfigured") in bridge.stopped
    assert signal.getsignal(signal.SIGTERM) is before


def test_sigterm_stops_every_query_of_nested_blocks(bridge: FakeBridge) -> None:
    other = cast("StreamingQuery", object())
    with graceful_stop(QUERY, timeout=3), graceful_stop(other, timeout=4, finalize=True):
        os.kill(os.getpid(), signal.SIGTERM)
    assert {(QUERY, 3000, "asConfigured"), (other, 4000, "finalize")} <= set(bridge.stopped)


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
