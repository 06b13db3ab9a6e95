# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from pathlib import Path

import pytest

# Beside the tests, whatever the directory that pytest was started in.
sys.path.insert(0, str(Path(__file__).parent))

from fakes import FakeBridge
from made_sink import NOW, healthy


@pytest.fixture(autouse=True)
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """No session, even when another test of the same run has started one."""
    monkeypatch.setattr("stoplog._jvm.bridge.is_connect", lambda: False)
    monkeypatch.setattr("stoplog._jvm.bridge._active_jvm", lambda: None)


@pytest.fixture
def bridge(monkeypatch: pytest.MonkeyPatch) -> FakeBridge:
    """An active classic session, as far as builders can tell."""
    fake = FakeBridge()
    monkeypatch.setattr("stoplog._options.builder.find_bridge", lambda: fake)
    return fake


@pytest.fixture
def sink(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A healthy sink in `events` below the working directory, at the clock of the tests."""
    monkeypatch.chdir(tmp_path)
    healthy(tmp_path / "events")
    monkeypatch.setattr("stoplog.inspection.now_millis", lambda: NOW)
    return tmp_path / "events"
