# SPDX-License-Identifier: Apache-2.0
"""Directories that pyarrow can read: HDFS, S3 and other file systems that pyarrow supports by URI."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any

from stoplog._storage.files import Address, Enter, FileInfo, join, refusals, walk
from stoplog.errors import CannotRead

_S3_SCHEMES = ("s3", "s3a", "s3n")
_S3_OPTIONS = (
    "access_key",
    "anonymous",
    "connect_timeout",
    "endpoint_override",
    "force_virtual_addressing",
    "profile_name",
    "region",
    "request_timeout",
    "role_arn",
    "scheme",
    "secret_key",
    "session_token",
)
_HDFS_OPTIONS = ("user", "kerb_ticket", "replication", "buffer_size")


def open_arrow(uri: str, scheme: str, options: Mapping[str, str]) -> ArrowStorage:
    """Opens the directory of a URI. Raises `CannotRead`."""
    try:
        from pyarrow import fs
    except ImportError as error:
        raise CannotRead.no_package(uri, scheme, "pyarrow") from error
    with refusals(uri):
        if scheme in _S3_SCHEMES:
            return _on_s3(fs, uri, scheme, options)
        if scheme in ("hdfs", "viewfs"):
            return _on_hdfs(fs, uri, scheme, options)
        system, path = fs.FileSystem.from_uri(uri)
        return ArrowStorage(fs, system, path, uri)


class ArrowStorage:
    """A directory on one of pyarrow's file systems."""

    def __init__(self, fs: Any, system: Any, base: str, root: str) -> None:
        self._fs = fs
        self._system = system
        self._base = base.rstrip("/")
        self._root = root

    @property
    def root(self) -> str:
        return self._root

    @property
    def knows_open_lengths(self) -> bool:
        return str(self._system.type_name) != "hdfs"

    def exists(self) -> bool:
        found = self._asked(self._base, lambda path: self._system.get_file_info(path))
        return bool(found.type == self._fs.FileType.Directory)

    def files(self, under: str = "", enter: Enter = lambda _: True) -> Iterator[FileInfo]:
        return walk(self.children, under, enter)

    def children(self, directory: str) -> tuple[list[str], list[FileInfo]]:
        directories, files = [], []
        for found in self._list(directory):
            if found.type == self._fs.FileType.Directory:
                directories.append(str(found.base_name))
            elif found.is_file:
                files.append(_info(found, join(directory, found.base_name)))
        return directories, files

    def read(self, path: str) -> bytes | None:
        if self.info(path) is None:
            return None

        def content(at: str) -> bytes:
            with self._system.open_input_stream(at) as stream:
                return bytes(stream.read())

        try:
            found: bytes = self._asked(self._at(path), content)
        except CannotRead:
            if self.info(path) is None:  # deleted since the first lookup
                return None
            raise
        return found

    def info(self, path: str) -> FileInfo | None:
        found = self._asked(self._at(path), self._system.get_file_info)
        return _info(found, path) if found.is_file else None

    def _list(self, directory: str, *, recursive: bool = False) -> list[Any]:
        selector = self._fs.FileSelector(self._at(directory), allow_not_found=True, recursive=recursive)
        return sorted(self._asked(selector, self._system.get_file_info), key=attrgetter("path"))

    def _asked(self, what: Any, question: Any) -> Any:
        with refusals(self._root):
            return question(what)

    def _at(self, path: str) -> str:
        return join(self._base, path) if path else self._base


class ObjectStorage(ArrowStorage):
    """An object store: directories are only prefixes of names, and one request lists a thousand files."""

    def files(self, under: str = "", enter: Enter = lambda _: True) -> Iterator[FileInfo]:
        entered = {under: True}

        def inside(directory: str) -> bool:
            if directory not in entered:
                entered[directory] = inside(directory.rpartition("/")[0]) and enter(directory)
            return entered[directory]

        for found in self._list(under, recursive=True):
            path = str(found.path).removeprefix(self._base).lstrip("/")
            if found.is_file and inside(path.rpartition("/")[0]):
                yield _info(found, path)


def _info(found: Any, path: str) -> FileInfo:
    modified = found.mtime_ns
    return FileInfo(path, found.size, modified // 1_000_000 if modified else 0)


def _on_s3(fs: Any, uri: str, scheme: str, options: Mapping[str, str]) -> ArrowStorage:
    """Opens a directory on S3. By default, the SDK searches for the credentials."""
    given: dict[str, Any] = dict(_known(uri, options, _S3_OPTIONS))
    endpoint = os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL")
    if endpoint and "endpoint_override" not in given:
        given["endpoint_override"] = endpoint
    for seconds in ("connect_timeout", "request_timeout"):
        if seconds in given:
            given[seconds] = float(given[seconds])
    for flag in ("anonymous", "force_virtual_addressing"):
        if flag in given:
            given[flag] = given[flag].lower() == "true"
    address = Address.of(uri)
    # A secret may contain a slash; the name of a bucket never contains a colon.
    if "@" in (address.authority + address.path if ":" in address.authority else address.authority):
        raise CannotRead.with_keys(scheme)
    return ObjectStorage(fs, fs.S3FileSystem(**given), f"{address.authority}{address.path}", uri)


def _on_hdfs(fs: Any, uri: str, scheme: str, options: Mapping[str, str]) -> ArrowStorage:
    """Opens a directory on HDFS by libhdfs, which is found by HADOOP_HOME and CLASSPATH."""
    given: dict[str, Any] = dict(_known(uri, options, _HDFS_OPTIONS))
    for number in ("replication", "buffer_size"):
        if number in given:
            given[number] = int(given[number])
    address = Address.of(uri)
    host = f"{scheme}://{address.host}" if address.host else "default"
    try:
        system = fs.HadoopFileSystem(host, port=address.port, **given)
    except OSError as error:
        raise CannotRead.no_libhdfs(uri, error) from error
    return ArrowStorage(fs, system, address.path, uri)


def _known(uri: str, options: Mapping[str, str], names: tuple[str, ...]) -> Mapping[str, str]:
    for option in options:
        if option not in names:
            raise CannotRead.option(uri, option, list(names))
    return options
