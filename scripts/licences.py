# SPDX-License-Identifier: Apache-2.0
"""List the licences of everything that a release ships or needs, and refuse those that users cannot accept.

usage: licences.py DIST

The release ships its own classes and files only. Its bills of materials name the libraries that come with it.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from steps import ROOT

OWN = "LICENSE"
ACCEPTED = {
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "EPL-1.0",
    "EPL-2.0",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Public Domain",
}
"""Licences, by SPDX, under which a library may be used in software of any licence."""

NAMES = {
    "Apache License, Version 2.0": "Apache-2.0",
    "The Apache License, Version 2.0": "Apache-2.0",
    "The Apache Software License, Version 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "BSD": "BSD-3-Clause",
    "CC0": "CC0-1.0",
    "MIT License": "MIT",
    "The MIT License": "MIT",
}
"""Names in POMs that are no identifiers of SPDX."""


@dataclass(frozen=True, slots=True)
class Library:
    """A library that an artifact of the release needs. The user may choose one of its licences."""

    name: str
    version: str
    licences: frozenset[str]

    @property
    def is_accepted(self) -> bool:
        return bool(self.licences & ACCEPTED)

    def __str__(self) -> str:
        return f"{self.name} {self.version}: {' or '.join(sorted(self.licences)) or 'no licence'}"


def main(dist: Path) -> int:
    libraries = sorted({each for bill in bills(dist) for each in libraries_of(bill)}, key=str)
    print("\n".join(map(str, libraries)))
    problems = [
        *(f"{each}: nobody has accepted this licence." for each in libraries if not each.is_accepted),
        *without_licence(dist),
    ]
    print("\n".join(problems) or f"{len(libraries)} libraries, and all licences are accepted.", flush=True)
    return 1 if problems else 0


def bills(dist: Path) -> Iterator[Mapping[str, Any]]:
    """The bills of materials of the jars. The wheel carries a copy of one of them."""
    for file in sorted((dist / "repo").rglob("*-cyclonedx.json")):
        yield json.loads(file.read_text(encoding="utf-8"))


def libraries_of(bill: Mapping[str, Any]) -> Iterator[Library]:
    """The components of other projects: the archives of the release are checked for the licence itself."""
    own = bill["metadata"]["component"]["group"]
    for component in bill.get("components", []):
        if component.get("group") == own:
            continue
        found = component.get("licenses", [])
        names = {
            name
            for each in found
            for name in (each.get("expression") or named(each["license"])).split(" OR ")
        }
        group = component.get("group")
        yield Library(
            f"{group}:{component['name']}" if group else component["name"],
            component["version"],
            frozenset(NAMES.get(name, name) for name in names),
        )


def named(licence: Mapping[str, str]) -> str:
    return licence.get("id") or licence["name"]


def without_licence(dist: Path) -> Iterator[str]:
    """Archives of the release that lack the project's licence, or carry another text."""
    text = (ROOT / OWN).read_bytes()
    for archive in sorted([*dist.glob("*.whl"), *(dist / "repo").rglob("*.jar")]):
        with zipfile.ZipFile(archive) as opened:
            own = [name for name in opened.namelist() if Path(name).name == OWN]
            if not any(opened.read(name) == text for name in own):
                yield f"{archive.name} lacks the licence of the project."


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
