# SPDX-License-Identifier: Apache-2.0
"""Makes pipelines."""

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
    """The fixture `stoplog_pipeline`: called with a function, it makes a pipeline of it.

    Args:
        directory: under which each pipeline gets a directory of its own.
        lives: instead of processes, for tests of this package.
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
        """A pipeline in empty directories.

        Args:
            build: a function at the top of a module, `build(spark, source, sink, **arguments)`. It reads the
                directory `source`, writes to the directory `sink`, and returns the query's
                `DataStreamWriter`. Checkpoint and trigger are set for it, and it is started.
            arguments: further arguments of `build`, by name; anything that JSON can carry.
            conf: settings of Spark; the master is `local[2]` unless they set one. This package's jar is
                added.
            reader: from a finished file to its rows; by default by the file's suffix.
            limit_seconds: a life that takes longer is killed, and the test fails.

        Raises:
            TypeError: another process would not find `build` again, or not get `arguments`.
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
