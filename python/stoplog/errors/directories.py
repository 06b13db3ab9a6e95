# SPDX-License-Identifier: Apache-2.0
"""Errors about the directory of a sink and its log."""

from __future__ import annotations

from collections.abc import Sequence

from stoplog._text import redaction
from stoplog.errors.base import StoplogError


class CannotRead(StoplogError):
    """A directory cannot be read, or cannot be read with the installed packages or given options.

    >>> print(CannotRead("hdfs://a/b", "there is no such host", "Look at the address."))
    hdfs://a/b cannot be read: there is no such host. Look at the address.
    """

    def __init__(self, path: str, why: str, advice: str) -> None:
        super().__init__("STOPLOG_CANNOT_READ", f"{path} cannot be read: {why}. {advice}")

    @classmethod
    def of(cls, path: str, error: Exception) -> CannotRead:
        """Creates the error for a request that a file system rejected."""
        said = getattr(error, "strerror", None) or str(error) or type(error).__name__
        why = redaction.answer(said, path)
        return cls(path, why.rstrip(".\n"), "Check the path, its permissions and the options.")

    @classmethod
    def no_package(cls, path: str, scheme: str, package: str, *with_it: str) -> CannotRead:
        """Creates the error for a missing package: only local files need no optional packages."""
        why = f"{scheme}:// needs {package}, which is not installed"
        return cls(path, why, f"Run: pip install {' '.join((package, *with_it))}")

    @classmethod
    def no_libhdfs(cls, path: str, error: Exception) -> CannotRead:
        """Creates the error for a missing libhdfs: pyarrow accesses HDFS by Hadoop's native library."""
        advice = (
            "Set HADOOP_HOME and CLASSPATH so that libhdfs is found, or use the HTTP port of the name node: "
            "webhdfs://host:9870/…"
        )
        return cls(path, redaction.answer(str(error), path).splitlines()[0].rstrip("."), advice)

    @classmethod
    def option(cls, path: str, option: str, known: list[str]) -> CannotRead:
        """Creates the error for a `--fs-option` that the file system does not support."""
        return cls(path, f"its file system has no option '{option}'", f"Use one of: {', '.join(known)}.")

    @classmethod
    def with_keys(cls, scheme: str) -> CannotRead:
        """Creates the error for a bucket address with keys; the message omits the whole address."""
        advice = (
            "Pass the bucket without keys, and the keys as the options access_key and secret_key "
            "(--fs-option), or by the variables AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."
        )
        return cls(f"{scheme}://…", "the address of a bucket must not contain a user or a key", advice)


class NotFound(StoplogError):
    """A request for a sink, an epoch or a part that does not exist."""

    def __init__(self, message: str) -> None:
        super().__init__("STOPLOG_NOT_FOUND", message)


class WhichSink(StoplogError):
    """A request without a sink id, for a path with several sinks.

    >>> print(WhichSink("/data/out", ["a", "b"]))
    /data/out has several sinks: a, b. Select a sink by --sink-id, or by sink_id in Python.
    """

    def __init__(self, path: str, sink_ids: Sequence[str]) -> None:
        super().__init__(
            "STOPLOG_WHICH_SINK",
            f"{path} has several sinks: {', '.join(sink_ids)}. "
            "Select a sink by --sink-id, or by sink_id in Python.",
        )


class UnreadableRecord(StoplogError):
    """A record exists and cannot be used: `STOPLOG_RECORD_TORN`, `…_TOO_NEW` or `…_ELSEWHERE`.

    Attributes:
        problem: the reason.
    """

    def __init__(self, condition: str, path: str, problem: ValueError, advice: str) -> None:
        super().__init__(condition, f"The record {path} cannot be used: {problem}. {advice}")
        self.problem = problem
