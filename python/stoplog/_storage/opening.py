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

from stoplog._storage.files import Address, Enter, FileInfo, Storage, join, refusals, walk
from stoplog._storage.local import LocalStorage
from stoplog._text.values import path_text
from stoplog.errors import CannotRead

_WEBHDFS_OPTIONS = ("user", "delegation", "kerberos", "proxy_to", "timeout")
_TIMEOUT_SECONDS = 30.0
# The names of the modification time in the packages: in milliseconds, in seconds, or as a datetime.
_MODIFIED = ("modificationTime", "mtime", "LastModified", "last_modified", "updated", "modified", "created")


def open_spec(uri: str, scheme: str, options: Mapping[str, str]) -> SpecStorage:
    """Opens the directory of a URI. Raises `CannotRead`.

    Args:
        options: for `webhdfs`: the `user` of a cluster without Kerberos, a `delegation` token or
            `kerberos=true`, the user to `proxy_to`, and the `timeout` in seconds. For other schemes: the
            arguments of the class in fsspec.
    """
    try:
        from fsspec.core import url_to_fs
    except ImportError as error:
        raise CannotRead.no_package(uri, scheme, "fsspec", "requests") from error
    is_webhdfs = scheme in ("webhdfs", "swebhdfs")
    with refusals(uri):
        given = _for_webhdfs(uri, scheme, options) if is_webhdfs else dict(options)
        # fsspec selects HTTPS by an option.
        address = uri.removeprefix("s") if scheme == "swebhdfs" else uri
        system, path = url_to_fs(address, **given, skip_instance_cache=True, use_listings_cache=False)
        if is_webhdfs:  # fsspec has no timeout
            timeout = float(options.get("timeout", _TIMEOUT_SECONDS))
            system.session.request = partial(system.session.request, timeout=timeout)
        return SpecStorage(system, str(path), uri, knows_open_lengths=not is_webhdfs)


class SpecStorage:
    """A directory on a file system of fsspec: one request for each directory and for each file."""

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
            # The listing of a file contains the file itself.
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
        """Returns the result of a request; `None` if the file does not exist."""
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
        return _millis_of_ftp(str(found.get("modify", "")))
    if name == "modificationTime":
        return int(found[name])
    at = found[name]
    if isinstance(at, str):
        at = datetime.fromisoformat(at.replace("Z", "+00:00"))
    if isinstance(at, datetime):
        at = (at if at.tzinfo else at.replace(tzinfo=timezone.utc)).timestamp()
    return int(at * 1000)


def _millis_of_ftp(time: str) -> int:
    """Returns the time of an FTP server; 0 for any other text: old servers send neither year nor zone.

    >>> _millis_of_ftp("20260101010000.123"), _millis_of_ftp("Jan 01 01:00")
    (1767229200000, 0)
    """
    found = re.match("[0-9]{14}", time)
    if found is None:
        return 0
    at = datetime.strptime(found[0], "%Y%m%d%H%M%S").replace(tzinfo=timezone.utc)
    return int(at.timestamp() * 1000)


NO_OPTIONS: Mapping[str, str] = MappingProxyType({})
_BY_ARROW = ("s3", "s3a", "s3n", "hdfs", "viewfs")
_BY_ARROW_AS_IT_IS = ("gs", "gcs", "abfs", "abfss")
_NO_URI = "Remove the options, or pass the URI of the directory, such as s3://bucket/path."
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")


def local_path(uri: str) -> str:
    """Returns the path of a `file:` URI as Spark does.

    Unescaped as for `Path.as_uri` if only such a file exists.
    """
    path = Address.of(uri).path
    escaped = unquote(path)
    return escaped if not Path(path).exists() and Path(escaped).exists() else path


def open_storage(path: str | os.PathLike[str], options: Mapping[str, str] = NO_OPTIONS) -> Storage:
    """Opens the storage of a path.

    A plain path or `file:` is local. Pyarrow opens S3 and `hdfs:`. Fsspec opens `webhdfs:` and all other
    schemes that pyarrow does not support.

    Args:
        path: a directory.
        options: options of pyarrow's file system, such as `endpoint_override` and `region` for `s3://`. For
            `webhdfs://`: `user`, `delegation`, `kerberos`, `proxy_to` and `timeout`. For other schemes: the
            arguments of the class in fsspec.

    Raises:
        TypeError: the path is not a text, or is a path of bytes.
        ValueError: the path is empty.
        CannotRead: pyarrow or fsspec is missing, does not support the scheme, or rejects the options.
    """
    text = path_text(path)
    found = _SCHEME.match(text)
    scheme = found.group(1).lower() if found else "file"
    if scheme == "file":
        if options:
            raise CannotRead(text, f"a local directory has no option '{next(iter(options))}'", _NO_URI)
        return LocalStorage(local_path(text) if found else text)
    # Imported here only, because both libraries are large and optional.
    if scheme in _BY_ARROW or (scheme in _BY_ARROW_AS_IT_IS and not options):
        from stoplog._storage.arrow import open_arrow

        return open_arrow(text, scheme, options)

    return open_spec(text, scheme, options)
