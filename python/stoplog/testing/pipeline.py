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
"""`build(spark, source, sink, **arguments)`: the query of a pipeline, before it is started."""

Expected: TypeAlias = "Iterable[Row] | Callable[[Sequence[Row]], Iterable[Row]] | None"
"""The rows that should be there; or a function that makes them of those that were fed; or just those."""

# What Spark does between two micro-batches needs a query that waits for more.
_BY_CLOCK = (Step.BEFORE_ROLL,)
_TAKE_ALL: Mapping[str, Any] = {"availableNow": True}
_GO_ON: Mapping[str, Any] = {"processingTime": "0 seconds"}


class PipelineFailed(Exception):
    """The pipeline's process ended by an error of its own, or did not end."""


class NotReached(AssertionError):
    """The pipeline ended well before it came to the moment at which it was to be killed."""


class Pipeline:
    """A pipeline on local directories, which lives, dies and lives again.

    Made by the fixture `stoplog_pipeline`. Each life is a process of its own, with a session, a JVM and the
    trigger `availableNow`: it takes all input that there is, and ends.
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
        """The directory of all that belongs to this pipeline."""
        return self._root

    @property
    def source(self) -> Path:
        """The directory from which it reads."""
        return self._root / "in"

    @property
    def sink(self) -> Path:
        """The directory into which it writes."""
        return self._root / "out"

    @property
    def checkpoint(self) -> Path:
        """The directory of the query's progress."""
        return self._root / "checkpoint"

    @property
    def fed(self) -> tuple[Row, ...]:
        """All rows that have been fed, in order.

        Raises:
            ValueError: files were fed, whose rows are not known.
        """
        return self._input.rows

    def feed(self, rows: Iterable[Row]) -> None:
        """Lets one file arrive, whole at once.

        Args:
            rows: lines of text, or records, which become lines of JSON.

        Raises:
            TypeError: it is one row instead of several.
            ValueError: a line has an end of line in it.

        Example:
            pipeline.feed(["a", "b"])
            pipeline.feed([{"id": 1}, {"id": 2}])
        """
        self._input.add(rows)

    def feed_file(self, file: Path) -> None:
        """Lets a copy of a file arrive, in any format; assertions need `expected` then."""
        self._input.copy(file)

    def run(self) -> None:
        """Runs one life to its end: all input is taken, and all of it is in finished files.

        Raises:
            PipelineFailed: it ended by an error.
        """
        end = self._start(self._next)
        if end.code != 0:
            raise self._failed(end)

    def kill_at(self, step: Step, occurrence: int = 1) -> None:
        """Runs one life that dies at a step, as by `kill -9`.

        Args:
            step: the step at which it dies.
            occurrence: the how manieth time it comes there, from 1.

        Raises:
            NotReached: it took all input and ended, and did not come there so often.
            PipelineFailed: it ended by an error of its own.

        Example:
            pipeline.kill_at(Step.MID_PUBLISH, occurrence=3)
        """
        if occurrence < 1:
            raise ValueError(f"occurrence is {occurrence}; the first is 1")
        trigger = _GO_ON if step in _BY_CLOCK else _TAKE_ALL
        end = self._start(replace(self._next, trigger=trigger, fault=f"{step.value}:{occurrence}:halt"))
        if end.code == 0:
            raise NotReached(
                f"The pipeline took all input and ended, and was not {occurrence} times at {step.value} "
                f"({step.after}). Feed more, take an earlier occurrence, or set the option that this step "
                "belongs to."
            )
        if not end.is_kill:
            raise self._failed(end)

    def kill_9(self, after_epochs: int = 1) -> None:
        """Runs one life and ends it by a real `kill -9`, as soon as it has committed some epochs.

        What it is at then is another thing each time.

        Args:
            after_epochs: the number of epochs (micro-batches) that its log gains in this life.

        Raises:
            NotReached: it ended before.
            PipelineFailed: it ended by an error of its own.
        """
        if after_epochs < 1:
            raise ValueError(f"after_epochs is {after_epochs}; the least is 1")
        enough = committed_epochs(self.sink) + after_epochs
        end = self._start(self._next, lambda: committed_epochs(self.sink) >= enough)
        if end.code == 0:
            raise NotReached(
                f"The pipeline ended before it could be killed after {after_epochs} epochs. Feed more files, "
                "and let it read few of them in a micro-batch (maxFilesPerTrigger)."
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
        """Sets other code or settings from the next life on, on the same directories; the rest stays."""
        self._next = replace(
            self._next,
            build=self._next.build if build is None else FunctionName.of(build),
            arguments=self._next.arguments if arguments is None else checked(arguments),
            conf=self._next.conf if conf is None else dict(conf),
        )

    def files(self) -> list[Path]:
        """The finished files that any reader of the directory finds."""
        return files(self.sink)

    def visible(self) -> list[Row]:
        """The rows of the finished files."""
        return [row for row, _ in self._found()]

    def assert_each_once(self, expected: Expected = None, key: Key = None) -> None:
        """Asserts that each row is in the finished files, once, and nothing else is.

        Args:
            expected: the rows, or a function that makes them of those that were fed; by default those that
                were fed.
            key: a column, or columns, or a function of a row, by which rows are compared; by default all of
                it. A line of text is its own key.

        Raises:
            AssertionError: some are lost, repeated or unexpected; it names them and their files.

        Example:
            pipeline.assert_each_once(key="id")
            pipeline.assert_each_once(expected=lambda fed: [row for row in fed if row["ok"]])
        """
        __tracebackhide__ = True
        found = self._difference(expected, key)
        if not found.is_none:
            raise AssertionError(self._told("Not each row is there once", found))

    def assert_none_twice(self, expected: Expected = None, key: Key = None) -> None:
        """Asserts that no row is there twice, which holds at any moment; rows may still be hidden.

        Args:
            expected: as in `assert_each_once`, all that there may be.
            key: as there.

        Raises:
            AssertionError: some are repeated or unexpected.
        """
        __tracebackhide__ = True
        found = replace(self._difference(expected, key), lost=())
        if not found.has_no_surplus:
            raise AssertionError(self._told("Readers see rows that they should not see", found))

    def survives(
        self,
        batch: Callable[[int], Iterable[Row]],
        steps: Iterable[Step] = Step.sample(),
        expected: Expected = None,
        key: Key = None,
    ) -> None:
        """Dies at one step after another and loses nothing.

        For each step it is fed, killed there, and looked at; then it is fed once more, runs to its end, and
        each row must be there once.

        Args:
            batch: the rows of the file with a number, from 0: others for each number.
            steps: the steps to die at, each in a life of its own of seconds. `Step.always()` is thorough.
            expected: as in `assert_each_once`.
            key: as there.

        Raises:
            AssertionError: a row is lost, repeated or unexpected; or a step was not reached.
            PipelineFailed: a life ended by an error of its own.

        Example:
            pipeline.survives(lambda number: [f"{number}-{row}" for row in range(100)])
        """
        __tracebackhide__ = True
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
    """Arguments that can be handed over to another process.

    Raises:
        TypeError: JSON cannot carry one.
    """
    try:
        json.dumps(dict(arguments))
    except TypeError as error:
        raise TypeError(f"arguments go to another process as JSON: {error}") from None
    return dict(arguments)
