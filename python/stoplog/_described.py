# SPDX-License-Identifier: Apache-2.0
"""What sinks, sources, their pieces and builders are: options, immutable and comparable."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from stoplog._aspects import Aspects, shown_aspects, with_aspect
from stoplog._options import Pairs, shown, text_of
from stoplog._streams import stream_writer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter
    from typing_extensions import Self


@dataclass(frozen=True, slots=True, repr=False)
class Described:
    """A sink, a source or a piece of one that its options describe."""

    _pairs: Pairs

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shown(self._pairs)})"


@dataclass(frozen=True, slots=True, repr=False)
class TableSink(Described):
    """A sink whose target is a table of a database."""

    _format: ClassVar[str]

    def options(self) -> dict[str, str]:
        """The options of the sink's `format(…)` that it stands for, as a new dict.

        The password is among them.
        """
        return dict(self._pairs)

    def write_stream(
        self, df: DataFrame, checkpoint_location: str | os.PathLike[str] | None = None
    ) -> DataStreamWriter:
        """A streaming query's writer that is set to this sink, in append mode.

        Args:
            df: a streaming DataFrame.
            checkpoint_location: where the query keeps its progress; by default it is left to
                `spark.sql.streaming.checkpointLocation`.

        Returns:
            Spark's own writer, for a trigger, an output mode, a query name and `start()`.

        Example:
            query = sink.write_stream(totals, "/data/checkpoint").outputMode("update").start()
        """
        return stream_writer(df, self._format, self.options(), checkpoint_location)


_OF_WHAT_IS_BUILT = frozenset({"write_stream", "write", "read_stream", "read", "check", "options"})


class Unbuilt:
    """A builder, which says so to a program that takes it for what it builds."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker knows better which attributes there are

        def __getattr__(self, name: str) -> object:
            kind = type(self).__name__
            if name in _OF_WHAT_IS_BUILT:
                raise AttributeError(f"{kind} has no {name}: end it with .build(), which answers what has")
            raise AttributeError(f"'{kind}' object has no attribute '{name}'", name=name, obj=self)


@dataclass(frozen=True, slots=True, repr=False)
class Builder(Unbuilt):
    """What the calls so far have set; each answers a new builder."""

    _aspects: Aspects

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shown_aspects(self._aspects)})"

    def _with(self, aspect: str | None = None, /, **options: str) -> Self:
        """In place of what the aspect had before, which is called as its first option if not otherwise.

        Raises:
            TypeError: a value is no string. The error does not show it: it may be a secret.
        """
        for key, value in options.items():
            if not isinstance(value, str):
                raise TypeError(f"{key} must be a string, and is of type {type(value).__name__}")
        return type(self)(with_aspect(self._aspects, aspect or next(iter(options)), options))

    def _with_option(self, key: str, value: str | int | bool) -> Self:
        return self._with(f"option {key.lower()}", **{key: text_of(key, value)})
