# SPDX-License-Identifier: Apache-2.0
"""What must hold of the announcements that a receiver has, whichever process has died."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from support.finished import files

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Announced:
    """One announcement.

    Args:
        log: the name and the identity of its log.
        place: its sequence and its number in the log, and the number of the row in a table with a row a file.
        paths: of its files.
    """

    log: tuple[str, str]
    place: tuple[int, ...]
    paths: tuple[str, ...]

    @classmethod
    def of(cls, event: dict[str, Any]) -> Announced:
        """From the JSON of an announcement."""
        paths = tuple(file["path"] for file in event["files"])
        return cls((event["log"], event["identity"]), (event["sequence"], event["number"]), paths)


def assert_in_order(all_of_them: Iterable[Announced]) -> None:
    """Repetitions aside, the announcements of each log came in the order of the log."""
    newest: dict[tuple[str, str], tuple[int, ...]] = {}
    for one in dict.fromkeys(all_of_them):
        assert one.place > newest.get(one.log, ()), f"{one} came late"
        newest[one.log] = one.place


def assert_complete(all_of_them: Iterable[Announced], out: Path) -> None:
    """Each visible file is in one announcement, and no other file is in any. Repetitions do not matter."""
    once = list(dict.fromkeys(all_of_them))
    assert_in_order(once)
    announced = Counter(path for one in once for path in one.paths)
    visible = Counter(str(file.relative_to(out)) for file in files(out))
    assert announced == visible, f"missing: {visible - announced}; too many: {announced - visible}"
