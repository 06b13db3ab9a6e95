# SPDX-License-Identifier: Apache-2.0
"""The version of this package and its Maven coordinate; the only definition of both."""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

from stoplog._shared.definitions import shared

ARTIFACT = "stoplog_2.13"
"""The jar's Maven artifact, which is also the prefix of the jar's file name."""

GROUP_AND_ARTIFACT = f"io.github.stoplog:{ARTIFACT}"
"""The jar's Maven coordinate without its version."""

SPARK_LINES: str = shared("core")["sparkLines"]
"""The Spark versions with which the jar is tested."""

SCALA_LINE = ARTIFACT.rpartition("_")[2]
"""The Scala version of the jars, which is also the Scala version of the supported Spark."""

OLDEST_PYTHON = "3.10"
"""The oldest Python that runs this package; `pyproject.toml` has the same."""

OLDEST_JAVA: int = shared("core")["oldestJava"]
"""The oldest Java that runs the jars."""

OLDEST_S3_HADOOP: str = shared("core")["oldestS3Hadoop"]
"""The oldest Hadoop whose S3A creates a file only if the file does not exist, which a sink on S3 needs."""

PACKAGE = Path(__file__).resolve().parents[1]
"""The directory of this package."""

CHECKOUT = PACKAGE.parents[1]
"""The root of the source tree, for a package in a checkout."""


def supported_pyspark(oldest_line: str | None = None) -> str:
    """Returns pip's requirement of the supported Spark versions.

    Args:
        oldest_line: the oldest line; by default the oldest line that the jar supports.

    >>> supported_pyspark("4.1").startswith("pyspark>=4.1,<4.")
    True
    """
    oldest, newest = SPARK_LINES.split(" to ")
    major, minor = newest.split(".")
    return f"pyspark>={oldest_line or oldest},<{major}.{int(minor) + 1}"


def version() -> str:
    """Returns the version of the package, which is also the version of the jar.

    An installed package reads the version from its metadata. A package on `PYTHONPATH` reads the version from
    the build in the checkout.

    >>> version()[0].isdigit()
    True
    """
    try:
        return metadata.version("stoplog")
    except metadata.PackageNotFoundError:
        return _built_version(CHECKOUT / "project" / "Versions.scala")


def coordinate() -> str:
    """Returns the argument of `--packages`: group, artifact and version.

    >>> coordinate().startswith("io.github.stoplog:stoplog_2.13:")
    True
    """
    return f"{GROUP_AND_ARTIFACT}:{version()}"


def same_release(one: str, other: str) -> bool:
    """Returns true if two versions are the same release; Python and Maven write pre-releases differently.

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
