# SPDX-License-Identifier: Apache-2.0
"""What goes wrong while reading."""

from __future__ import annotations

from stoplog.errors import StoplogError


class CannotRead(StoplogError):
    """A directory cannot be read, or not with what is installed or given.

    >>> print(CannotRead("hdfs://a/b", "there is no such host", "Look at the address."))
    hdfs://a/b cannot be read: there is no such host. Look at the address.
    """

    def __init__(self, path: str, why: str, advice: str) -> None:
        super().__init__("STOPLOG_CANNOT_READ", f"{path} cannot be read: {why}. {advice}")

    @classmethod
    def of(cls, path: str, error: Exception) -> CannotRead:
        """What a file system refused."""
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return cls(path, why.rstrip(".\n"), "Look at the path, the rights to it, and the options given.")

    @classmethod
    def no_package(cls, path: str, scheme: str, package: str, *with_it: str) -> CannotRead:
        """Anything but local files is read by packages that are not dependencies."""
        why = f"{scheme}:// needs {package}, which is not installed"
        return cls(path, why, f"Run: pip install {' '.join((package, *with_it))}")

    @classmethod
    def no_libhdfs(cls, path: str, error: Exception) -> CannotRead:
        """pyarrow reaches HDFS by Hadoop's native library."""
        advice = (
            "Set HADOOP_HOME and CLASSPATH so that libhdfs is found, or name the directory by the address of "
            "the name node's HTTP port: webhdfs://host:9870/…"
        )
        return cls(path, str(error).splitlines()[0].rstrip("."), advice)

    @classmethod
    def option(cls, path: str, option: str, known: list[str]) -> CannotRead:
        """A `--fs-option` that the file system does not know."""
        return cls(path, f"its file system has no option '{option}'", f"Use one of: {', '.join(known)}.")
