# SPDX-License-Identifier: Apache-2.0
"""Calls of the user's functions in a task.

The modules of this package travel to the tasks by value, because the tasks' Python may lack this package.
They import nothing else of the package but `_shared.user_code`, which travels with them.
"""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

from stoplog._shared.user_code import PythonFailed, described, task_clause

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa


class PythonResult(RuntimeError):
    """Code of the user returned a value that cannot be used.

    Args:
        what: the value, as in "3 names for a batch of 5 rows".
        repair: a sentence.
    """

    def __init__(self, owner: str, what: str, repair: str) -> None:
        super().__init__(f"[STOPLOG_PYTHON_FAILED] {owner} returned {what}{place()}. {repair}")


class Function:
    """A pickled function of the user, unpickled at the first call in a process.

    Args:
        owner: the subject of errors.
        method: the method to call, if the pickle is an object.
    """

    def __init__(self, owner: str, pickled: bytes, method: str = "__call__") -> None:
        self.owner = owner
        self.pickled = pickled
        self.method = method
        self.loaded: Any = None

    def __call__(self, *arguments: Any) -> Any:
        try:
            if self.loaded is None:
                self.loaded = getattr(pickle.loads(self.pickled), self.method)
            return self.loaded(*arguments)
        except (Exception, SystemExit) as error:
            raise PythonFailed(self.owner, error, place()) from error

    def iterated(self, *arguments: Any) -> Iterator[Any]:
        """Calls a function that returns an iterable, and reports the errors of the iteration, too."""
        returned = self(*arguments)
        try:
            values = iter(returned)
        except TypeError:
            raise PythonResult(
                self.owner,
                described(returned),
                "Yield record batches, or return an iterable of record batches.",
            ) from None
        while True:
            try:
                value = next(values)
            except StopIteration:
                return
            except (Exception, SystemExit) as error:
                raise PythonFailed(self.owner, error, place()) from error
            yield value


def in_order(value: Any) -> bool:
    """Returns whether a value has one item for each row, in an order. The order of a set is random.

    >>> in_order(["a", "b"]), in_order({"a", "b"}), in_order("ab")
    (True, False, False)
    """
    return hasattr(value, "__iter__") and not isinstance(value, str | bytes | set | frozenset | dict)


def place() -> str:
    """Returns the epoch and the partition of this task as a clause; empty outside of a task."""
    from pyspark import TaskContext

    task = TaskContext.get()
    if task is None:
        return ""
    return task_clause(task.getLocalProperty("streaming.sql.batchId"), task.partitionId())


def column_of(owner: str, result: Any, rows: int, noun: str, kind: pa.DataType) -> pa.Array:
    """Returns a function's result as an Arrow array of one value for each row.

    Args:
        noun: one of the values, as in "name".
        kind: the type of the values, strings or binary.

    Raises:
        PythonResult: the number or the type of the values is wrong, or a value is missing.
    """
    import pyarrow as pa

    expected = f"{'a string' if pa.types.is_string(kind) else 'bytes'} for each row of the batch"
    if isinstance(result, pa.ChunkedArray):
        result = result.combine_chunks()
    if not isinstance(result, pa.Array):
        if not in_order(result) or not hasattr(result, "__len__"):
            raise PythonResult(owner, f"{described(result)} for a batch", f"Return {expected}, as a list.")
        result = _converted(owner, result, noun, kind, expected)
    elif result.type != kind:
        result = _cast(owner, result, noun, kind, expected)
    if len(result) != rows:
        many = f"{len(result)} {noun}{'' if len(result) == 1 else 's'}"
        raise PythonResult(
            owner, f"{many} for a batch of {rows} row{'' if rows == 1 else 's'}", f"Return {expected}."
        )
    if result.null_count:
        row = result.is_null().index(True).as_py()
        raise PythonResult(owner, f"None as the {noun} of row {row} of a batch", f"Return {expected}.")
    return result


def _converted(owner: str, values: Any, noun: str, kind: pa.DataType, expected: str) -> pa.Array:
    import pyarrow as pa

    allowed = (str,) if pa.types.is_string(kind) else (bytes, bytearray, memoryview)
    values = list(values)
    for value in values:
        if value is not None and not isinstance(value, allowed):
            raise PythonResult(owner, f"{described(value)} as a {noun}", f"Return {expected}.")
    return pa.array(values, kind)


def _cast(owner: str, values: pa.Array, noun: str, kind: pa.DataType, expected: str) -> pa.Array:
    import pyarrow as pa

    found = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    name = "string" if pa.types.is_string(kind) else "binary"
    if name not in str(found) or pa.types.is_nested(found):
        raise PythonResult(owner, f"an Arrow array of {values.type} as {noun}s", f"Return {expected}.")
    return values.cast(kind)
