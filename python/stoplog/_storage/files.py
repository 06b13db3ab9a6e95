# SPDX-License-Identifier: Apache-2.0
"""The storage interface of this package: read access to the files under one root."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from stoplog.errors import CannotRead


@contextmanager
def refusals(path: str) -> Iterator[None]:
    """Converts any error of a file system package to `CannotRead`: each package has its own errors.

    Some of these errors extend only `Exception`, and the errors depend on the installed packages.
    """
    try:
        yield
    except CannotRead:
        raise
    except Exception as error:
        raise CannotRead.of(path, error) from error


@dataclass(frozen=True, slots=True)
class Address:
    """The components of a URI, in the interpretation of Hadoop and of Spark's own formats.

    The URI has no escapes, no query and no fragment, and several slashes equal one slash.

    >>> Address.of("hdfs://Prod//a%20b/c#1/")
    Address(scheme='hdfs', authority='Prod', path='/a%20b/c#1')
    """

    scheme: str
    authority: str
    path: str

    @staticmethod
    def of(uri: str) -> Address:
        found = _URI.fullmatch(uri)
        if found is None:
            return Address("", "", uri)
        path = re.sub("/+", "/", found["path"])
        return Address(found["scheme"].lower(), found["authority"] or "", path.rstrip("/") or "/")

    @property
    def host(self) -> str:
        """Returns the host without changes to its case, because the host may be the name of a setting."""
        return self.authority.rpartition("@")[2].removesuffix(f":{self.port}")

    @property
    def port(self) -> int:
        """Returns the port; 0 if the URI has no port."""
        digits = self.authority.rpartition(":")[2]
        return int(digits) if digits.isascii() and digits.isdecimal() and digits != self.authority else 0


_URI = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?://(?P<authority>[^/]*))?(?P<path>(?:/.*)?)", re.DOTALL
)

Enter: TypeAlias = Callable[[str], bool]
"""Returns true if a walk enters a directory. The path is relative to the storage's root and never empty."""


@dataclass(frozen=True, slots=True)
class FileInfo:
    """An existing file.

    Attributes:
        path: relative to the storage's root, with `/`.
        size_bytes: the length of the file.
        modified_at_millis: the last modification, in milliseconds since 1970-01-01T00:00:00Z.
    """

    path: str
    size_bytes: int
    modified_at_millis: int

    @property
    def name(self) -> str:
        """Returns the last element of the path."""
        return self.path.rpartition("/")[2]

    @property
    def directory(self) -> str:
        """Returns the path without the last element; empty for a file in the root."""
        return self.path.rpartition("/")[0]


class Storage(Protocol):
    """A directory on some file system. Other processes write to the directory: vanished files are skipped.

    Each method raises `CannotRead` if the file system rejects a request.
    """

    @property
    def root(self) -> str:
        """Returns the directory as named by the user, for messages."""

    @property
    def knows_open_lengths(self) -> bool:
        """Returns true if the listed length of an unfinished file is its true length.

        The length is wrong on HDFS.
        """

    def exists(self) -> bool:
        """Returns true if the directory exists."""

    def files(self, under: str = "", enter: Enter = lambda _: True) -> Iterator[FileInfo]:
        """Returns all files under a directory, in the order of their names.

        None if the directory does not exist.
        """

    def children(self, directory: str) -> tuple[list[str], list[FileInfo]]:
        """Returns the names of a directory's subdirectories, and the directory's files, both by name."""

    def read(self, path: str) -> bytes | None:
        """Returns the contents of a file; `None` if the file does not exist."""

    def info(self, path: str) -> FileInfo | None:
        """Returns a file's name, length and time; `None` if the file does not exist."""


def walk(
    children: Callable[[str], tuple[list[str], list[FileInfo]]], under: str, enter: Enter
) -> Iterator[FileInfo]:
    """Returns all files under a directory, directory by directory.

    Args:
        children: the method `children` of a `Storage`.
    """
    waiting = [under]
    while waiting:
        directory = waiting.pop()
        directories, files = children(directory)
        yield from files
        waiting += filter(enter, (join(directory, name) for name in reversed(directories)))


def join(directory: str, name: str) -> str:
    """Returns the path of a name in a directory, which may be the root.

    >>> join("", "a"), join("a/b", "c")
    ('a', 'a/b/c')
    """
    return f"{directory}/{name}" if directory else name
