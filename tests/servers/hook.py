# SPDX-License-Identifier: Apache-2.0
"""A webhook for announcements that often kills its own process by `kill -9`, and is started again."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from .receiver import Receiver


class Hook(Receiver):
    """Keeps announcements. Sometimes it responds with an error or dies, before or after it keeps one.

    Args:
        directory: of the journal.
        out: the directory of the announced files.

    Attributes:
        deaths: how often the process has died.
    """

    def __init__(self, directory: Path, out: Path) -> None:
        super().__init__(directory)
        self.deaths = 0
        self._out = out
        self._is_ended = False
        self._lock = threading.Lock()

    def received(self) -> list[dict[str, Any]]:
        """The announcements in the order of their arrival, with repetitions.

        `early` has the files of an announcement that were not visible when it arrived.
        """
        return [json.loads(line) for line in self._journal.read_bytes().split(b"\n")[:-1]]

    def end(self) -> None:
        with self._lock:
            self._is_ended = True
            self.crash()

    def restarted(self) -> None:
        """Starts the process again after each death, until `end`."""
        while process := self._process:
            process.wait()
            with self._lock:
                if self._is_ended:
                    return
                self.crash()
                self.start()
                self.deaths += 1

    def _program(self) -> list[str]:
        return ["servers.hook", str(self._out.resolve())]


@contextmanager
def hook(directory: Path, out: Path) -> Iterator[Hook]:
    """A webhook that outlives all jobs."""
    server = Hook(directory, out)
    server.start()
    restarting = threading.Thread(target=server.restarted, daemon=True)
    restarting.start()
    try:
        yield server
    finally:
        server.end()
        restarting.join()


def serve(out: Path, journal: Path, port: int) -> None:
    """Serves until the process is killed. Prints the port first."""
    _cut_half_a_line(journal)
    moods = random.Random()  # A seed would let each life die of the same request.
    file = os.open(journal, os.O_WRONLY | os.O_APPEND)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            body = self.rfile.read(length)
            if len(body) < length:  # the sender was killed meanwhile
                self.close_connection = True
                return
            self.send_response(self.status(json.loads(body)["data"]))
            self.end_headers()

        def status(self, announcement: dict[str, Any]) -> int:
            early = [each["path"] for each in announcement["files"] if not (out / each["path"]).is_file()]
            before, after = moods.random(), moods.random()
            if before < 0.08:
                os.kill(os.getpid(), signal.SIGKILL)
            if before < 0.12:
                return 503
            os.write(file, f"{json.dumps(announcement | {'early': early})}\n".encode())
            if after < 0.08:
                os.kill(os.getpid(), signal.SIGKILL)
            return 500 if after < 0.12 else 204

        def log_message(self, *ignored: object) -> None:
            """Writes nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


def _cut_half_a_line(journal: Path) -> None:
    """Removes a line that a killed process has written in part, and has not confirmed."""
    os.truncate(journal, journal.read_bytes().rfind(b"\n") + 1)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
