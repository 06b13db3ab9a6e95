# SPDX-License-Identifier: Apache-2.0
"""A directory on a local file system, or on a file system that is mounted on every machine."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Iterator
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

from stoplog._storage.files import Enter, FileInfo, join, walk
from stoplog.errors import CannotRead

_ABSENT = {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.ENAMETOOLONG}
_Found = TypeVar("_Found")


class LocalStorage:
    """Reads files by `os.scandir`: one call for each directory, and one for the length of each file."""

    def __init__(self, root: str) -> None:
        self._root = root

    @property
    def root(self) -> str:
        return self._root

    @property
    def knows_open_lengths(self) -> bool:
        return True

    def exists(self) -> bool:
        found = self._stat("")
        return found is not None and stat.S_ISDIR(found.st_mode)

    def files(self, under: str = "", enter: Enter = lambda _: True) -> Iterator[FileInfo]:
        # Links to directories are not entered: they may lead to other tables, and into a cycle.
        return walk(lambda directory: self._children(directory, follow=False), under, enter)

    def children(self, directory: str) -> tuple[list[str], list[FileInfo]]:
        return self._children(directory, follow=True)

    def _children(self, directory: str, *, follow: bool) -> tuple[list[str], list[FileInfo]]:
        directories, files = [], []
        for entry in self._entries(directory):
            if _asked(entry.path, partial(entry.is_dir, follow_symlinks=follow)):
                directories.append(entry.name)
            elif (info := _info(join(directory, entry.name), _asked(entry.path, entry.stat))) is not None:
                files.append(info)
        return directories, files

    def read(self, path: str) -> bytes | None:
        at = self._at(path)
        return _asked(str(at), at.read_bytes)

    def info(self, path: str) -> FileInfo | None:
        return _info(path, self._stat(path))

    def _stat(self, path: str) -> os.stat_result | None:
        at = self._at(path)
        return _asked(str(at), at.stat)

    def _entries(self, directory: str) -> list[os.DirEntry[str]]:
        at = self._at(directory)

        def listed() -> list[os.DirEntry[str]]:
            with os.scandir(at) as entries:
                return sorted(entries, key=attrgetter("name"))  # file systems list files in any order

        return _asked(str(at), listed) or []

    def _at(self, path: str) -> Path:
        return Path(self._root, path)


def _asked(path: str, question: Callable[[], _Found]) -> _Found | None:
    """Returns the file system's result; `None` for a file that is missing or whose name is impossible."""
    try:
        return question()
    except ValueError:  # a name with a zero byte or half a character
        return None
    except OSError as error:
        if error.errno in _ABSENT:
            return None
        raise CannotRead.of(path, error) from error


def _info(path: str, found: os.stat_result | None) -> FileInfo | None:
    if found is None or not stat.S_ISREG(found.st_mode):
        return None
    return FileInfo(path, found.st_size, found.st_mtime_ns // 1_000_000)
