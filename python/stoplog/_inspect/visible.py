# SPDX-License-Identifier: Apache-2.0
"""The visible files of a path, and the hidden files next to them; the package's only listing of files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from stoplog._inspect.names import is_hidden, marker_version
from stoplog._log.paths import hides
from stoplog._shared.definitions import ROOT
from stoplog._storage import FileInfo, Storage
from stoplog.errors import CannotRead

_NOTE_BYTES = 2 + 22
"""The maximum size of a valid-length file: two bytes of length, and the digits of a number."""


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file outside the directory of logs.

    Attributes:
        file: the file, as listed by the storage.
        valid_bytes: the number of committed bytes, if a valid-length file records the number.
    """

    file: FileInfo
    valid_bytes: int | None = None

    @property
    def committed_bytes(self) -> int:
        """Returns the number of bytes that readers may read."""
        return self.file.size_bytes if self.valid_bytes is None else self.valid_bytes

    @property
    def is_hidden(self) -> bool:
        """Returns true if readers ignore the file because of the file's name."""
        return hides(self.file.name)

    @property
    def is_below_hidden(self) -> bool:
        """Returns true if readers ignore a directory of the file."""
        return is_hidden(self.file.directory)

    @property
    def is_marker(self) -> bool:
        """Returns true for a marker of a complete bucket."""
        return marker_version(self.file.name) is not None


def listed_files(storage: Storage) -> Iterator[ListedFile]:
    """Lists the path once, without the directories of logs, also without the logs of sinks in subdirectories.

    Reads each small hidden file whose name contains the name of another file. Such a file may be a
    valid-length file. The prefix and the suffix of valid-length files are settings of the query, unknown
    here.
    """

    def enter(directory: str) -> bool:
        name = directory.rpartition("/")[2]
        return name != ROOT and not (hides(name) and _is_closed(storage, directory))

    for _, files in groupby(storage.files(enter=enter), key=lambda file: file.directory):
        together = list(files)
        noted = _valid_lengths(storage, together)
        for file in together:
            yield ListedFile(file, noted.get(file.name))


def _is_closed(storage: Storage, directory: str) -> bool:
    """Returns true for a directory of others, such as a trash, that this user may not list."""
    try:
        storage.children(directory)
    except CannotRead:
        return True
    return False


def _valid_lengths(storage: Storage, files: Sequence[FileInfo]) -> dict[str, int]:
    """Returns the recorded lengths of one directory, by the names of the measured files."""
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
    """Returns the longest name that another name contains after a prefix, and does not cut in a number.

    >>> _longest_in("_part-10.json.valid-length", {"part-1", "part-10.json"})
    'part-10.json'
    >>> _longest_in("_part-0-12.valid-length", {"part-0-1"})
    """
    for length in range(len(name) - 1, 0, -1):
        for start in range(1, len(name) - length + 1):
            end = start + length
            if name[start:end] in names and not _cuts_number(name, start) and not _cuts_number(name, end):
                return name[start:end]
    return None


def _cuts_number(name: str, at: int) -> bool:
    return at < len(name) and name[at - 1 : at + 1].isdigit()


def _decoded(content: bytes) -> int | None:
    """Decodes a string as Java's `DataInput.readUTF` does; returns `None` if the string is not a number.

    >>> _decoded(bytes([0, 3]) + b"128"), _decoded(b"crc"), _decoded(b"128")
    (128, None, None)
    """
    digits = content[2:]
    is_whole = int.from_bytes(content[:2], "big") == len(digits)
    return int(digits) if is_whole and digits.isascii() and digits.isdigit() else None
