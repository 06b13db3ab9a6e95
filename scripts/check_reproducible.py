# SPDX-License-Identifier: Apache-2.0
"""Build a release once more, from a copy of the sources in another place, and compare every byte.

usage: check_reproducible.py DIST

The copy has what git knows of the checkout, with its changes, and shares the environments of `make` with it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import checksums
from steps import ROOT

SHARED = (".venv-build", ".venv-dist", ".cache/sbt")
STAMPS = ("build-tools", "dist-tools")
NAMED = 5


def main(dist: Path) -> int:
    """Print each file that differs, with what in it differs."""
    with tempfile.TemporaryDirectory(prefix="reproducible-") as place:
        copy = Path(place) / "somewhere" / "else"
        copy_sources(copy)
        subprocess.run(["make", "--no-print-directory", "dist"], cwd=copy, check=True)
        problems = differences(dist, copy / "dist")
    print("\n".join(problems) or "Both builds have the same bytes.", flush=True)
    return 1 if problems else 0


def copy_sources(copy: Path) -> None:
    listed = subprocess.check_output(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, text=True
    )
    for name in filter(lambda each: (ROOT / each).is_file(), listed.splitlines()):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, copy / name, follow_symlinks=False)
    for shared in SHARED:
        (copy / shared).parent.mkdir(parents=True, exist_ok=True)
        (copy / shared).symlink_to(ROOT / shared)
    stamps = copy / ".cache" / "stamps"
    stamps.mkdir(parents=True)
    for stamp in STAMPS:
        (stamps / stamp).touch()


def differences(one: Path, other: Path) -> list[str]:
    """A sentence for each file that only one has, or that differs."""
    here, there = checksums.of(one), checksums.of(other)
    return [
        f"{path} differs{inside(one / path, other / path)}."
        for path in sorted(here.keys() | there.keys())
        if here.get(path) != there.get(path)
    ]


def inside(one: Path, other: Path) -> str:
    """Which members of two archives differ."""
    if not (one.is_file() and other.is_file() and zipfile.is_zipfile(one) and zipfile.is_zipfile(other)):
        return ""
    with zipfile.ZipFile(one) as here, zipfile.ZipFile(other) as there:
        ours, theirs = ({each.filename: each.CRC for each in archive.infolist()} for archive in (here, there))
    names = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
    return (
        f" in {len(names)} members: {', '.join(names[:NAMED])}"
        if names
        else " in the order or times of its members"
    )


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
