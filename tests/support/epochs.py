# SPDX-License-Identifier: Apache-2.0
"""How far a query is, as Spark's own files in its checkpoint tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.wait import until

if TYPE_CHECKING:
    from pathlib import Path

    from support.place import Place


def committed(place: Place) -> int:
    """How many epochs Spark knows to be over."""
    return _numbered(place.checkpoint / "commits")


def planned(place: Place) -> int:
    """How many epochs Spark has begun."""
    return _numbered(place.checkpoint / "offsets")


def until_epoch(place: Place, epoch: int) -> None:
    """Until an epoch has been planned, and maybe more."""
    until("an epoch", lambda: planned(place) > epoch)


def _numbered(folder: Path) -> int:
    """By the newest file, since Spark drops old ones."""
    return max((int(file.name) + 1 for file in folder.glob("*") if file.name.isdigit()), default=0)
