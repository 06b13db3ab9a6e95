# SPDX-License-Identifier: Apache-2.0
"""The names of a sink's files, in the format of the jar."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stoplog._log.paths import hides
from stoplog._log.records import FinishedPart

_PART = re.compile(
    r"(?P<prefix>[^._].*)-(?P<uid>[0-9a-f]{12})-(?P<letter>[mr]?)(?P<number>\d+)(?P<suffix>\D.*)?",
    re.DOTALL,
)
_ENDS_IN_UUID = re.compile(r"(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}\Z")
_STAGED = re.compile(r"\.(?P<name>.+)\.inprogress\.(?P<uid>[0-9a-f]{12})-[0-9a-f]{16}", re.DOTALL)
_ON_S3 = re.compile(
    r"\.(?P<name>.+)\.(?P<uid>[0-9a-f]{12})-[0-9a-f]{16}(\.upload|\.tail.*|\.piece-.*|\..*)?", re.DOTALL
)
_SIDE = re.compile(r"(?P<name>.+)\.(?P<uid>[0-9a-f]{12})-[0-9a-f]{16}", re.DOTALL)
_REJECTED = "_rejected/"
_MARKER = re.compile(r"_SUCCESS(?:\.(\d+))?")


@dataclass(frozen=True, slots=True)
class PartName:
    """The name of a finished part: `<prefix>-<uid>-<letter><n><suffix>`.

    Attributes:
        uid: the short form of the run that started the part.
        letter: empty for added rows, `r` for rows that replace a partition, `m` for a compacted part.
    """

    prefix: str
    uid: str
    letter: str
    number: int
    suffix: str

    @property
    def merged(self) -> bool:
        """Returns true for a compacted part."""
        return self.letter == "m"


def part_name(name: str) -> PartName | None:
    """Parses the name of a part; returns `None` for a file without a sink's name.

    >>> part_name("part-6f1c2f3e8a4b-12.json.gz").number
    12
    >>> part_name("notes.txt") is None
    True
    """
    found = _PART.fullmatch(name)
    # Flink, Iceberg and Hudi number files after a whole UUID, whose last group looks like a run.
    if found is None or _ENDS_IN_UUID.search(found["prefix"]):
        return None
    return PartName(
        found["prefix"], found["uid"], found["letter"], int(found["number"]), found["suffix"] or ""
    )


def identity_of(path: str) -> str | None:
    """Returns the identity of a part: each visible copy has it, in any directory and with any suffix.

    Rejected rows are in parts with the same names as the parts of good rows, for other readers. Returns
    `None` for a file without a sink's name, and for a file that readers do not see.

    >>> identity_of("day=1/part-6f1c2f3e8a4b-12.json"), identity_of("b/part-6f1c2f3e8a4b-12 (1).json")
    ('6f1c2f3e8a4b-12', '6f1c2f3e8a4b-12')
    >>> identity_of("_rejected/part-6f1c2f3e8a4b-12.json"), identity_of("_old/part-6f1c2f3e8a4b-12.json")
    ('_rejected/6f1c2f3e8a4b-12', None)
    """
    top = _REJECTED if path.startswith(_REJECTED) else ""
    below = path.removeprefix(top)
    found = part_name(below.rpartition("/")[2])
    return None if found is None or is_hidden(below) else f"{top}{found.uid}-{found.letter}{found.number}"


def finished_name_of(unfinished: str) -> str | None:
    """Returns the final name of an unfinished file in the staging directory.

    >>> finished_name_of(".part-6f1c2f3e8a4b-3.json.inprogress.6f1c2f3e8a4b-00112233445566ad")
    'part-6f1c2f3e8a4b-3.json'
    """
    found = _STAGED.fullmatch(unfinished) or _ON_S3.fullmatch(unfinished) or _SIDE.fullmatch(unfinished)
    return found["name"] if found else None


def marker_version(name: str) -> int | None:
    """Returns the version of a marker of a complete bucket, from 1.

    `None` if the name is not a marker's name.

    >>> marker_version("_SUCCESS"), marker_version("_SUCCESS.2"), marker_version("_SUCCESS.crc")
    (1, 2, None)
    """
    found = _MARKER.fullmatch(name)
    return None if found is None else int(found[1] or 1)


def is_hidden(path: str) -> bool:
    """Returns true if readers ignore the file or one of its directories.

    >>> is_hidden("day=1/a.json"), is_hidden("day=1/_SUCCESS"), is_hidden("_rejected/a.json")
    (False, True, True)
    """
    return any(map(hides, path.split("/")))


def uid_of(run: str) -> str:
    """Returns the short form of a run for file names.

    >>> uid_of("6f1c2f3e-8a4b-4c5d-9e6f-0a1b2c3d4e5f")
    '6f1c2f3e8a4b'
    """
    return run.replace("-", "")[:12]


def is_replaced_file(part: FinishedPart, size_bytes: int) -> bool:
    """Returns true if a file at the path of a replaced file is the replaced file.

    No other part ever has the name of a part. Another program may reuse the name of its own file for new
    rows, so only a file with the recorded length is the replaced file.
    """
    return part_name(part.name) is not None or size_bytes == part.size_bytes
