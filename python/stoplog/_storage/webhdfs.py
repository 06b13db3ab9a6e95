# SPDX-License-Identifier: Apache-2.0
"""HDFS by its own REST interface: it needs neither pyarrow nor Hadoop's native library."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import urlopen

from stoplog._storage.errors import CannotRead
from stoplog._storage.files import Enter, FileInfo, join, walk

_OPTIONS = ("user", "delegation", "timeout")
_TIMEOUT_SECONDS = 30.0


def open_webhdfs(uri: str, scheme: str, options: Mapping[str, str]) -> WebHdfsStorage:
    """The directory of `webhdfs://host:port/path`, or `swebhdfs` for HTTPS. Errors: `CannotRead`.

    Args:
        options: `user` for a cluster without Kerberos, `delegation` for a token of one that has it, `timeout`
            in seconds.
    """
    for option in options:
        if option not in _OPTIONS:
            raise CannotRead.option(uri, option, list(_OPTIONS))
    parts = urlsplit(uri)
    names = {"user": "user.name", "delegation": "delegation"}
    identity = {names[key]: value for key, value in options.items() if key in names}
    protocol = "https" if scheme == "swebhdfs" else "http"
    timeout = float(options.get("timeout", _TIMEOUT_SECONDS))
    return WebHdfsStorage(f"{protocol}://{parts.netloc}/webhdfs/v1", parts.path, uri, identity, timeout)


class WebHdfsStorage:
    """One request for each directory and each file that is read."""

    def __init__(
        self, service: str, base: str, root: str, identity: Mapping[str, str], timeout_seconds: float
    ) -> None:
        self._service = service
        self._base = base.rstrip("/")
        self._root = root
        self._identity = identity
        self._timeout_seconds = timeout_seconds

    @property
    def root(self) -> str:
        return self._root

    @property
    def knows_open_lengths(self) -> bool:
        return False

    def exists(self) -> bool:
        found = self._status("")
        return found is not None and found["type"] == "DIRECTORY"

    def files(self, under: str = "", enter: Enter = lambda _: True) -> Iterator[FileInfo]:
        return walk(self.children, under, enter)

    def children(self, directory: str) -> tuple[list[str], list[FileInfo]]:
        answer = self._asked(directory, "LISTSTATUS")
        directories, files = [], []
        for found in json.loads(answer)["FileStatuses"]["FileStatus"] if answer is not None else ():
            # Of a file, the list has the file itself, under no name.
            if name := str(found["pathSuffix"]):
                if found["type"] == "DIRECTORY":
                    directories.append(name)
                else:
                    files.append(_info(found, join(directory, name)))
        return directories, files

    def read(self, path: str) -> bytes | None:
        return self._asked(path, "OPEN")

    def info(self, path: str) -> FileInfo | None:
        found = self._status(path)
        return _info(found, path) if found is not None and found["type"] == "FILE" else None

    def _status(self, path: str) -> dict[str, Any] | None:
        answer = self._asked(path, "GETFILESTATUS")
        if answer is None:
            return None
        status: dict[str, Any] = json.loads(answer)["FileStatus"]
        return status

    def _asked(self, path: str, operation: str) -> bytes | None:
        """The answer; `None` when there is no such file."""
        at = quote(join(self._base, path) if path else self._base or "/")
        url = f"{self._service}{at}?{urlencode({'op': operation, **self._identity})}"
        try:
            with urlopen(url, timeout=self._timeout_seconds) as answer:
                content: bytes = answer.read()
                return content
        except HTTPError as error:
            with error:
                if error.code == 404:
                    return None
                raise CannotRead.of(f"{self._root}/{path}".rstrip("/"), _refused(error)) from error
        except (URLError, TimeoutError, ConnectionError) as error:
            reason = error.reason if isinstance(error, URLError) else error
            raise CannotRead.of(self._root, OSError(str(reason))) from error


def _refused(error: HTTPError) -> Exception:
    """What the name node says, if it says something."""
    try:
        remote = json.loads(error.read())["RemoteException"]
        return OSError(f"{remote['exception']}: {str(remote['message']).splitlines()[0]}")
    except (KeyError, ValueError, TypeError, IndexError):
        return error


def _info(found: Mapping[str, Any], path: str) -> FileInfo:
    return FileInfo(path, int(found["length"]), int(found["modificationTime"]))
