# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from pathlib import Path

import pytest

# Beside the tests, whatever the directory that pytest was started in.
sys.path.insert(0, str(Path(__file__).parent))

from fakes import FakeDoor


@pytest.fixture(autouse=True)
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """No session, even when another test of the same run has started one."""
    monkeypatch.setattr("stoplog._jvm.is_connect", lambda: False)
    monkeypatch.setattr("stoplog._jvm._active_jvm", lambda: None)


@pytest.fixture
def door(monkeypatch: pytest.MonkeyPatch) -> FakeDoor:
    """An active classic session, as far as builders can tell."""
    fake = FakeDoor()
    monkeypatch.setattr("stoplog._checked.find_door", lambda: fake)
    return fake
