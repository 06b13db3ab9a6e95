# SPDX-License-Identifier: Apache-2.0
"""A storage as this package reads it: files below one root."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from stoplog import _redaction
from stoplog.errors import StoplogError


class CannotRead(StoplogError):
    """A directory cannot be read, or not with what is installed or given.

    >>> print(CannotRead("hdfs://a/b", "there is no such host", "Look at the address."))
    hdfs://a/b cannot be read: there is no such host. Look at the address.
    """

    def __init__(self, path: str, why: str, advice: str) -> None:
        super().__init__("STOPLOG_CANNOT_READ", f"{path} cannot be read: {why}. {advice}")

    @classmethod
    def of(cls, path: str, error: Exception) -> CannotRead:
        """A file system refused a request."""
        said = getattr(error, "strerror", None) or str(error) or type(error).__name__
        why = _redaction.answer(said, path)
        return cls(path, why.rstrip(".\n"), "Look at the path, the rights to it, and the options given.")

    @classmethod
    def no_package(cls, path: str, scheme: str, package: str, *with_it: str) -> CannotRead:
        """Anything but local files is read by packages that are not dependencies."""
        why = f"{scheme}:// needs {package}, which is not installed"
        return cls(path, why, f"Run: pip install {' '.join((package, *with_it))}")

    @classmethod
    def no_libhdfs(cls, path: str, error: Exception) -> CannotRead:
        """pyarrow reaches HDFS by Hadoop's native library."""
        advice = (
            "Set HADOOP_HOME and CLASSPATH so that libhdfs is found, or name the directory by the address of "
            "the name node's HTTP port: webhdfs://host:9870/…"
        )
        return cls(path, _redaction.answer(str(error), path).splitlines()[0].rstrip("."), advice)

    @classmethod
    def option(cls, path: str, option: str, known: list[str]) -> CannotRead:
        """A `--fs-option` that the file system does not know."""
        return cls(path, f"its file system has no option '{option}'", f"Use one of: {', '.join(known)}.")

    @classmethod
    def with_keys(cls, scheme: str) -> CannotRead:
        """An address of a bucket with keys in it, of which nothing is repeated."""
        advice = (
            "Name the bucket alone, and give the keys by the options access_key and secret_key "
            "(--fs-option), or by the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
        )
        return cls(f"{scheme}://…", "the address of a bucket has no user and no key in it", advice)


@contextmanager
def refusals(path: str) -> Iterator[None]:
    """Whatever a package for file systems raises is a `CannotRead`: each has errors of its own.

    Some of them have no base but `Exception`, and which they are depends on what is installed.
    """
    try:
        yield
    except CannotRead:
        raise
    except Exception as error:
        raise CannotRead.of(path, error) from error


@dataclass(frozen=True, slots=True)
class Address:
    """The pieces of a URI, as Hadoop takes them, and Spark's own formats with it.

    Nothing in it is an escape, a query or a fragment, and several slashes are one.

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
        """As it is spelled, for it may be the name of a setting."""
        return self.authority.rpartition("@")[2].removesuffix(f":{self.port}")

    @property
    def port(self) -> int:
        """0 if it has none."""
        digits = self.authority.rpartition(":")[2]
        return int(digits) if digits.isascii() and digits.isdecimal() and digits != self.authority else 0


_URI = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?://(?P<authority>[^/]*))?(?P<path>(?:/.*)?)", re.DOTALL
)

Enter: TypeAlias = Callable[[str], bool]
"""Tells if a walk enters a directory; its path is relative to the storage's root and never empty."""


@dataclass(frozen=True, slots=True)
class FileInfo:
    """A file that is there.

    Attributes:
        path: relative to the storage's root, with `/`.
        size_bytes: its length.
        modified_at_millis: in milliseconds since 1970-01-01T00:00:00Z.
    """

    path: str
    size_bytes: int
    modified_at_millis: int

    @property
    def name(self) -> str:
        """The path's last element."""
        return self.path.rpartition("/")[2]

    @property
    def directory(self) -> str:
        """All but the path's last element; empty for a file in the root."""
        return self.path.rpartition("/")[0]


class Storage(Protocol):
    """A directory on some file system. Others write to it meanwhile: what vanishes is left out.

    Each method raises `CannotRead` for what the file system refuses.
    """

    @property
    def root(self) -> str:
        """The directory as the user named it, for messages."""

    @property
    def knows_open_lengths(self) -> bool:
        """True if a file that is being written shows its true length, which it does not on HDFS."""

    def exists(self) -> bool:
        """True if there is such a directory."""

    def files(self, under: str = "", enter: Enter = lambda _: True) -> Iterator[FileInfo]:
        """All files in a directory and below it, in the order of their names; none if it is not there."""

    def children(self, directory: str) -> tuple[list[str], list[FileInfo]]:
        """The names of the directories in a directory, and the files in it, both ordered by name."""

    def read(self, path: str) -> bytes | None:
        """All bytes of a file; `None` if it is not there."""

    def info(self, path: str) -> FileInfo | None:
        """One file; `None` if it is not there."""


def walk(
    children: Callable[[str], tuple[list[str], list[FileInfo]]], under: str, enter: Enter
) -> Iterator[FileInfo]:
    """All files in a directory and below it, one directory after the other.

    Args:
        children: as those of a `Storage`.
    """
    waiting = [under]
    while waiting:
        directory = waiting.pop()
        directories, files = children(directory)
        yield from files
        waiting += filter(enter, (join(directory, name) for name in reversed(directories)))


def join(directory: str, name: str) -> str:
    """The path of a name in a directory, which may be the root.

    >>> join("", "a"), join("a/b", "c")
    ('a', 'a/b/c')
    """
    return f"{directory}/{name}" if directory else name
