# SPDX-License-Identifier: Apache-2.0
"""A directory on a local, or everywhere mounted, file system."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from stoplog._storage.files import CannotRead, Enter, FileInfo, join, walk


class LocalStorage:
    """Files by `os.scandir`: one call for each directory, one for each file's length."""

    def __init__(self, root: str) -> None:
        self._root = root

    @property
    def root(self) -> str:
        return self._root

    @property
    def knows_open_lengths(self) -> bool:
        return True

    def exists(self) -> bool:
        return Path(self._root).is_dir()

    def files(self, under: str = "", enter: Enter = lambda _: True) -> Iterator[FileInfo]:
        return walk(self.children, under, enter)

    def children(self, directory: str) -> tuple[list[str], list[FileInfo]]:
        directories, files = [], []
        for entry in self._entries(directory):
            if entry.is_dir(follow_symlinks=False):
                directories.append(entry.name)
            elif (info := _info(entry, join(directory, entry.name))) is not None:
                files.append(info)
        return directories, files

    def read(self, path: str) -> bytes | None:
        try:
            return self._at(path).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise CannotRead.of(str(self._at(path)), error) from error

    def info(self, path: str) -> FileInfo | None:
        try:
            found = self._at(path).stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise CannotRead.of(str(self._at(path)), error) from error
        return _of_file(path, found)

    def _entries(self, directory: str) -> list[os.DirEntry[str]]:
        try:
            with os.scandir(self._at(directory)) as entries:
                return list(entries)
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise CannotRead.of(str(self._at(directory)), error) from error

    def _at(self, path: str) -> Path:
        return Path(self._root, path)


def _info(entry: os.DirEntry[str], path: str) -> FileInfo | None:
    try:
        found = entry.stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno == errno.ELOOP:  # a link that leads to itself has no file
            return None
        raise CannotRead.of(entry.path, error) from error
    return _of_file(path, found)


def _of_file(path: str, found: os.stat_result) -> FileInfo | None:
    if not stat.S_ISREG(found.st_mode):
        return None
    return FileInfo(path, found.st_size, found.st_mtime_ns // 1_000_000)
