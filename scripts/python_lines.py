# SPDX-License-Identifier: Apache-2.0
"""Try the wheel on every line of Python that its metadata names: modules, a user's types, command line.

usage: python_lines.py WHEEL [LINE ...]     (as 3.14; without lines: all those that are on this machine)
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "python" / "tests"


def main(wheel: Path, only: list[str]) -> int:
    """A line that was asked for by name has to be there."""
    said = {line: on_line(line, wheel, required=line in only) for line in only or lines()}
    for line, words in said.items():
        print(f"Python {line}: {words}")
    return 1 if any(words.startswith("failed") for words in said.values()) else 0


def lines() -> list[str]:
    """Those of the classifiers."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return re.findall(r'"Programming Language :: Python :: (3\.\d+)"', text)


def on_line(line: str, wheel: Path, *, required: bool) -> str:
    python = interpreter(line)
    if python is None:
        return f"{'failed' if required else 'not run'}: there is no python{line} on this machine"
    with tempfile.TemporaryDirectory(prefix="stoplog-python-") as folder:
        try:
            try_out(line, python, Path(folder), wheel)
        except subprocess.CalledProcessError as error:
            return f"failed: {error}"
    return "passed"


def interpreter(line: str) -> Path | None:
    """The newest of pyenv's, or that on the path."""
    found = sorted(Path.home().glob(f".pyenv/versions/{line}.*/bin/python{line}"))
    on_path = shutil.which(f"python{line}")
    return found[-1] if found else Path(on_path) if on_path else None


def try_out(line: str, python: Path, folder: Path, wheel: Path) -> None:
    """In an empty environment, away from the checkout.

    Raises:
        subprocess.CalledProcessError: something is wrong; it has said what on its standard error.
    """
    run(folder, python, "-m", "venv", "environment")
    own = folder / "environment" / "bin" / "python"
    pip = (own, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(folder, *pip, "--no-deps", "--no-index", str(wheel.resolve()))
    run(folder, own, "-W", "error", "-X", "dev", str(TESTS / "on_this_python.py"))
    mypy = (
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--no-error-summary",
        "--cache-dir",
        str(folder / "mypy"),
    )
    of_line = ("--python-executable", str(own), "--python-version", line)
    run(folder, *mypy, *of_line, str(TESTS / "user_script.py"))


def run(folder: Path, *command: str | Path) -> None:
    subprocess.run(command, cwd=folder, check=True)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
