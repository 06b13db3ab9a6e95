# SPDX-License-Identifier: Apache-2.0
"""Runs the jar's tools in a plain JVM, without a Spark session: one JSON request and one JSON response."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from stoplog._jvm.artifact import package_jar
from stoplog._jvm.installation import configuration_path, java_command, spark_jars
from stoplog.errors import ToolFailed

Runner = Callable[[Sequence[str], str], tuple[int, str, str]]
"""Runs a command line with a standard input; returns the exit status, standard output and standard error."""

Watch = Callable[[int, int], None]
"""Called with the number of finished units and of all units; the latter is 0 if unknown."""

_MAIN = "stoplog.admin.Main"


@dataclass(frozen=True, slots=True)
class Jvm:
    """The locations of Java and of the jars.

    Attributes:
        jars: additional jars, such as hadoop-aws and its dependencies for s3a.
        hadoop: settings of Hadoop's file systems, such as fs.s3a.endpoint.
    """

    jars: tuple[str, ...] = ()
    hadoop: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if isinstance(self.jars, str):
            raise TypeError(f"jars is a tuple of paths: write ({self.jars!r},)")

    def ask(
        self, request: Mapping[str, object], runner: Runner | None = None, watch: Watch | None = None
    ) -> dict[str, object]:
        """Returns the tool's response to a request.

        Args:
            request: the command and its arguments.
            runner: runs the command line, instead of a process.
            watch: called when the tool reports its progress.

        Raises:
            ToolFailed: the tool reported an error, or Java, Spark's jars or the response are missing.
        """
        complete = dict(request)
        if self.hadoop:
            complete["hadoop"] = dict(self.hadoop)
        if runner is None:
            status, answer, errors = _run(self.command(), json.dumps(complete), watch)
        else:
            status, answer, errors = runner(self.command(), json.dumps(complete))
        try:
            # No splitlines: splitlines also splits at characters that bucket names may contain.
            found = json.loads(answer.strip().rpartition("\n")[2])
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise ToolFailed("STOPLOG_TOOL_FAILED", _no_answer(status, errors))
        error = found.get("error")
        if isinstance(error, dict):
            condition, message = str(error.get("condition")), _sentence(str(error.get("message")))
            if not condition.startswith("STOPLOG_"):  # the class name of an error without a condition
                condition, message = "STOPLOG_TOOL_FAILED", f"{condition}: {message}"
            raise ToolFailed(condition, message)
        return found

    def command(self) -> list[str]:
        """Returns the command line; finds Java, the jars and the configuration as pyspark does."""
        missing = [jar for jar in self.jars if not Path(jar).is_file()]
        if missing:
            raise ToolFailed("STOPLOG_TOOL_INCOMPLETE", f"There is no jar at {', '.join(missing)}.")
        entries = [str(spark_jars() / "*"), str(package_jar()), *self.jars, *configuration_path()]
        return [java_command(), "-Xss4m", *_OPENINGS, "-cp", os.pathsep.join(entries), _MAIN]


_OPENINGS = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    "--add-opens=java.base/java.lang=ALL-UNNAMED",
    "--add-opens=java.base/java.nio=ALL-UNNAMED",
    "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
    "--add-opens=java.base/java.util=ALL-UNNAMED",
)
"""The packages that Spark's launcher opens to its libraries, limited to the needs of the formats."""


def _run(command: Sequence[str], text: str, watch: Watch | None) -> tuple[int, str, str]:
    # A file, because a pipe that nobody reads would stop the tool.
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        try:
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                encoding="utf-8",
                errors="replace",
                env=_named(),
            )
        except OSError as error:
            raise ToolFailed(
                "STOPLOG_TOOL_INCOMPLETE",
                f"{command[0]} cannot be run: {error.strerror}. Install Java 17 or set JAVA_HOME.",
            ) from None
        with process:
            _send(process, text)
            answer = _answer(process, watch)
        errors.seek(0)
        return process.returncode, answer, errors.read()


def _send(process: subprocess.Popen[str], text: str) -> None:
    with suppress(BrokenPipeError):  # the tool has ended; its status and output have the reason
        assert process.stdin is not None
        process.stdin.write(text)
        process.stdin.close()


def _answer(process: subprocess.Popen[str], watch: Watch | None) -> str:
    """Returns the output of the tool without the lines of its progress."""
    kept = []
    for line in process.stdout or ():
        if not line.startswith(_PROGRESS):
            kept.append(line)
        elif watch:
            found = json.loads(line)["progress"]
            watch(int(found["done"]), int(found["total"]))
    return "".join(kept)


_PROGRESS = '{"progress":'


def _named() -> dict[str, str]:
    """Returns an environment in which Java supports non-ASCII file names, as Python always does."""
    plain = os.environ.get("LC_ALL") in ("C", "POSIX")
    return {**os.environ, "LC_ALL": "C.UTF-8"} if plain else dict(os.environ)


def _no_answer(status: int, errors: str) -> str:
    said = " ".join(errors.strip().splitlines()[-5:])
    return f"The tool ended with status {status} and without a result. Its output: {said or 'none'}"


def _sentence(message: str) -> str:
    """Returns the message without the leading condition and the trailing SQLSTATE."""
    text = message.strip()
    if text.startswith("["):
        text = text.partition("] ")[2]
    return text.rpartition(" SQLSTATE: ")[0] or text
