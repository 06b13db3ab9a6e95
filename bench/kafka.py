# SPDX-License-Identifier: Apache-2.0
"""The Kafka sink beside Spark's own, with one broker on the same machine. By itself it prints the section:

python bench/kafka.py --rounds 3
"""

from __future__ import annotations

import argparse
import itertools
import shutil
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

# This file is run as a script, and scripts look for modules in their own folder only.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.peers import Peer
from bench.rounds import LINE_BYTES, Measured, in_turn
from pyspark.sql import SparkSession
from tests.servers import KafkaBroker, kafka

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter

PARTITIONS = 4
SPARKS = "Spark's own, at-least-once"
DELIVERIES = ("exactly-once", "at-least-once", "none")
SIZES = ((500_000, 4), (50_000, 12), (1_000, 40))
"""Rows of a micro-batch, and how many are measured."""


def kafka_rates(rounds: int, folder: Path) -> dict[int, list[Measured]]:
    """Rows per second, by the rows of a micro-batch."""
    with kafka(folder / "broker") as broker:
        spark = session(broker)
        try:
            sinks = peers(broker)
            return {
                rows: [
                    Measured(name, tuple(rows * 1000 / millis for millis in values))
                    for name, values in in_turn(spark, sinks, rounds, rows, batches, folder / "w").items()
                ]
                for rows, batches in SIZES
            }
        finally:
            spark.stop()


def peers(broker: KafkaBroker) -> list[Peer]:
    """Each query writes to a topic of its own."""
    numbers = itertools.count()

    def topic() -> str:
        return broker.create(f"bench-{next(numbers)}", PARTITIONS)

    def ours(delivery: str) -> Callable[[DataFrame, Path], DataStreamWriter]:
        def writer(rows: DataFrame, _: Path) -> DataStreamWriter:
            builder = stoplog.KafkaSink.to(broker.servers).with_topic(topic())
            return builder.with_option("delivery", delivery).build().write_stream(as_values(rows))

        return writer

    def sparks(rows: DataFrame, _: Path) -> DataStreamWriter:
        writer = as_values(rows).writeStream.format("kafka").option("topic", topic())
        return writer.option("kafka.bootstrap.servers", broker.servers)

    return [Peer(SPARKS, sparks), *(Peer(f"stoplog, {each}", ours(each)) for each in DELIVERIES)]


def as_values(rows: DataFrame) -> DataFrame:
    return rows.withColumnRenamed("line", "value")


def session(broker: KafkaBroker) -> SparkSession:
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("stoplog-bench-kafka")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "2g")
        .config("spark.sql.streaming.numRecentProgressUpdates", "1000")
        .config("spark.log.level", "OFF")
    )
    for key, value in broker.conf.items():
        builder = builder.config(key, value)
    return stoplog.configure(builder).getOrCreate()


def kafka_section(rates: dict[int, list[Measured]]) -> list[str]:
    rounds = len(next(iter(rates.values()))[0].rounds)
    return [
        f"Values of {LINE_BYTES - 1} bytes into a topic of {PARTITIONS} partitions, by two tasks",
        "(`local[2]`); one broker on the same machine, which uses a part of its CPU time. All take turns in",
        f"one session; figures are medians of {rounds} rounds, each with the median of its micro-batches.",
        "",
        "| rows of a micro-batch | sink | rows per second | ratio to Spark's own | rounds |",
        "|---:|---|---:|---:|---|",
        *(line for rows, measured in rates.items() for line in lines(rows, measured)),
    ]


def lines(rows: int, measured: Sequence[Measured]) -> list[str]:
    own = next(each.median for each in measured if each.peer == SPARKS)
    return [
        f"| {rows:,} | {each.peer} | {each.median:,.0f} | {each.median / own:.2f} "
        f"| {' '.join(f'{value:,.0f}' for value in each.rounds)} |"
        for each in measured
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="stoplog-bench-"))
    try:
        print(*kafka_section(kafka_rates(arguments.rounds, folder)), sep="\n")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
