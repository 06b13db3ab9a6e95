# SPDX-License-Identifier: Apache-2.0
"""The location of the jar."""

from __future__ import annotations

import os
import re
from pathlib import Path

from stoplog._shared.version import ARTIFACT, CHECKOUT, PACKAGE
from stoplog.errors import JarMissing

ENVIRONMENT_VARIABLE = "STOPLOG_JAR"
"""The environment variable with the path of a jar that replaces the package's own jar."""

# Excludes the jars of sources, documentation and tests in the same directory.
_MAIN_JAR = re.compile(re.escape(ARTIFACT) + r"-\d[\d.]*(-SNAPSHOT)?\.jar")


def find_jar(in_wheel: Path, in_checkout: Path) -> Path:
    """Returns the jar of the environment variable, else the wheel's jar, else the most recent build."""
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    if named:
        if not Path(named).is_file():
            raise JarMissing.at(named)
        return Path(named).resolve()
    for folder in (in_wheel, in_checkout):
        found = [file for file in folder.glob("*.jar") if _MAIN_JAR.fullmatch(file.name)]
        if found:
            return max(found, key=lambda file: file.stat().st_mtime)
    raise JarMissing.in_package(f"{in_wheel} or {in_checkout}")


def package_jar() -> Path:
    """Returns the jar of this package, from the installation or from the checkout."""
    return find_jar(PACKAGE / "jars", CHECKOUT / "scala-core" / "target" / "scala-2.13")
