# SPDX-License-Identifier: Apache-2.0
"""Write SHA256SUMS of all files of a folder, in the format that `sha256sum --check` reads.

usage: checksums.py FOLDER
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

NAME = "SHA256SUMS"


def write(folder: Path) -> Path:
    """Write the sums of all files below the folder, in the order of their paths."""
    sums = folder / NAME
    lines = (f"{digest}  {path}\n" for path, digest in of(folder).items())
    sums.write_text("".join(lines), encoding="utf-8")
    return sums


def of(folder: Path) -> dict[str, str]:
    """By path below the folder: the SHA-256 of the file's bytes."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file != folder / NAME)
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


if __name__ == "__main__":
    print(write(Path(sys.argv[1])))
