# SPDX-License-Identifier: Apache-2.0
"""The files of a path that readers see, and those next to them: the only listing of them in this package."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from stoplog._inspect.names import is_hidden, marker_version
from stoplog._log.paths import hides
from stoplog._shared import ROOT
from stoplog._storage import FileInfo, Storage

_NOTE_BYTES = 2 + 22
"""A valid-length file has at most so many bytes: two, and the digits of a number."""


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file outside the directory of logs.

    Attributes:
        file: as the storage lists it.
        valid_bytes: the number of its committed bytes, if a valid-length file notes one.
    """

    file: FileInfo
    valid_bytes: int | None = None

    @property
    def committed_bytes(self) -> int:
        """The number of bytes that readers may read."""
        return self.file.size_bytes if self.valid_bytes is None else self.valid_bytes

    @property
    def is_hidden(self) -> bool:
        """True if readers pass over the file because of its own name."""
        return hides(self.file.name)

    @property
    def is_below_hidden(self) -> bool:
        """True if readers pass over a directory that the file is in."""
        return is_hidden(self.file.directory)

    @property
    def is_marker(self) -> bool:
        """True for a marker of a complete bucket."""
        return marker_version(self.file.name) is not None


def listed_files(storage: Storage) -> Iterator[ListedFile]:
    """Lists the path once, without the directories of logs, also of sinks in directories below.

    Reads each small hidden file with the name of another file in its own. Such a file may be a valid-length
    file, with the prefix and the suffix of the query, which are unknown here.
    """
    enter = lambda directory: directory.rpartition("/")[2] != ROOT  # noqa: E731
    for _, files in groupby(storage.files(enter=enter), key=lambda file: file.directory):
        together = list(files)
        noted = _valid_lengths(storage, together)
        for file in together:
            yield ListedFile(file, noted.get(file.name))


def _valid_lengths(storage: Storage, files: Sequence[FileInfo]) -> dict[str, int]:
    """The lengths that are noted in one directory, by the names of the files that they are about."""
    notes = [file for file in files if _may_be_note(file)]
    if not notes:
        return {}
    names = {file.name for file in files if not hides(file.name)}
    lengths = {}
    for note in notes:
        about = _longest_in(note.name, names)
        valid_bytes = None if about is None else _decoded(storage.read(note.path) or b"")
        if about is not None and valid_bytes is not None:
            lengths[about] = valid_bytes
    return lengths


def _may_be_note(file: FileInfo) -> bool:
    is_checksum = file.name.startswith(".") and file.name.endswith(".crc")
    return hides(file.name) and 2 < file.size_bytes <= _NOTE_BYTES and not is_checksum


def _longest_in(name: str, names: set[str]) -> str | None:
    """The longest of the names that another name has in it, after a prefix.

    >>> _longest_in("_part-10.json.valid-length", {"part-1", "part-10.json"})
    'part-10.json'
    """
    for length in range(len(name) - 1, 0, -1):
        for start in range(1, len(name) - length + 1):
            if name[start : start + length] in names:
                return name[start : start + length]
    return None


def _decoded(content: bytes) -> int | None:
    """What Java's `DataInput.readUTF` reads, if it is a number.

    >>> _decoded(bytes([0, 3]) + b"128"), _decoded(b"crc"), _decoded(b"128")
    (128, None, None)
    """
    digits = content[2:]
    is_whole = int.from_bytes(content[:2], "big") == len(digits)
    return int(digits) if is_whole and digits.isascii() and digits.isdigit() else None
