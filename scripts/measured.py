# SPDX-License-Identifier: Apache-2.0
"""Run a command and write down the core seconds of it and of all its descendants, orphans included.

usage: measured.py FILE COMMAND [ARGUMENT ...]

The kernel adds the seconds of a process to the one that waits for it. Tests kill processes that have
children, for which no process waits then: so this one adopts orphans (Linux) and waits for them. It exits
as the command does.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import subprocess
import sys
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


def main(file: Path, command: list[str]) -> int:
    _adopt_orphans()
    process = subprocess.Popen(command)
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda number, _: process.send_signal(number))
    code = _reap_until_end_of(process)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    file.write_text(f"{used.ru_utime + used.ru_stime:.1f}\n")
    return code


def _adopt_orphans() -> None:
    """Elsewhere than on Linux the orphans' seconds are missing in the count."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def _reap_until_end_of(process: subprocess.Popen[bytes]) -> int:
    """Processes that outlive the command are not waited for."""
    while True:
        pid, status = os.wait()
        if pid == process.pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode if process.returncode >= 0 else 128 - process.returncode


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
