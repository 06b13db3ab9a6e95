# SPDX-License-Identifier: Apache-2.0
"""A user's pipeline under test."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from stoplog.testing._difference import Difference, Key, difference
from stoplog.testing._input import Input
from stoplog.testing._log import committed_epochs
from stoplog.testing._process import End, FunctionName, OutOfTime, ProcessRun, ProcessRunner
from stoplog.testing.rows import Reader, Row, files
from stoplog.testing.steps import Step

if TYPE_CHECKING:
    from pyspark.sql.streaming.readwriter import DataStreamWriter

Build: TypeAlias = "Callable[..., DataStreamWriter]"
"""`build(spark, source, sink, **arguments)`: returns the query of a pipeline before the query is started."""

Expected: TypeAlias = "Iterable[Row] | Callable[[Sequence[Row]], Iterable[Row]] | None"
"""The expected rows; or a function from the fed rows to the expected rows; or `None` for the fed rows."""

# Steps between two micro-batches need a query that waits for more input.
_BY_CLOCK = (Step.BEFORE_ROLL,)
_TAKE_ALL: Mapping[str, Any] = {"availableNow": True}
_GO_ON: Mapping[str, Any] = {"processingTime": "0 seconds"}


class PipelineFailed(Exception):
    """The pipeline's process failed with its own error, or exceeded its time limit."""


class NotReached(AssertionError):
    """The pipeline ended successfully before the step at which it should be killed."""


