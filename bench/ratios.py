# SPDX-License-Identifier: Apache-2.0
"""How much longer exactly-once batch writes take than Spark's own writers, in alternating turns.

python bench/ratios.py jdbc      one million rows: `JdbcSink` with transactions, Spark's `jdbc` append
python bench/ratios.py kafka     300,000 records: `KafkaSink`, Spark's `kafka`

Each turn writes the same rows once by each side. Even turns start with stoplog, odd turns with Spark. The
ratio of a turn is the time of stoplog divided by the time of Spark. The first turn is not counted.
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# This file is run as a script, and scripts look for modules in their own folder only.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.jdbc import COLUMNS, ROW
from pyspark.sql import SparkSession
from tests.servers import kafka
from tests.servers.databases import Database, postgres

import stoplog
from stoplog.jdbc import JdbcSink

TURNS = 11
WRITERS = 2
TABLE_ROWS = 1_000_000
RECORDS = 300_000
HEAP = COLUMNS.replace(" PRIMARY KEY", "")
SPARK_BATCH = {"batchsize": "5000", "driver": "org.postgresql.Driver"}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two ways to write the same rows. Each call writes to a new table or topic, and returns the seconds."""

    ours: Callable[[], float]
    sparks: Callable[[], float]


@dataclass(frozen=True, slots=True)
class Turn:
    """The seconds of one turn."""

    ours: float
    sparks: float

    @property
    def ratio(self) -> float:
        return self.ours / self.sparks


def in_turns(pair: Pair, turns: int) -> list[Turn]:
    """Returns the counted turns."""
    measured = []
    for number in range(turns + 1):
        if number % 2 == 0:
            ours = pair.ours()
            sparks = pair.sparks()
        else:
            sparks = pair.sparks()
            ours = pair.ours()
        if number > 0:
            measured.append(Turn(ours, sparks))
    return measured


@contextmanager
def tables(folder: Path) -> Iterator[Pair]:
    """Appends to empty tables without a key, in a PostgreSQL that forces its log to disk."""
    with postgres(folder / "postgres") as database, session(database.conf) as spark:
        rows = spark.range(0, TABLE_ROWS, 1, WRITERS).withColumnRenamed("id", "value").selectExpr(*ROW)
        url = f"{database.url}&reWriteBatchedInserts=true"

        def append(table: str) -> None:
            rows.write.options(**SPARK_BATCH).mode("append").jdbc(url, table)

        def once(table: str) -> None:
            JdbcSink.for_table(database.url, table).with_transactions().build().write(rows)

        yield Pair(lambda: into_table(database, once), lambda: into_table(database, append))


def into_table(database: Database, write: Callable[[str], None]) -> float:
    """Drops the earlier table and forces its pages to disk first, so that earlier writes leave no work."""
    database.execute("DROP TABLE IF EXISTS written")
    database.execute(f"CREATE TABLE written ({HEAP})")
    database.execute("CHECKPOINT")
    seconds = timed(lambda: write("written"))
    assert int(database.rows("SELECT COUNT(*) FROM written")[0][0]) == TABLE_ROWS
    return seconds


@contextmanager
def topics(folder: Path) -> Iterator[Pair]:
    """Values of 40 bytes into new topics of four partitions."""
    with kafka(folder / "broker") as broker, session(broker.conf) as spark:
        rows = spark.range(0, RECORDS, 1, WRITERS).selectExpr("lpad(string(id), 40, '-') AS value")
        numbers = itertools.count()

        def topic() -> str:
            return broker.create(f"ratio-{next(numbers)}", partitions=4)

        def ours() -> float:
            sink = stoplog.KafkaSink.to(broker.servers).with_topic(topic()).build()
            return timed(lambda: sink.write(rows))

        def sparks() -> float:
            options = {"topic": topic(), "kafka.bootstrap.servers": broker.servers}
            return timed(lambda: rows.write.format("kafka").options(**options).save())

        yield Pair(ours, sparks)


def timed(write: Callable[[], object]) -> float:
    began = time.monotonic()
    write()
    return time.monotonic() - began


@contextmanager
def session(conf: Mapping[str, str]) -> Iterator[SparkSession]:
    builder = SparkSession.builder.master(f"local[{WRITERS}]").appName("stoplog-bench-ratios")
    own = {"spark.ui.enabled": "false", "spark.driver.memory": "2g", "spark.log.level": "ERROR"}
    for key, value in (own | dict(conf)).items():
        builder = builder.config(key, value)
    spark = stoplog.configure(builder).getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


PAIRS = {"jdbc": tables, "kafka": topics}


def ratios(name: str, turns: int, folder: Path) -> list[Turn]:
    with PAIRS[name](folder) as pair:
        return in_turns(pair, turns)


def section(measured: Mapping[str, list[Turn]]) -> list[str]:
    """Returns the lines of the page."""
    return [
        f"A batch write of {TABLE_ROWS:,} rows into an empty PostgreSQL table without a key, by",
        "`JdbcSink` with transactions and by Spark's `jdbc` append with rewritten inserts; and of",
        f"{RECORDS:,} records into a topic, by `KafkaSink` (exactly-once) and by Spark's `kafka`",
        f"(at-least-once). Both sides write with {WRITERS} tasks in alternating turns. The ratio of a turn",
        "is the time of stoplog divided by the time of Spark.",
        "",
        "| | turns | median ratio | quartiles | stoplog, s | Spark, s |",
        "|---|--:|--:|---|---|---|",
        *(row(name, turns) for name, turns in measured.items()),
    ]


def row(name: str, turns: list[Turn]) -> str:
    all_ratios = [turn.ratio for turn in turns]
    low, median, high = (
        statistics.quantiles(all_ratios, n=4, method="inclusive") if len(turns) > 1 else all_ratios * 3
    )
    ours = " ".join(f"{turn.ours:.2f}" for turn in turns)
    sparks = " ".join(f"{turn.sparks:.2f}" for turn in turns)
    return f"| {name} | {len(turns)} | {median:.2f} | {low:.2f} to {high:.2f} | {ours} | {sparks} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=[*PAIRS])
    parser.add_argument("--turns", type=int, default=TURNS)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="stoplog-bench-"))
    try:
        measured = {arguments.what: ratios(arguments.what, arguments.turns, folder)}
        print(*section(measured), sep="\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
