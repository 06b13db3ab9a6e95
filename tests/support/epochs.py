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


def until_epoch(place: Place, epoch: int) -> None:
    """Until an epoch has been planned, and maybe more."""
    until("an epoch", lambda: _numbered(place.checkpoint / "offsets") > epoch)


def _numbered(folder: Path) -> int:
    return sum(file.name.isdigit() for file in folder.glob("*"))
