# SPDX-License-Identifier: Apache-2.0
"""Put the licence at the head of every source file, as one SPDX line.

usage: licence_headers.py [--check]     (with --check: name the files without it, and change nothing)

Covers what git knows of: Scala, sbt, Java, Python, and shell programs, which also go without an ending.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPDX = "SPDX-License-Identifier: Apache-2.0"
SIGNS = {".scala": "//", ".sbt": "//", ".java": "//", ".py": "#", ".sh": "#"}
_SHEBANG = "#!"
_OF_SHELLS = ("sh", "bash")


def main(arguments: list[str]) -> int:
    without = [file for file in sources(ROOT) if not has_header(file.read_text(encoding="utf-8"))]
    if arguments == ["--check"]:
        for file in without:
            print(f"{file.relative_to(ROOT)} does not say its licence: run scripts/licence_headers.py.")
        return 1 if without else 0
    for file in without:
        text = file.read_text(encoding="utf-8")
        file.write_text(with_header(text, str(sign(file))), encoding="utf-8")
    print(f"{len(without)} files got the line '{SPDX}'.")
    return 0


def sources(root: Path) -> list[Path]:
    """Every source file that git knows of or would take, links aside."""
    listed = subprocess.check_output(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, text=True
    )
    files = (root / name for name in listed.splitlines())
    return sorted(file for file in files if file.is_file() and not file.is_symlink() and sign(file))


def sign(file: Path) -> str | None:
    """What begins a comment in this file; `None` if it is no source."""
    return SIGNS.get(file.suffix) or ("#" if not file.suffix and _is_shell(file) else None)


def has_header(text: str) -> bool:
    """Whether one of the first two lines says it: the first may be a shebang."""
    return any(SPDX in line for line in text.splitlines()[:2])


def with_header(text: str, comment: str) -> str:
    """The text with the line at its head, behind a shebang.

    >>> with_header("package stoplog\\n", "//")
    '// SPDX-License-Identifier: Apache-2.0\\npackage stoplog\\n'
    >>> with_header("#!/bin/sh\\nset -eu\\n", "#")
    '#!/bin/sh\\n# SPDX-License-Identifier: Apache-2.0\\nset -eu\\n'
    """
    line = f"{comment} {SPDX}\n"
    if has_header(text):
        return text
    if text.startswith(_SHEBANG):
        shebang, _, rest = text.partition("\n")
        return f"{shebang}\n{line}{rest}"
    return line + text


def _is_shell(file: Path) -> bool:
    with file.open("rb") as opened:
        words = opened.readline().decode("utf-8", errors="replace").split()
    return bool(words) and words[0].startswith(_SHEBANG) and words[-1].rpartition("/")[2] in _OF_SHELLS


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
