# SPDX-License-Identifier: Apache-2.0
"""Splits of sources of the user, and both ends of the calls. Travels by value: see `task`."""

from __future__ import annotations

import json
import pickle
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from stoplog._functions.fit import checked
from stoplog._functions.task import Function, PythonResult
from stoplog._shared.user_code import described

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa


class Split:
    """A piece of a source's data, which a call of `read_split` reads from the first to the last row.

    A split contains everything needed to read the same rows, today and after any number of restarts.

    Attributes:
        position: where the rows are: any value that JSON supports, with strings as keys of dicts. The log of
            the source stores the value.
        rows: the number of rows; `None` if the number is unknown.
        size_bytes: the size, which counts for a limit of bytes and for the distribution over tasks.

    >>> Split({"from": 0, "until": 10}, rows=10)
    Split({"from": 0, "until": 10}, rows=10)
    """

    def __init__(self, position: Any, rows: int | None = None, size_bytes: int = 0) -> None:
        if (rows is not None and rows < 0) or size_bytes < 0:
            raise ValueError(f"a split has at least 0 rows and bytes, not {rows} and {size_bytes}")
        self.position = position
        self.rows = rows
        self.size_bytes = size_bytes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Split) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash(json.dumps(self.position, sort_keys=True))

    def __repr__(self) -> str:
        more = "" if self.rows is None else f", rows={self.rows}"
        return f"Split({json.dumps(self.position)}{more})"

    def _values(self) -> tuple[Any, int | None, int]:
        return self.position, self.rows, self.size_bytes


class SplitEnumerator(ABC):
    """Finds the splits of a source, on the driver. Used by one thread at a time."""

    @abstractmethod
    def next(self) -> Split | None:
        """Returns the next split; `None` if there is none at present. The next micro-batch calls again."""

    @abstractmethod
    def snapshot(self) -> Any:
        """Returns the state after the splits so far, as a small value that JSON supports.

        The keys of dicts must be strings, because JSON would turn the key 1 into "1".

        An enumerator of this snapshot continues with the next split. stoplog itself keeps splits that were
        returned and did not fit into a micro-batch.
        """

    def fix_target(self) -> None:  # noqa: B027 optional
        """Limits the enumerator to the data that exist now, for the trigger `availableNow` and for batches.

        Necessary only if data may be added so fast that `next` never returns `None`.
        """

    def close(self) -> None:  # noqa: B027 optional
        """Releases connections at the end of the query."""


class EnumeratorSide:
    """Carries out the calls of the jar by an enumerator of the user, with values that JSON supports."""

    def __init__(self, owner: str, pickled: bytes) -> None:
        self.owner = owner
        self.source: Any = pickle.loads(pickled)
        self.enumerator: Any = None

    def restore(self, snapshot: str | None) -> None:
        made = self.source.enumerator(None if snapshot is None else json.loads(snapshot))
        if not callable(getattr(made, "next", None)) or not callable(getattr(made, "snapshot", None)):
            repair = "Return an object with the methods next and snapshot."
            raise PythonResult(f"{self.owner}.enumerator", described(made), repair)
        self.enumerator = made

    def next_splits(self, count: int) -> list[list[Any]]:
        """Returns up to `count` splits; fewer if no more splits exist at present."""
        found: list[list[Any]] = []
        while len(found) < count:
            split = self.enumerator.next()
            if split is None:
                break
            found.append(self._values("enumerator.next", split))
        return found

    def snapshot(self) -> str:
        return self._json("enumerator.snapshot", self.enumerator.snapshot())

    def cut(self, split: list[Any], rows: int) -> list[list[Any]] | None:
        returned = self.source.cut(split_of(split), rows)
        if returned is None:
            return None
        if not isinstance(returned, tuple) or len(returned) != 2:
            repair = "Return a split of at most the requested rows, and a split of the other rows, or None."
            raise PythonResult(f"{self.owner}.cut", described(returned), repair)
        head, rest = (self._values("cut", part) for part in returned)
        if head[1] is None or not 0 < head[1] <= rows:
            what = f"a first split with {'an unknown number of' if head[1] is None else head[1]} rows"
            repair = f"Return a split of 1 to {rows} rows, with its number, or None."
            raise PythonResult(f"{self.owner}.cut", what, repair)
        if None not in (split[1], rest[1]) and head[1] + rest[1] != split[1]:
            what = f"splits of {head[1]} and {rest[1]} rows for a split of {split[1]} rows"
            raise PythonResult(f"{self.owner}.cut", what, "Return all rows of the split, each row once.")
        return [head, rest]

    def fix_target(self) -> None:
        fix = getattr(self.enumerator, "fix_target", None)
        if fix is not None:
            fix()

    def close(self) -> None:
        close = getattr(self.enumerator, "close", None)
        if close is not None:
            close()

    def _values(self, method: str, split: Any) -> list[Any]:
        # The class of the user may have imported the class Split from an installed package.
        if not all(hasattr(split, name) for name in ("position", "rows", "size_bytes")):
            repair = "Return a stoplog.Split, or None if there is no split."
            raise PythonResult(f"{self.owner}.{method}", described(split), repair)
        return [self._json(method, split.position), split.rows, split.size_bytes]

    def _json(self, method: str, value: Any) -> str:
        try:
            text = json.dumps(value)
            _refuse_other_keys(value)
        except (TypeError, ValueError) as error:
            repair = "Use dicts with strings as keys, lists, strings, numbers and None."
            raise PythonResult(
                f"{self.owner}.{method}", f"a value that JSON cannot hold ({error})", repair
            ) from None
        return text


def _refuse_other_keys(value: Any) -> None:
    """JSON turns the key 1 into "1", which the code of the user would not find after a restart."""
    members: Iterable[Any] = value if isinstance(value, list | tuple) else ()
    if isinstance(value, dict):
        members = value.values()
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"the key {key!r} of a dict is {described(key)}, and would become a string")
    for member in members:
        _refuse_other_keys(member)


class SplitReading:
    """Reads the splits of a task.

    Args:
        schema: the Arrow schema of the rows; `None` accepts any columns.
    """

    def __init__(self, owner: str, pickled: bytes, schema: pa.Schema | None) -> None:
        self.function = Function(f"{owner}.read_split", pickled, "read_split")
        self.schema = schema

    def __call__(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Implements the function of `mapInArrow`."""
        for batch in batches:
            for values in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                yield from (found for table in self.of(split_of(values)) for found in table.to_batches())

    def of(self, split: Split) -> Iterator[pa.Table]:
        for batch in self.function.iterated(split):
            yield checked(self.function.owner, batch, self.schema)


def split_of(values: Any) -> Split:
    """Returns the split of values that JSON supports."""
    position, rows, size_bytes = values
    return Split(json.loads(position), rows, size_bytes)
