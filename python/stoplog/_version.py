# SPDX-License-Identifier: Apache-2.0
"""The one place that knows this package's version and the coordinate that belongs to it."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

from stoplog._shared import shared

ARTIFACT = "stoplog_2.13"
"""The jar's Maven name, with which its file's name begins."""

GROUP_AND_ARTIFACT = f"io.github.stoplog:{ARTIFACT}"
"""The jar's Maven coordinate without its version."""

SPARK_LINES: str = shared("core")["sparkLines"]
"""The lines of Spark on which the jar is tested."""

CHECKOUT = Path(__file__).resolve().parents[2]
"""The root of the source tree, when the package is used from one."""


def version() -> str:
    """The package's version, which is also its jar's.

    An installed package knows it from its metadata, one that is only on `PYTHONPATH` from the
    build beside it.

    >>> version()[0].isdigit()
    True
    """
    try:
        return metadata.version("stoplog")
    except metadata.PackageNotFoundError:
        return _built_version(CHECKOUT / "project" / "Versions.scala")


def coordinate() -> str:
    """The argument of `--packages`: group, artifact and version.

    >>> coordinate().startswith("io.github.stoplog:stoplog_2.13:")
    True
    """
    return f"{GROUP_AND_ARTIFACT}:{version()}"


def same_release(one: str, other: str) -> bool:
    """True if two versions name one release; Python and Maven write pre-releases differently.

    >>> same_release("0.2.0.dev1", "0.2.0-SNAPSHOT"), same_release("0.2.0", "0.2.1")
    (True, False)
    """
    return _release(one) == _release(other)


def _built_version(definition: Path) -> str:
    text = definition.read_text(encoding="utf-8") if definition.is_file() else ""
    found = re.search(r'val\s+stoplog\s*=\s*"([^"]+)"', text)
    return found.group(1) if found else "0+unknown"


def _release(text: str) -> str:
    found = re.match(r"\d+(\.\d+)*", text)
    return found.group() if found else text
