# SPDX-License-Identifier: Apache-2.0
"""What a command line has to know of a storage: names, lengths, times and bytes. It only reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol, TypeAlias

Enter: TypeAlias = Callable[[str], bool]
"""Whether to look into a directory; its path is relative to the storage's root and never empty."""


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
        """Whether a file that is being written shows its true length, which it does not on HDFS."""

    def exists(self) -> bool:
        """Whether there is such a directory."""

    def files(self, under: str = "", enter: Enter = lambda _: True) -> Iterator[FileInfo]:
        """All files in a directory and below it, in no particular order; none if it is not there."""

    def children(self, directory: str) -> tuple[list[str], list[FileInfo]]:
        """The names of the directories in a directory, and the files in it."""

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
        waiting += filter(enter, (join(directory, name) for name in directories))


def join(directory: str, name: str) -> str:
    """The path of a name in a directory, which may be the root.

    >>> join("", "a"), join("a/b", "c")
    ('a', 'a/b/c')
    """
    return f"{directory}/{name}" if directory else name
