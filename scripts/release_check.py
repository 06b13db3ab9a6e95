# SPDX-License-Identifier: Apache-2.0
"""Check all of a release that a machine can check, and print what a person must do, with the exact commands.

usage: release_check.py            (all checks, by make)
       release_check.py --tag TAG  (whether a tag may be published: its version, and no placeholder)
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

from steps import ROOT

CHECKS = ("dist", "licences", "test-dist", "test-reproducible", "test-pythons", "test-spark-lines")
"""Targets of make. The Scala quick start runs on every line of Spark in the last of them."""

PAGE = ROOT / "docs" / "contributing" / "releasing.md"
SECTION = "## What a person does"


def main(words: list[str]) -> int:
    if words[:1] == ["--tag"]:
        problems = refusals(words[1])
        print("\n".join(problems) or "The tag may be published.")
        return 1 if problems else 0
    # In one call, because several of the targets build on the first.
    done = subprocess.run(["make", "--no-print-directory", "--keep-going", *CHECKS], cwd=ROOT, check=False)
    print(f"\n{steps()}", flush=True)
    if done.returncode:
        print("Some of the checks failed: see the lines of make that end with Error. Repair them first.")
    for problem in refusals(f"v{version()}"):
        print(f"Before the tag: {problem}")
    return 1 if done.returncode else 0


def refusals(tag: str) -> list[str]:
    """Reasons why a tag cannot be published."""
    problems = []
    if tag != f"v{version()}":
        problems.append(f"{tag} is not the tag of version {version()} in project/Versions.scala.")
    if is_placeholder(home()):
        problems.append(f"{home()} is a placeholder: set home in project/Versions.scala.")
    return problems


def steps() -> str:
    """What a person does, from the page, with this version and address."""
    text = PAGE.read_text(encoding="utf-8").partition(SECTION)[2]
    section = re.split(r"^## ", text, maxsplit=1, flags=re.MULTILINE)[0].strip()
    return section.replace("<version>", version()).replace("<home>", home())


def is_placeholder(address: str) -> bool:
    """Whether an address is in a domain that nobody can own (RFC 2606).

    >>> is_placeholder("https://a.example/b"), is_placeholder("https://a.dev/example")
    (True, False)
    """
    return (urlsplit(address).hostname or "").rpartition(".")[2] in ("example", "invalid", "test")


def version() -> str:
    return setting("stoplog")


def home() -> str:
    return setting("home")


def setting(name: str, versions: Path = ROOT / "project" / "Versions.scala") -> str:
    (value,) = re.findall(rf'val {name}\s*=\s*"([^"]+)"', versions.read_text(encoding="utf-8"))
    return str(value)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
