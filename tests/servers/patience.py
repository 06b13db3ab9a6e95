# SPDX-License-Identifier: Apache-2.0
"""A process that never answers ends the test that waits for it, and not the run of all tests."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
from collections.abc import Iterator

_SECONDS = 300


@contextlib.contextmanager
def patience(process: subprocess.Popen[str], seconds: float = _SECONDS) -> Iterator[None]:
    """Around a wait for what a process prints. In the end it is killed with its session: the pipe ends.

    Args:
        process: the leader of a session.
        seconds: a bound against hanging, far more than anything takes on a busy machine.
    """
    watchdog = threading.Timer(seconds, _kill, [process.pid])
    watchdog.daemon = True
    watchdog.start()
    try:
        yield
    finally:
        watchdog.cancel()


def _kill(leader: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)
