# SPDX-License-Identifier: Apache-2.0
"""The files of the tables that receive the finished files of a sink, as the jar reads the tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from stoplog.errors import CannotRead


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """The newest announcement of a log that a table has.

    Attributes:
        seq: the record of the announcement.
        number: the place among the announcements of the record.
        identity: the identity of the log.
    """

    seq: int
    number: int
    identity: str

    @property
    def id(self) -> tuple[int, int]:
        return self.seq, self.number


@dataclass(frozen=True, slots=True)
class Table:
    """The newest version of a table.

    Attributes:
        target: the name of the target.
        files: the files below the sink's path, relative to the path; a file may occur twice.
        elsewhere: the number of files outside the path.
        removed: the files that commits of the sink have removed, as far as the table keeps its history.
        removed_by_others: the commit of another writer that has removed a file, by path.
        since_millis: the time of the oldest commit in the history; `None` if the history is complete.
        is_listed: true if a snapshot announcement has added all visible files of the path.
        positions: the positions by the names of logs.
    """

    target: str
    files: tuple[str, ...] = ()
    elsewhere: int = 0
    removed: frozenset[str] = frozenset()
    removed_by_others: Mapping[str, str] | None = None
    since_millis: int | None = None
    is_listed: bool = False
    positions: Mapping[str, Position] | None = None

    @property
    def subject(self) -> str:
        """Returns the subject of messages."""
        return f"The table of target {self.target}"

    def position(self, log: str) -> Position | None:
        return (self.positions or {}).get(log)

    def remover(self, path: str) -> str | None:
        """Returns the commit of another writer that has removed the file."""
        return (self.removed_by_others or {}).get(path)

    @property
    def known(self) -> set[str]:
        """Returns the files that the table has, or had."""
        return {*self.files, *self.removed, *(self.removed_by_others or {})}


def tables_of(answer: Mapping[str, Any], path: str) -> tuple[Table, ...]:
    """Returns the tables of a response of the jar.

    Raises:
        CannotRead: the jar cannot read a table.
    """
    return tuple(_table(each, path) for each in answer["tables"])


def _table(found: Mapping[str, Any], path: str) -> Table:
    target = str(found["target"])
    problem = found.get("problem")
    if problem is not None:
        why = f"its target {target} does not return the table ({str(problem).rstrip('.')})"
        advice = f"Correct the options announce.{target}.* and the jars, or repair the catalog."
        raise CannotRead(path, why, advice)
    positions = {
        str(each["log"]["name"]): Position(each["sequence"], each["number"], str(each["log"]["identity"]))
        for each in found["positions"]
    }
    content = found.get("content")
    if content is None:
        return Table(target, positions=positions)
    return Table(
        target,
        tuple(content["files"]),
        content["elsewhere"],
        frozenset(content["removed"]),
        content["removedByOthers"],
        content["sinceMillis"],
        content["isListed"],
        positions,
    )
