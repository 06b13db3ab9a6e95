# SPDX-License-Identifier: Apache-2.0
"""Upserts into PostgreSQL beside the recipe of `foreachBatch` that most people use.

The recipe: each micro-batch is written to a staging table by Spark's own `jdbc` format in overwrite mode;
then the driver runs one `INSERT … SELECT … ON CONFLICT`. Once as it is found everywhere, once with what an
expert adds: the staging table is truncated and not made anew, and the driver is told to rewrite batches.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoplog.jdbc import JdbcSink

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

from tests.servers.databases import Database, postgres

WRITERS = 2
KEYS = 200_000
COLUMNS = "id BIGINT PRIMARY KEY, customer TEXT, amount DOUBLE PRECISION, at TIMESTAMP, note TEXT"
NAMES = ("id", "customer", "amount", "at", "note")
# A large prime: the keys come in no order, and from the second batch on most are there.
ROW = [
    f"value * 7919 % {KEYS} AS id",
    "concat('customer ', value % 1000) AS customer",
    "value / 7 AS amount",
    "timestamp_micros(1700000000000000 + value) AS at",
    "repeat(string(value % 10), 40) AS note",
]


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured: rounds, micro-batches of each, and rows of a micro-batch."""

    rounds: int
    batches: int
    rows: int


FULL = Plan(rounds=5, batches=8, rows=50_000)
QUICK = Plan(rounds=1, batches=4, rows=50_000)


@dataclass(frozen=True, slots=True)
class Side:
    """One way to upsert."""

    name: str
    writer: Callable[[SparkSession, Database, DataFrame], DataStreamWriter]


@dataclass(frozen=True, slots=True)
class Measured:
    """Rows a second of one side, the median of each round's micro-batches."""

    side: str
    rounds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.rounds)


def ours(_: SparkSession, database: Database, rows: DataFrame) -> DataStreamWriter:
    return JdbcSink.for_table(database.url, "orders").with_upsert("id").build().write_stream(rows)


def usual(spark: SparkSession, database: Database, rows: DataFrame) -> DataStreamWriter:
    return rows.writeStream.foreachBatch(recipe(spark, database.url, database.url, {}))


def tuned(spark: SparkSession, database: Database, rows: DataFrame) -> DataStreamWriter:
    rewriting = f"{database.url}&reWriteBatchedInserts=true"
    return rows.writeStream.foreachBatch(recipe(spark, database.url, rewriting, {"truncate": "true"}))


def recipe(
    spark: SparkSession, url: str, writing_url: str, options: dict[str, str]
) -> Callable[[DataFrame, int], None]:
    columns = ", ".join(NAMES)
    changes = ", ".join(f"{name} = EXCLUDED.{name}" for name in NAMES[1:])
    merge = (
        f"INSERT INTO orders ({columns}) SELECT {columns} FROM orders_staging "
        f"ON CONFLICT (id) DO UPDATE SET {changes}"
    )

    def write(batch: DataFrame, _: int) -> None:
        batch.write.mode("overwrite").options(driver="org.postgresql.Driver", **options).jdbc(
            writing_url, "orders_staging"
        )
        jvm: Any = spark._jvm
        connection = jvm.java.sql.DriverManager.getConnection(url)
        try:
            connection.createStatement().executeUpdate(merge)
        finally:
            connection.close()

    return write


SIDES = (
    Side("stoplog", ours),
    Side("foreachBatch, as usual", usual),
    Side("foreachBatch, tuned", tuned),
)


def upserts(start: Callable[[dict[str, str]], SparkSession], plan: Plan, folder: Path) -> list[Measured]:
    """Every side in turn, each round in another order; the first micro-batch of each is not counted."""
    found: dict[str, list[float]] = {side.name: [] for side in SIDES}
    with postgres(folder / "postgres") as database:
        spark = start(database.conf)
        try:
            for number in range(plan.rounds):
                for side in (*SIDES[number % len(SIDES) :], *SIDES[: number % len(SIDES)]):
                    run = f"{number}-{SIDES.index(side)}"
                    found[side.name].append(speed(spark, side, database, plan, folder / run))
        finally:
            spark.stop()
    return [Measured(side.name, tuple(found[side.name])) for side in SIDES]


def speed(spark: SparkSession, side: Side, database: Database, plan: Plan, folder: Path) -> float:
    database.execute("DROP TABLE IF EXISTS orders")
    database.execute(f"CREATE TABLE orders ({COLUMNS})")
    source = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", plan.rows)
    rows = source.option("numPartitions", WRITERS).load().selectExpr(*ROW)
    query = (
        side.writer(spark, database, rows).option("checkpointLocation", str(folder / "checkpoint")).start()
    )
    try:
        millis = until_batches(query, plan.batches)
    finally:
        query.stop()
    assert int(database.rows("SELECT COUNT(*) FROM orders")[0][0]) == min(KEYS, keys(database, plan))
    return plan.rows / statistics.median(millis[1:]) * 1000


def keys(database: Database, plan: Plan) -> int:
    """A stopped query may have written some of the batch that it was at."""
    found = int(database.rows("SELECT COUNT(DISTINCT id) FROM orders")[0][0])
    assert found >= min(KEYS, plan.rows * (plan.batches - 1))
    return found


def until_batches(query: StreamingQuery, count: int) -> list[int]:
    while True:
        done = [each for each in query.recentProgress if each["numInputRows"]]
        if len(done) >= count:
            return [each["durationMs"]["addBatch"] for each in done[:count]]
        failure = query.exception()
        if failure:
            raise failure
        query.awaitTermination(1)


def section(measured: Sequence[Measured], plan: Plan) -> list[str]:
    """The page's lines."""
    by_name = {each.side: each for each in measured}
    ratios = [
        f"{by_name['stoplog'].median / each.median:.2f} x of {each.side}"
        for each in measured
        if each.side != "stoplog"
    ]
    table = [
        f"| {each.side} | {each.median:,.0f} | {min(each.rounds):,.0f} to {max(each.rounds):,.0f} |"
        for each in measured
    ]
    return [
        f"Upserts of {plan.rows:,} rows of five columns in each micro-batch by {WRITERS} tasks, into a table",
        f"of up to {KEYS:,} rows in PostgreSQL on the same machine, which syncs its log. Rows per second:",
        f"the median of {plan.rounds} rounds, each with the median of its micro-batches.",
        "",
        "| | rows/s | rounds |",
        "|---|---|---|",
        *table,
        "",
        f"stoplog: {', '.join(ratios)}.",
        "",
        '*As usual*: `df.write.mode("overwrite").jdbc(…)` into a staging table, then one `INSERT … SELECT …',
        "ON CONFLICT` by the driver. *Tuned*: the same with `truncate` and `reWriteBatchedInserts`.",
    ]
