# SPDX-License-Identifier: Apache-2.0
"""Refuse a jar that is not what users are promised: small, its own, without dependencies, of one version.

usage: check_jar.py JAR POM VERSION
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path

MAX_JAR_BYTES = 6_900_000  # see docs/correctness/decisions/0018-one-jar.md
MAVEN = "{http://maven.apache.org/POM/4.0.0}"
PROVIDED_SPARK = ("org.apache.spark", "provided")


def main(jar: Path, pom: Path, version: str) -> list[str]:
    """Return every broken promise as a sentence; none when all is well."""
    return [*too_large(jar), *foreign_classes(jar), *other_version(jar, version), *dependencies(pom)]


def too_large(jar: Path) -> list[str]:
    size = jar.stat().st_size
    return [f"{jar.name} has {size} bytes, over {MAX_JAR_BYTES}."] if size > MAX_JAR_BYTES else []


def foreign_classes(jar: Path) -> list[str]:
    """A library that slipped in: users may have it in another version beside the jar."""
    with zipfile.ZipFile(jar) as archive:
        names = [name for name in archive.namelist() if name.endswith(".class")]
    foreign = [name for name in names if not name.startswith("stoplog/")]
    return [f"{jar.name} bundles {foreign[0]}, a class outside of stoplog/."] if foreign else []


def other_version(jar: Path, version: str) -> list[str]:
    with zipfile.ZipFile(jar) as archive:
        lines = archive.read("stoplog/version.properties").decode().splitlines()
    found = dict(line.split("=", 1) for line in lines)["version"]
    return [f"{jar.name} says version {found}, Python says {version}."] if found != version else []


def dependencies(pom: Path) -> list[str]:
    """Whatever `--packages` would fetch besides the jar: all but the Spark that the user provides."""
    return [
        f"{pom.name} depends on {dependency.findtext(f'{MAVEN}artifactId')}, which is not a provided Spark."
        for dependency in ElementTree.parse(pom).iter(f"{MAVEN}dependency")
        if (dependency.findtext(f"{MAVEN}groupId"), dependency.findtext(f"{MAVEN}scope")) != PROVIDED_SPARK
    ]


if __name__ == "__main__":
    problems = main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
    sys.exit("\n".join(problems) or None)
