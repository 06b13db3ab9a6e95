# SPDX-License-Identifier: Apache-2.0
"""Rows enriched by calls of another system, many of them in flight, without a thread for each."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from stoplog._async.outcome import Answer, BadAnswer, CallTimeout
from stoplog._async.result import ERROR_COLUMN, CallFailed, OnFailure, Result
from stoplog._async.retry import Retry, RetryAfter
from stoplog._async.task import TaskPlan
from stoplog._async.window import Order
from stoplog._async.worker_python import warn_of_other_python

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, Row
    from pyspark.sql.types import StructType

__all__ = [
    "ERROR_COLUMN",
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
"""An `async def` function, or an object whose `__call__` is one, with `open` and `close` if it has them."""

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
    on_error: OnFailure = "fail",
    max_calls_per_second: float | None = None,
    max_tasks: int | None = None,
) -> DataFrame:
    """Calls an asynchronous function for each row and gives the rows that it returns.

    Works on batch and streaming DataFrames, with classic Spark and Spark Connect. Each task has one event
    loop; input is read only as there is room for a call. A micro-batch ends when all its calls have ended. If
    a task or micro-batch is tried again its calls are made again: what they do should be idempotent. So it is
    when the result of a batch DataFrame is used twice without `persist()`.

    Args:
        df: the rows to call with.
        fn: takes a `Row` with the Python values that `collect()` gives, and returns a tuple, dict or `Row` of
            `schema`, a list of them, or None for no row. If it is an object with `async def open(self)` or
            `async def close(self)`, these are awaited once per task, before the first call and after the
            last: the place for a client session. It must not block the loop: for a client that does, await
            `asyncio.to_thread`.
        schema: of the rows returned, as a `StructType` or DDL such as `"id bigint, name string"`.
        order: `"ordered"` gives the results of a task in the order of its input, `"unordered"` as calls end,
            so that slow ones hold up no other.
        capacity: the most calls in flight per task; those that wait for a retry or for the rate
            limit count. As many again wait to be made or, in order, to be given on.
        batch_size: if set, `fn` takes a list of up to so many rows and returns a list of as many answers in
            their order, each as above or an exception if that row failed. Batches do not span Arrow batches
            (`spark.sql.execution.arrow.maxRecordsPerBatch`).
        timeout_seconds: the time after which an attempt is cancelled; by default never.
        on_timeout: the treatment of a row whose last attempt timed out: `"fail"`, `"reject"`, or a function
            of the row that returns an answer instead. By default as `on_error`.
        retry: the rule for failed calls; by default none is made again.
        on_error: `"fail"` ends the query with the first call that failed for good. With `"reject"` the result
            has one more column, `_error`, and such a row comes out with nulls and its error there; see
            `async_split`. All columns can be null then.
        max_calls_per_second: of all tasks together, retries counted and a batch as one. In any T seconds
            there are at most `max_calls_per_second * (T + 0.05) + max_tasks` calls.
        max_tasks: in how many tasks calls are made at most. The input is brought together as by
            `coalesce(max_tasks)`, and each task gets an equal share of the rate. By default 1 with a rate
            limit, which one event loop can well make use of, and else not limited.

    Python workers must have this package: set the environment variable `PYSPARK_PYTHON` to `sys.executable`
    before a session starts that a script in a virtual environment makes without activating it.

    Returns:
        A DataFrame of `schema`, and `_error` if rows are rejected. It has no watermark: call
        `withWatermark` on the result, not on `df`.

    Raises:
        TypeError: `fn` is not asynchronous, or `on_timeout` is.
        ValueError: a number is not positive, or a count is not whole; a word is none of those above; or
            `schema` has a column `_error` when rows are rejected.

    Example:
        async def lookup(row):
            response = await client.get(f"https://geo.example/{row.ip}")
            return {"ip": row.ip, "country": response.json()["country"]}

        located = stoplog.async_map(
            clicks, lookup, "ip string, country string",
            capacity=500, timeout_seconds=2.0, retry=stoplog.Retry(max_attempts=5), on_error="reject",
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
    _check_choice("on_error", on_error, "fail", "reject")
    if on_timeout is not None and not callable(on_timeout):
        _check_choice("on_timeout", on_timeout, "fail", "reject")
    if inspect.iscoroutinefunction(on_timeout):
        raise TypeError(f"on_timeout is {on_timeout!r}, an `async def`. Give a plain function of the row.")
    late, late_else = (on_timeout, on_error) if callable(on_timeout) else (None, on_timeout or on_error)
    of = _parsed(schema)
    result = Result(of, df.schema, on_error, late_else)
    if result.rejects and ERROR_COLUMN in of.names:
        raise ValueError(f"The schema has a column {ERROR_COLUMN}, which is for rejected rows. Rename it.")
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
    """Parts the result of `async_map` into the rows that have a result and those that were rejected.

    Both read `df`: persist it first, or all calls are made twice. In a stream do it in `foreachBatch`.

    Args:
        df: the result of an `async_map` that rejects rows.

    Returns:
        The good rows, without the column `_error`; and the rejected ones with the columns

        - `reason`: `timeout`, `error`, or `answer` for a result that does not fit the schema,
        - `type` and `message` of the exception,
        - `attempts`: how often the call was made (1 for `answer`),
        - `row`: the row that went in, as a struct.

    Raises:
        ValueError: `df` has no column `_error`.

    Example:
        def write(batch, batch_id):
            good, rejected = stoplog.async_split(batch.persist())
            good.write.mode("append").parquet("/data/located")
            rejected.write.mode("append").json("/data/rejected")
            batch.unpersist()

        located.writeStream.foreachBatch(write).start()
    """
    if ERROR_COLUMN not in df.columns:
        raise ValueError(
            f'There is no column {ERROR_COLUMN}: these are not rows of async_map(…, on_error="reject").'
        )
    error = df[ERROR_COLUMN]
    return df.where(error.isNull()).drop(ERROR_COLUMN), df.where(error.isNotNull()).select(
        f"{ERROR_COLUMN}.*"
    )


def _parsed(schema: StructType | str) -> StructType:
    from pyspark.sql.types import StructType

    if isinstance(schema, StructType):
        return schema
    parsed = StructType.fromDDL(schema)
    if not isinstance(parsed, StructType):
        raise ValueError(f'The schema {schema} has no columns. Write it as in "id bigint, name string".')
    return parsed


def _check_asynchronous(fn: AsyncFunction) -> None:
    if not (inspect.iscoroutinefunction(fn) or inspect.iscoroutinefunction(type(fn).__call__)):
        raise TypeError(
            f"{fn!r} is not asynchronous. Write it as `async def`; for a client that blocks, await "
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