class Pipeline:
    """A pipeline on local directories, which can be killed and restarted.

    Created by the fixture `stoplog_pipeline`. Each life is a separate process, with its own session and JVM,
    and with the trigger `availableNow`: the process reads all available input, and ends.
    """

    def __init__(self, root: Path, first: ProcessRun, reader: Reader, lives: ProcessRunner) -> None:
        self._root = root
        self._next = replace(
            first, source=str(self.source), sink=str(self.sink), checkpoint=str(self.checkpoint)
        )
        self._reader = reader
        self._live = lives
        self._number = 0
        self._input = Input(self.source)

    @property
    def root(self) -> Path:
        """Returns the directory of all files of this pipeline."""
        return self._root

    @property
    def source(self) -> Path:
        """Returns the input directory."""
        return self._root / "in"

    @property
    def sink(self) -> Path:
        """Returns the output directory."""
        return self._root / "out"

    @property
    def checkpoint(self) -> Path:
        """Returns the directory of the query's progress."""
        return self._root / "checkpoint"

    @property
    def fed(self) -> tuple[Row, ...]:
        """Returns all fed rows, in order.

        Raises:
            ValueError: files were fed, whose rows are unknown.
        """
        return self._input.rows

    def feed(self, rows: Iterable[Row]) -> None:
        """Adds an input file, which appears atomically.

        Args:
            rows: lines of text, or records, which are written as lines of JSON.

        Raises:
            TypeError: the argument is a single row instead of several rows.
            ValueError: a line contains a line break.

        Example:
            pipeline.feed(["a", "b"])
            pipeline.feed([{"id": 1}, {"id": 2}])
        """
        self._input.add(rows)

    def feed_file(self, file: Path) -> None:
        """Adds a copy of a file in any format; assertions then need `expected`."""
        self._input.copy(file)

    def run(self) -> None:
        """Runs the process to its end, so that finished files contain all input.

        Raises:
            PipelineFailed: the process ended with an error.
        """
        end = self._start(self._next)
        if end.code != 0:
            raise self._failed(end)

    def kill_at(self, step: Step, occurrence: int = 1) -> None:
        """Runs a process that dies at a step, as by `kill -9`.

        Args:
            step: the step at which the process dies.
            occurrence: the number of the occurrence of the step, from 1.

        Raises:
            NotReached: the process read all input and ended before this occurrence of the step.
            PipelineFailed: the process ended with its own error.

        Example:
            pipeline.kill_at(Step.MID_PUBLISH, occurrence=3)
        """
        if occurrence < 1:
            raise ValueError(f"occurrence is {occurrence}; the first is 1")
        trigger = _GO_ON if step in _BY_CLOCK else _TAKE_ALL
        end = self._start(replace(self._next, trigger=trigger, fault=f"{step.value}:{occurrence}:halt"))
        if end.code == 0:
            raise NotReached(
                f"The pipeline read all input and ended, and did not reach {step.value} ({step.after}) "
                f"{occurrence} times. Feed more input, use an earlier occurrence, or set the option of "
                "this step."
            )
        if not end.is_kill:
            raise self._failed(end)

    def kill_9(self, after_epochs: int = 1) -> None:
        """Runs a process and kills it by a real `kill -9` after the process has committed some epochs.

        The exact moment of the kill differs from run to run.

        Args:
            after_epochs: the number of epochs (micro-batches) that the log gains in this process.

        Raises:
            NotReached: the process ended earlier.
            PipelineFailed: the process ended with its own error.
        """
        if after_epochs < 1:
            raise ValueError(f"after_epochs is {after_epochs}; the minimum is 1")
        enough = committed_epochs(self.sink) + after_epochs
        end = self._start(self._next, lambda: committed_epochs(self.sink) >= enough)
        if end.code == 0:
            raise NotReached(
                f"The pipeline ended before it could be killed after {after_epochs} epochs. Feed more files, "
                "and limit the files of a micro-batch (maxFilesPerTrigger)."
            )
        if not end.is_kill:
            raise self._failed(end)

    def deploy(
        self,
        build: Build | None = None,
        *,
        arguments: Mapping[str, Any] | None = None,
        conf: Mapping[str, str] | None = None,
    ) -> None:
        """Changes code or settings from the next process on; directories and other settings are kept."""
        self._next = replace(
            self._next,
            build=self._next.build if build is None else FunctionName.of(build),
            arguments=self._next.arguments if arguments is None else checked(arguments),
            conf=self._next.conf if conf is None else dict(conf),
        )

    def files(self) -> list[Path]:
        """Returns the finished files that any reader of the directory finds."""
        return files(self.sink)

    def visible(self) -> list[Row]:
        """Returns the rows of the finished files."""
        return [row for row, _ in self._found()]

    def assert_each_once(self, expected: Expected = None, key: Key = None) -> None:
        """Asserts that the finished files contain each row exactly once, and no other rows.

        Args:
            expected: the rows, or a function from the fed rows to the expected rows; by default the fed rows.
            key: a column, several columns, or a function of a row, by which rows are compared; by default the
                whole row. A line of text is its own key.

        Raises:
            AssertionError: rows are lost, repeated or unexpected; the message lists the rows and their files.

        Example:
            pipeline.assert_each_once(key="id")
            pipeline.assert_each_once(expected=lambda fed: [row for row in fed if row["ok"]])
        """
        __tracebackhide__ = True
        found = self._difference(expected, key)
        if not found.is_none:
            raise AssertionError(self._told("Not every row is visible exactly once", found))

    def assert_none_twice(self, expected: Expected = None, key: Key = None) -> None:
        """Asserts that no row is visible twice, an invariant at any time; rows may still be hidden.

        Args:
            expected: as in `assert_each_once`: all allowed rows.
            key: see `assert_each_once`.

        Raises:
            AssertionError: rows are repeated or unexpected.
        """
        __tracebackhide__ = True
        found = replace(self._difference(expected, key), lost=())
        if not found.has_no_surplus:
            raise AssertionError(self._told("Readers see unexpected or repeated rows", found))

    def survives(
        self,
        batch: Callable[[int], Iterable[Row]],
        steps: Iterable[Step] = Step.sample(),
        expected: Expected = None,
        key: Key = None,
    ) -> None:
        """Asserts that the pipeline survives a crash at each of several steps.

        For each step, the pipeline is fed, killed at the step, and checked. Finally, the pipeline is fed
        again and runs to its end, and each row must be visible exactly once.

        Args:
            batch: returns the rows of the n-th file, from 0, with different rows for each number.
            steps: the steps of the crashes; each step needs a process, which takes seconds. `Step.always()`
                is thorough.
            expected: as in `assert_each_once`.
            key: see `assert_each_once`.

        Raises:
            AssertionError: a row is lost, repeated or unexpected; or a step was not reached.
            PipelineFailed: a process ended with its own error.

        Example:
            pipeline.survives(lambda number: [f"{number}-{row}" for row in range(100)])
        """
        __tracebackhide__ = True
        if expected is not None and not callable(expected):
            expected = list(expected)  # the first comparison would exhaust a generator
        number = 0
        for step in steps:
            self.feed(batch(number))
            self.kill_at(step)
            self.assert_none_twice(expected, key)
            number += 1
        self.feed(batch(number))
        self.run()
        self.assert_each_once(expected, key)

    def __repr__(self) -> str:
        return f"Pipeline({self._next.build.name} in {self._root}, {self._number} lives)"

    def _start(self, life: ProcessRun, is_doomed: Callable[[], bool] = lambda: False) -> End:
        self._number += 1
        try:
            return self._live(life, self._log, is_doomed)
        except OutOfTime as error:
            raise PipelineFailed(
                f"{self} did not end in time. It has printed to {self._log}:\n{error}"
            ) from None

    def _failed(self, end: End) -> PipelineFailed:
        return PipelineFailed(
            f"{self} ended with exit code {end.code}. It has printed to {self._log}:\n{end.said}"
        )

    @property
    def _log(self) -> Path:
        return self._root / f"life-{self._number}.log"

    def _found(self) -> list[tuple[Row, Path]]:
        return [(row, file) for file in self.files() for row in self._reader(file)]

    def _difference(self, expected: Expected, key: Key) -> Difference:
        if expected is None:
            rows: Iterable[Row] = self.fed
        else:
            rows = expected(self.fed) if callable(expected) else expected
        return difference(self._found(), rows, key)

    def _told(self, what: str, found: Difference) -> str:
        return f"{what} in {self.sink} ({len(self.files())} files).\n{found.text(self.sink)}"


def checked(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Checks and returns arguments that another process can receive.

    Raises:
        TypeError: JSON does not support an argument.
    """
    try:
        json.dumps(dict(arguments))
    except TypeError as error:
        raise TypeError(f"arguments go to another process as JSON: {error}") from None
    return dict(arguments)
