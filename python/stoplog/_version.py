"""The one place that knows this package's version and the coordinate that belongs to it."""

from __future__ import annotations

GROUP_AND_ARTIFACT = "io.github.stoplog:stoplog_2.13"
"""The jar's Maven coordinate without its version."""

SOURCE_TREE = "0+source"
"""The version of a package that was never installed, which therefore has no metadata to read it from."""


def version() -> str:
    """The installed package's version, the same as its jar's; `SOURCE_TREE` when it is not installed.

    >>> isinstance(version(), str)
    True
    """
    from importlib import metadata

    try:
        return metadata.version("stoplog")
    except metadata.PackageNotFoundError:
        return SOURCE_TREE


def coordinate() -> str:
    """What `--packages` needs: group, artifact and version.

    >>> coordinate().startswith("io.github.stoplog:stoplog_2.13:")
    True
    """
    return f"{GROUP_AND_ARTIFACT}:{version()}"
