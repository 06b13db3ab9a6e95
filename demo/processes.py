# SPDX-License-Identifier: Apache-2.0
"""Starts jobs in processes of their own, and kills them."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Job:
    """A module with its arguments.

    Args:
        conf: the directory of `spark-defaults.conf`.
        log: where what Spark says goes.
    """

    module: str
    arguments: tuple[Path | str, ...]
    conf: Path
    log: Path

    def run(self) -> None:
        """Runs to the end; stops the demo if the job fails."""
        with self._started() as process:
            if process.wait() != 0:
                raise self._failed()

    def run_until(self, moment: Callable[[], bool]) -> None:
        """Kills Python and the JVM at once, as soon as the moment has come."""
        with self._started() as process:
            while not moment():
                if process.poll() is not None:
                    raise self._failed()
                time.sleep(0.01)

    @contextlib.contextmanager
    def _started(self) -> Iterator[subprocess.Popen[bytes]]:
        """The job, running. On leaving it is killed with `kill -9`, also when the demo is interrupted."""
        command = [sys.executable, "-m", self.module, *map(str, self.arguments)]
        with self.log.open("ab") as log:
            # A session of its own, so that the JVM dies with Python and has no chance to tidy up.
            process = subprocess.Popen(
                command, cwd=ROOT, stderr=log, env=_environment(self.conf), start_new_session=True
            )
        try:
            yield process
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def _failed(self) -> SystemExit:
        end = "\n".join(self.log.read_text().splitlines()[-30:])
        return SystemExit(f"{end}\n{self.module} ended too early or failed; its log is {self.log}")


def _environment(conf: Path) -> dict[str, str]:
    """Without a Spark of the machine's own: the one used is that of this interpreter, on loopback."""
    own = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
    return own | {
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_CONF_DIR": str(conf),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
