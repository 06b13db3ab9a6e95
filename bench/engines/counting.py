# SPDX-License-Identifier: Apache-2.0
"""A proxy before an S3 server that counts what clients ask for, and changes nothing."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import threading
from collections import Counter
from collections.abc import Iterator
from urllib.parse import parse_qs, urlsplit

_CHUNK_BYTES = 1 << 16
_HEAD_END = b"\r\n\r\n"


class Requests:
    """How many of each kind, by the names of S3's own reference."""

    def __init__(self, endpoint: str) -> None:
        self.endpoint = endpoint
        self._counted: Counter[str] = Counter()
        self._lock = threading.Lock()

    def add(self, request: str) -> None:
        with self._lock:
            self._counted[request] += 1

    def taken(self) -> Counter[str]:
        """What came since this was called last."""
        with self._lock:
            counted, self._counted = self._counted, Counter()
            return counted


@contextlib.contextmanager
def counting(server: str) -> Iterator[Requests]:
    """One before the server with this URL, on a port of its own."""
    address = urlsplit(server)
    host, port = str(address.hostname), int(address.port or 80)

    class Connection(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            with contextlib.suppress(OSError), socket.create_connection((host, port)) as there:
                threading.Thread(target=pass_on, args=(there, self.request), daemon=True).start()
                heads = Heads(requests)
                while data := self.request.recv(_CHUNK_BYTES):
                    heads.see(data)
                    there.sendall(data)

    with Listener(("127.0.0.1", 0), Connection) as listener:
        requests = Requests(f"http://127.0.0.1:{listener.server_address[1]}")
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        try:
            yield requests
        finally:
            listener.shutdown()


class Listener(socketserver.ThreadingTCPServer):
    daemon_threads = True
    request_queue_size = 128


class Heads:
    """Finds the requests in what one client sends over one connection."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests
        self._head = b""
        self._body_bytes = 0

    def see(self, data: bytes) -> None:
        while data:
            if self._body_bytes:
                passed = min(self._body_bytes, len(data))
                self._body_bytes -= passed
                data = data[passed:]
                continue
            self._head += data
            head, end, data = self._head.partition(_HEAD_END)
            if not end:
                return
            self._head = b""
            self._body_bytes = self._begin(head.decode("latin-1"))

    def _begin(self, head: str) -> int:
        """Counts the request; how many bytes of a body follow."""
        first, *fields = head.split("\r\n")
        method, target, _ = first.split(" ", 2)
        values = {
            name.lower(): value.strip() for name, _, value in (field.partition(":") for field in fields)
        }
        self._requests.add(request_name(method, target, "x-amz-copy-source" in values))
        return int(values.get("content-length", "0"))


def request_name(method: str, target: str, copies: bool) -> str:
    """By the names of S3's own reference.

    >>> request_name("PUT", "/bucket/key?partNumber=1&uploadId=2", copies=False)
    'UploadPart'
    >>> request_name("GET", "/bucket?list-type=2&prefix=a", copies=False)
    'ListObjectsV2'
    """
    asked = parse_qs(urlsplit(target).query, keep_blank_values=True)
    match method:
        case "PUT" if "partNumber" in asked:
            return "UploadPartCopy" if copies else "UploadPart"
        case "PUT":
            return "CopyObject" if copies else "PutObject"
        case "POST" if "uploads" in asked:
            return "CreateMultipartUpload"
        case "POST" if "uploadId" in asked:
            return "CompleteMultipartUpload"
        case "POST":
            return "DeleteObjects"
        case "DELETE":
            return "AbortMultipartUpload" if "uploadId" in asked else "DeleteObject"
        case "GET" if "uploads" in asked:
            return "ListMultipartUploads"
        case "GET" if "uploadId" in asked:
            return "ListParts"
        case "GET" if "list-type" in asked:
            return "ListObjectsV2"
        case "GET" if "prefix" in asked or "delimiter" in asked:
            return "ListObjects"
        case "GET":
            return "GetObject"
        case _:
            return f"{method.capitalize()}Object"


def pass_on(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(_CHUNK_BYTES):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
