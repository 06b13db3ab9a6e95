# SPDX-License-Identifier: Apache-2.0
"""Creates pipelines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from stoplog.testing._process import ChildProcesses, FunctionName, ProcessRun, ProcessRunner
from stoplog.testing.pipeline import Build, Pipeline, checked
from stoplog.testing.rows import Reader, by_suffix

_HANGS_SECONDS = 300.0


class PipelineFactory:
    """The fixture `stoplog_pipeline`, which creates a pipeline from a function.

    Args:
        directory: the parent directory of the pipelines' directories.
        lives: a replacement for processes, for tests of this package.
    """

    def __init__(self, directory: Path, lives: ProcessRunner | None = None) -> None:
        self._roots: Iterator[Path] = (directory / f"pipeline-{number}" for number in count(1))
        self._lives = lives

    def __call__(
        self,
        build: Build,
        *,
        arguments: Mapping[str, Any] | None = None,
        conf: Mapping[str, str] | None = None,
        reader: Reader = by_suffix,
        limit_seconds: float = _HANGS_SECONDS,
    ) -> Pipeline:
        """Creates a pipeline in empty directories.

        Args:
            build: a function at the top level of a module, `build(spark, source, sink, **arguments)`. The
                function reads the directory `source`, writes to the directory `sink`, and returns the query's
                `DataStreamWriter`. The pipeline sets the checkpoint and the trigger, and starts the query.
            arguments: further arguments of `build`, by name; any values that JSON supports.
            conf: Spark settings; the default master is `local[2]`. This package's jar is added.
            reader: a function from a finished file to its rows; by default chosen by the file's suffix.
            limit_seconds: the time limit of a process; a longer run is killed, and the test fails.

        Raises:
            TypeError: another process could not find `build`, or not receive `arguments`.
        """
        life = ProcessRun(
            build=FunctionName.of(build),
            arguments=checked(arguments or {}),
            conf=dict(conf or {}),
            source="",
            sink="",
            checkpoint="",
            trigger={"availableNow": True},
        )
        return Pipeline(next(self._roots), life, reader, self._lives or ChildProcesses(limit_seconds))

    def __repr__(self) -> str:
        return "stoplog_pipeline"
