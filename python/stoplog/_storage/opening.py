# SPDX-License-Identifier: Apache-2.0
"""Opens the storage of a path: a local disk, or a file system of pyarrow or fsspec."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from datetime import datetime, timezone
from functools import partial
from operator import itemgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import unquote

from stoplog._storage.files import Address, CannotRead, Enter, FileInfo, Storage, join, refusals, walk
from stoplog._storage.local import LocalStorage
from stoplog._values import path_text

_WEBHDFS_OPTIONS = ("user", "delegation", "kerberos", "proxy_to", "timeout")
_TIMEOUT_SECONDS = 30.0
# How the packages call the time of the last change: as milliseconds, seconds, or a datetime.
_MODIFIED = ("modificationTime", "mtime", "LastModified", "last_modified", "updated", "modified", "created")


def open_spec(uri: str, scheme: str, options: Mapping[str, str]) -> SpecStorage:
    """The directory of a URI. Errors: `CannotRead`.

    Args:
        options: of `webhdfs` the `user` of a cluster without Kerberos, a `delegation` token or
            `kerberos=true`, the user to `proxy_to`, and the `timeout` in seconds; of another the arguments
            of its class in fsspec.
    """
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise CannotRead.no_package(uri, scheme, "fsspec", "requests") from error
    is_webhdfs = scheme in ("webhdfs", "swebhdfs")
    with refusals(uri):
        given = _for_webhdfs(uri, scheme, options) if is_webhdfs else dict(options)
        # fsspec knows HTTPS as an option.
        address = uri.removeprefix("s") if scheme == "swebhdfs" else uri
        system, path = url_to_fs(address, **given, skip_instance_cache=True, use_listings_cache=False)
        if is_webhdfs:  # fsspec waits for ever
            timeout = float(options.get("timeout", _TIMEOUT_SECONDS))
            system.session.request = partial(system.session.request, timeout=timeout)
        return SpecStorage(system, str(path), uri, knows_open_lengths=not is_webhdfs)


class SpecStorage:
    """A directory on one of fsspec's file systems: a request for each directory and each file read."""

    def __init__(self, system: Any, base: str, root: str, *, knows_open_lengths: bool) -> None:
        self._system = system
        self._base = base.rstrip("/")
        self._root = root
        self._knows_open_lengths = knows_open_lengths

    @property
    def root(self) -> str:
        return self._root

    @property
    def knows_open_lengths(self) -> bool:
        return self._knows_open_lengths

    def exists(self) -> bool:
        found = self._status("")
        return found is not None and found["type"] == "directory"

    def files(self, under: str = "", enter: Enter = lambda _: True) -> Iterator[FileInfo]:
        return walk(self.children, under, enter)

    def children(self, directory: str) -> tuple[list[str], list[FileInfo]]:
        directories, files = [], []
        listed = self._asked(directory, partial(self._system.ls, detail=True)) or ()
        for found in sorted(listed, key=itemgetter("name")):
            # Of a file, the list has the file itself.
            if name := str(found["name"]).rstrip("/").removeprefix(self._at(directory)).lstrip("/"):
                if found["type"] == "directory":
                    directories.append(name)
                else:
                    files.append(_info(found, join(directory, name)))
        return directories, files

    def read(self, path: str) -> bytes | None:
        content: bytes | None = self._asked(path, self._system.cat_file)
        return content

    def info(self, path: str) -> FileInfo | None:
        found = self._status(path)
        return _info(found, path) if found is not None and found["type"] == "file" else None

    def _status(self, path: str) -> dict[str, Any] | None:
        found: dict[str, Any] | None = self._asked(path, self._system.info)
        return found

    def _asked(self, path: str, question: Any) -> Any:
        """The answer; `None` when there is no such file."""
        with refusals(f"{self._root}/{path}".rstrip("/")):
            try:
                return question(self._at(path) or "/")
            except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
                return None

    def _at(self, path: str) -> str:
        return join(self._base, path) if path else self._base


def _for_webhdfs(uri: str, scheme: str, options: Mapping[str, str]) -> dict[str, Any]:
    for option in options:
        if option not in _WEBHDFS_OPTIONS:
            raise CannotRead.option(uri, option, list(_WEBHDFS_OPTIONS))
    names = {"user": "user", "delegation": "token", "proxy_to": "proxy_to"}
    given: dict[str, Any] = {name: options[key] for key, name in names.items() if key in options}
    return given | {
        "kerberos": options.get("kerberos", "").lower() == "true",
        "use_https": scheme == "swebhdfs",
    }


def _info(found: Mapping[str, Any], path: str) -> FileInfo:
    return FileInfo(path, int(found["size"]), _modified_millis(found))


def _modified_millis(found: Mapping[str, Any]) -> int:
    name = next((each for each in _MODIFIED if found.get(each)), None)
    if name is None:
        return 0
    if name == "modificationTime":
        return int(found[name])
    at = found[name]
    if isinstance(at, str):
        at = datetime.fromisoformat(at.replace("Z", "+00:00"))
    if isinstance(at, datetime):
        at = (at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp()
    return int(at * 1000)


NO_OPTIONS: Mapping[str, str] = MappingProxyType({})
_BY_ARROW = ("s3", "s3a", "s3n", "hdfs", "viewfs")
_BY_ARROW_AS_IT_IS = ("gs", "gcs", "abfs", "abfss")
_NO_URI = "Leave the options out, or name the directory by its URI, such as s3://bucket/path."
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")


def local_path(uri: str) -> str:
    """The path of a `file:` URI as Spark takes it; if nothing is there, as `Path.as_uri` has escaped it."""
    path = Address.of(uri).path
    escaped = unquote(path)
    return escaped if not Path(path).exists() and Path(escaped).exists() else path


def open_storage(path: str | os.PathLike[str], options: Mapping[str, str] = NO_OPTIONS) -> Storage:
    """The storage of a path: a plain path or `file:` is local, S3 and `hdfs:` are opened by pyarrow,
    `webhdfs:` and what pyarrow does not know by fsspec.

    Args:
        path: a directory.
        options: of pyarrow's file system, such as `endpoint_override` and `region` for `s3://`; of `webhdfs://`
            `user`, `delegation`, `kerberos`, `proxy_to` and `timeout`; of another the arguments of its class
            in fsspec.

    Raises:
        TypeError: the path is no text, or one of bytes.
        ValueError: the path is empty.
        CannotRead: pyarrow or fsspec is missing, does not know the scheme, or refuses the options.
    """
    text = path_text(path)
    found = _SCHEME.match(text)
    scheme = found.group(1).lower() if found else "file"
    if scheme == "file":
        if options:
            raise CannotRead(text, f"a local directory has no option '{next(iter(options))}'", _NO_URI)
        return LocalStorage(local_path(text) if found else text)
    # Only here: both are large libraries, and optional.
    if scheme in _BY_ARROW or (scheme in _BY_ARROW_AS_IT_IS and not options):
        from stoplog._storage.arrow import open_arrow

        return open_arrow(text, scheme, options)

    return open_spec(text, scheme, options)
