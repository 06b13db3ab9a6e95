# SPDX-License-Identifier: Apache-2.0
"""Enriches rows by calls of another system, with many concurrent calls and without a thread for each call."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from stoplog._async.outcome import Answer
from stoplog._async.result import REJECTED_COLUMN, OnBadRow, Result
from stoplog._async.retry import Retry, RetryAfter
from stoplog._async.task import TaskPlan
from stoplog._async.window import Order
from stoplog._async.worker_python import warn_of_other_python
from stoplog.errors import BadAnswer, CallFailed, CallTimeout

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, Row
    from pyspark.sql.types import StructType

__all__ = [
    "REJECTED_COLUMN",
    "AsyncFunction",
    "BadAnswer",
    "CallFailed",
    "CallTimeout",
    "OnTimeout",
    "Retry",
    "RetryAfter",
    "async_map",
    "async_split",
]

AsyncFunction: TypeAlias = "Callable[[Any], Awaitable[Any]]"
"""An `async def` function, or an object with an async `__call__` and optional methods `open` and `close`."""

OnTimeout: TypeAlias = 'Literal["fail", "reject"] | Callable[[Row], Answer]'

_ONCE = Retry(max_attempts=1)


def async_map(
    df: DataFrame,
    fn: AsyncFunction,
    schema: StructType | str,
    *,
    order: Order = "ordered",
    capacity: int = 100,
    batch_size: int | None = None,
    timeout_seconds: float | None = None,
    on_timeout: OnTimeout | None = None,
    retry: Retry = _ONCE,
    on_bad_row: OnBadRow = "fail",
    max_calls_per_second: float | None = None,
    max_tasks: int | None = None,
) -> DataFrame:
    """Calls an asynchronous function for each row and returns the rows of the results.

    Works on batch and streaming DataFrames, with classic Spark and Spark Connect. Each task has one event
    loop, and reads input only if another call may start. A micro-batch ends when all its calls have ended.
    If Spark retries a task or micro-batch, all its calls are repeated: the calls should be idempotent. The
    calls are also repeated if the result of a batch DataFrame is used twice without `persist()`.

    Args:
        df: the input rows of the calls.
        fn: accepts a `Row` with the Python values of `collect()`, and returns a tuple, dict or `Row` of
            `schema`, a list of such rows, or None for no row. Objects may have `async def open(self)` and
            `async def close(self)`. These methods are awaited once per task, before the first call and after
            the last, and may open and close a client session. The function must not block the loop: for a
            blocking client, await `asyncio.to_thread`.
        schema: the schema of the returned rows, as a `StructType` or DDL such as `"id bigint, name string"`.
        order: `"ordered"` returns the results of a task in the order of the input. `"unordered"` returns
            results as calls end, so that slow calls do not delay other calls.
        capacity: the maximum number of calls in flight per task, including calls that wait for a retry or for
            the rate limit. The same number of requests may wait for a call or, in order, for their output.
        batch_size: if set, `fn` accepts a list of up to this number of rows, and returns a list of the same
            length and order. Each element is a result as above, or an exception if this row failed. Batches
            do not span Arrow batches (`spark.sql.execution.arrow.maxRecordsPerBatch`).
        timeout_seconds: the time after which an attempt is cancelled; unlimited by default.
        on_timeout: the handling of a row whose last attempt timed out: `"fail"`, `"reject"`, or a function of
            the row that returns a replacement result. The default is the value of `on_bad_row`.
        retry: the rule for failed calls; by default, calls are not retried.
        on_bad_row: `"fail"` fails the query with the first call that failed in its last attempt. With
            `"reject"` the result has an additional column `_rejected`. A rejected row has nulls in all other
            columns, and its error in `_rejected`; see `async_split`. All columns become nullable.
        max_calls_per_second: the limit of all tasks together, including retries; a batch counts as one call.
            In any T seconds there are at most `max_calls_per_second * (T + 0.05) + max_tasks` calls.
        max_tasks: the maximum number of tasks with calls. The input is merged as by `coalesce(max_tasks)`,
            and each task has an equal share of the rate. The default is 1 with a rate limit, for which one
            event loop is sufficient, and otherwise unlimited.

    Python workers must have this package. If a script in a virtual environment starts a session without
    activating the environment, set the environment variable `PYSPARK_PYTHON` to `sys.executable` first.

    Returns:
        A DataFrame of `schema`, with `_rejected` if rows are rejected. The result has no watermark: call
        `withWatermark` on the result, not on `df`.

    Raises:
        TypeError: `fn` is not asynchronous, or `on_timeout` is asynchronous.
        ValueError: a number is not positive, or a count is not whole; an argument is not a listed choice; or
            `schema` has a column `_rejected` when rows are rejected.

    Example:
        async def lookup(row):
            response = await client.get(f"https://geo.example/{row.ip}")
            return {"ip": row.ip, "country": response.json()["country"]}

        located = stoplog.async_map(
            clicks, lookup, "ip string, country string",
            capacity=500, timeout_seconds=2.0, retry=stoplog.Retry(max_attempts=5), on_bad_row="reject",
        )
        good, rejected = stoplog.async_split(located)
    """
    _check_asynchronous(fn)
    _check_positive(
        capacity=capacity,
        batch_size=batch_size,
        timeout_seconds=timeout_seconds,
        max_calls_per_second=max_calls_per_second,
        max_tasks=max_tasks,
    )
    _check_whole(capacity=capacity, batch_size=batch_size, max_tasks=max_tasks)
    _check_choice("order", order, "ordered", "unordered")
    _check_choice("on_bad_row", on_bad_row, "fail", "reject")
    if on_timeout is not None and not callable(on_timeout):
        _check_choice("on_timeout", on_timeout, "fail", "reject")
    if inspect.iscoroutinefunction(on_timeout):
        raise TypeError(f"on_timeout is {on_timeout!r}, an `async def`. Give a plain function of the row.")
    late, late_else = (on_timeout, on_bad_row) if callable(on_timeout) else (None, on_timeout or on_bad_row)
    of = _parsed(schema)
    result = Result(of, df.schema, on_bad_row, late_else)
    if result.rejects and REJECTED_COLUMN in of.names:
        raise ValueError(f"The schema has a column {REJECTED_COLUMN}, which is for rejected rows. Rename it.")
    tasks = max_tasks or (1 if max_calls_per_second else None)
    plan = TaskPlan(
        function=fn,
        result=result,
        order=order,
        capacity=capacity,
        batch_size=batch_size,
        timeout_seconds=timeout_seconds,
        late=late,
        retry=retry,
        seconds_between=tasks / max_calls_per_second if tasks and max_calls_per_second else None,
    )

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return plan.run(batches)

    warn_of_other_python(df)
    gathered = df if tasks is None else df.coalesce(tasks)
    return gathered.mapInArrow(run, result.output_schema())


def async_split(df: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Splits the result of `async_map` into rows with a result and rejected rows.

    Both returned DataFrames read `df`: persist `df` first, or all calls are made twice. In a stream, split in
    `foreachBatch`.

    Args:
        df: the result of an `async_map` that rejects rows.

    Returns:
        The good rows, without the column `_rejected`; and the rejected rows with the columns

        - `reason`: `timeout`, `error`, or `answer` for a result that does not fit the schema,
        - `type` and `message` of the exception,
        - `attempts`: the number of attempts (1 for `answer`),
        - `row`: the input row, as a struct.

    Raises:
        ValueError: `df` has no column `_rejected`.

    Example:
        def write(batch, batch_id):
            good, rejected = stoplog.async_split(batch.persist())
            good.write.mode("append").parquet("/data/located")
            rejected.write.mode("append").json("/data/rejected")
            batch.unpersist()

        located.writeStream.foreachBatch(write).start()
    """
    if REJECTED_COLUMN not in df.columns:
        raise ValueError(
            f'There is no column {REJECTED_COLUMN}: these are not rows of async_map(…, on_bad_row="reject").'
        )
    error = df[REJECTED_COLUMN]
    return df.where(error.isNull()).drop(REJECTED_COLUMN), df.where(error.isNotNull()).select(
        f"{REJECTED_COLUMN}.*"
    )


def _parsed(schema: StructType | str) -> StructType:
    from pyspark.sql.types import StructType

    if isinstance(schema, StructType):
        return schema
    parsed = StructType.fromDDL(schema)
    if not isinstance(parsed, StructType):
        raise ValueError(f'The schema {schema} has no columns. Write, for example, "id bigint, name string".')
    return parsed


def _check_asynchronous(fn: AsyncFunction) -> None:
    if not (inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(type(fn).__call__)):
        raise TypeError(
            f"{fn!r} is not asynchronous. Define it with `async def`; for a client that blocks, await "
            "asyncio.to_thread(…) in it."
        )


def _check_choice(name: str, chosen: str, *choices: str) -> None:
    if chosen not in choices:
        raise ValueError(f"{name} is {chosen!r}. Set it to {' or '.join(map(repr, choices))}.")


def _check_positive(**numbers: float | None) -> None:
    for name, number in numbers.items():
        if number is not None and not number > 0:
            raise ValueError(f"{name} is {number}. Set it to more than 0.")


def _check_whole(**numbers: int | None) -> None:
    for name, number in numbers.items():
        if number is not None and not isinstance(number, int):
            raise ValueError(f"{name} is {number!r}. Set it to a whole number.")
