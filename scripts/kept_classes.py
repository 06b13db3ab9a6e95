# SPDX-License-Identifier: Apache-2.0
"""Classes of the last run of all tests that passed on this machine, for clones that have compiled nothing.

A clone that begins with them compiles what differs: sbt's compiler notes with its classes what each source,
library and setting was, and compiles anew whatever is not the same. Without a cache all is compiled.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

TARGET = "target"
# Of the clone that made them: reports of a run, packed jars, and the address of its sbt server.
LEFT_OUT = ("test-reports", "*.jar", "*.pom", "active.json")


def default_place() -> Path:
    """Where caches go on this machine."""
    cache = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(cache) / "stoplog" / "classes"


def keep(root: Path, projects: Iterable[str], place: Path) -> None:
    """Keeps the classes of these projects in place of those that are kept.

    Args:
        root: of the checkout.
        projects: directories below it.
        place: where they are kept; it comes into being as a whole.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f"{place.name}-", dir=place.parent))
    try:
        for project in projects:
            if (root / project / TARGET).is_dir():
                copy(root / project / TARGET, draft / project / TARGET)
        shutil.rmtree(place, ignore_errors=True)
        draft.rename(place)
    except OSError:  # another run was faster, or the disk is full: a cache is no reason to fail
        shutil.rmtree(draft, ignore_errors=True)


def bring(root: Path, projects: Iterable[str], place: Path) -> bool:
    """Gives a checkout that has compiled none of these projects the kept classes; answers whether it did."""
    names = list(projects)
    if not place.is_dir() or any((root / project / TARGET).exists() for project in names):
        return False
    try:
        for project in names:
            if (place / project / TARGET).is_dir():
                copy(place / project / TARGET, root / project / TARGET)
    except OSError:  # another run replaces them right now: half of them would be worse than none
        for project in names:
            shutil.rmtree(root / project / TARGET, ignore_errors=True)
        return False
    return True


def copy(source: Path, target: Path) -> None:
    """With the times of files, by which the compiler knows its classes and libraries."""
    shutil.copytree(source, target, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT))
