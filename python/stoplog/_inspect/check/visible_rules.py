# SPDX-License-Identifier: Apache-2.0
"""What readers see beside what records have decided."""

from __future__ import annotations

from collections.abc import Iterator

from stoplog._inspect.check.facts import Facts, Visible
from stoplog._inspect.check.finding import Finding, FindingKind
from stoplog._inspect.check.rules import finding
from stoplog._inspect.names import is_hidden, part_name, uid_of
from stoplog._storage.files import join


def visible_findings(visible: Visible) -> Iterator[Finding]:
    """Of all sinks of the path."""
    for path, size_bytes in visible.parts.items():
        if size_bytes == 0:
            message = f"{path} has no bytes."
            yield finding(FindingKind.FINISHED_PART_EMPTY, message, path, None, _bucket(path))
    for name, directories in visible.directories_of.items():
        shown = ", ".join(directory or "the path itself" for directory in directories)
        message = f"{name} is in {shown}."
        path = join(directories[-1], name)
        yield finding(FindingKind.FINISHED_PART_DOUBLED, message, path, None, directories[-1])
    for file in visible.hidden:
        checked = file.name.removeprefix(".").removesuffix(".crc")
        if file.name == f".{checked}.crc" and part_name(checked) is not None:
            message = f"{file.path} is a checksum of {checked}."
            yield finding(FindingKind.CHECKSUM_FILE, message, file.path, None, file.directory)


def foreign_findings(visible: Visible) -> Iterator[Finding]:
    """Files of others between the parts."""
    for file in visible.foreign:
        if not is_hidden(file.path):
            message = f"{file.path} has no name that a sink gives."
            yield finding(FindingKind.FOREIGN_FILE, message, file.path, None, file.directory)


def number_findings(facts: Facts) -> Iterator[Finding]:
    """Files that the newest run cannot have written yet."""
    newest = facts.newest
    if newest is None or not newest.state.settings:
        return
    uid = uid_of(newest.run)
    for path in facts.visible.parts:
        if uid not in path:
            continue
        name = part_name(path.rpartition("/")[2])
        if name is None or name.uid != uid or name.merged or name.number < newest.state.next_part:
            continue
        message = (
            f"{path} has number {name.number}; its run has given out none above {newest.state.next_part - 1}."
        )
        yield finding(
            FindingKind.FINISHED_PART_UNKNOWN,
            message,
            path,
            facts.sink_id,
            _bucket(path),
            newest.state.last_epoch,
        )


def _bucket(path: str) -> str:
    return path.rpartition("/")[0]
