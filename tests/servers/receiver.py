# SPDX-License-Identifier: Apache-2.0
"""A web server of tests in a process of its own, which keeps each request over `kill -9`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from .patience import patience


class Receiver:
    """Receives posts of JSON lines, and appends each request to a journal before the response.

    Args:
        directory: of the journal.
    """

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._journal = directory / "journal"
        self._journal.touch()
        self._port = 0
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        """The address, the same after each start."""
        return f"http://127.0.0.1:{self._port}/rows"

    def start(self) -> None:
        """Returns when the server accepts connections."""
        command = [sys.executable, "-m", *self._program(), str(self._journal.resolve()), str(self._port)]
        tests = Path(__file__).resolve().parent.parent
        self._process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, cwd=tests, start_new_session=True
        )
        assert self._process.stdout
        with patience(self._process):
            self._port = int(self._process.stdout.readline())

    def crash(self) -> None:
        """Kills the server by `kill -9`, in the middle of its requests."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            assert self._process.stdout
            self._process.stdout.close()
            self._process = None

    def _program(self) -> list[str]:
        """The module of the server, with the arguments before the journal and the port."""
        return ["servers.receiver"]

    def rows_by_key(self) -> dict[str, list[str]]:
        """The rows of each idempotency key. Two requests of one key must have the same rows."""
        found: dict[str, list[str]] = {}
        for line in self._journal.read_text(encoding="utf-8").splitlines():
            request = json.loads(line)
            rows = [json.loads(row)["value"] for row in request["body"].splitlines()]
            assert found.setdefault(request["key"], rows) == rows, f"{request['key']} came with other rows"
        return found

    def each_once(self) -> Counter[str]:
        """The rows as a server counts them that recognizes its keys."""
        return Counter(row for rows in self.rows_by_key().values() for row in rows)


@contextmanager
def receiver(directory: Path) -> Iterator[Receiver]:
    """A server over an empty directory."""
    server = Receiver(directory)
    server.start()
    try:
        yield server
    finally:
        server.crash()


def serve(journal: str, port: int) -> None:
    """Serves until the process is killed. Prints the port first."""
    file = os.open(journal, os.O_WRONLY | os.O_APPEND)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["Content-Length"])
            body = self.rfile.read(length)
            if len(body) < length:  # the sender was killed meanwhile
                self.close_connection = True
                return
            request = {"key": self.headers["Idempotency-Key"], "body": body.decode()}
            os.write(file, f"{json.dumps(request)}\n".encode())
            self.send_response(204)
            self.end_headers()

        def log_message(self, *ignored: object) -> None:
            """Writes nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    print(server.server_port, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
