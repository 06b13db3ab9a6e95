# SPDX-License-Identifier: Apache-2.0
"""Measures stoplog against Spark's own sinks and its stores against plain streams, in one run on one machine,
and writes `docs/reference/benchmarks.md`.
"""

from __future__ import annotations

import argparse
import dataclasses
import multiprocessing
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

# This file is run as a script, and scripts look for modules in their own folder only.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import cassandra as on_cassandra
from bench import cli as cli_bench
from bench import jdbc as jdbc_bench
from bench.async_io import async_section, calls
from bench.buckets import bucket_section
from bench.buckets import speeds as bucket_speeds
from bench.bulk import bulk_section, cpu_rounds, large_batches, memory, small_batches
from bench.formats import format_section
from bench.formats import speeds as format_speeds
from bench.kafka import kafka_rates, kafka_section
from bench.page import with_intro, with_section
from bench.peers import LATENCY_PEERS, PEERS
from bench.provenance import provenance
from bench.python_code import pairs, python_section
from bench.ratios import PAIRS, TURNS, ratios
from bench.ratios import section as ratio_section
from bench.recovery import recoveries, recovery_section
from bench.report import growth_section, intro, latency_section, throughput_section
from bench.rounds import Plan, latency_rounds, throughput_rounds
from bench.source import large_file, parquet, small, source_section
from bench.source_many import many
from bench.state import state_on_storage
from bench.stores import request_section, requests, speed_section, speeds
from pyspark.sql import SparkSession

import stoplog

PAGE = Path(__file__).resolve().parent.parent / "docs" / "reference" / "benchmarks.md"

T = TypeVar("T")


def main() -> None:
    arguments = parsed_arguments()
    plan = Plan.quick() if arguments.quick else Plan.full()
    if arguments.files:
        plan = dataclasses.replace(plan, source_files=arguments.files)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else that of the PATH, without pyarrow
    folder = Path(tempfile.mkdtemp(prefix="stoplog-bench-", dir=arguments.dir))
    try:
        text = PAGE.read_text(encoding="utf-8")
        for name, section in SECTIONS.items():
            if arguments.only in (None, name):
                text = section(text, plan, folder / name)
                if not arguments.quick:  # by now, since others may yet fail
                    PAGE.write_text(text, encoding="utf-8")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(text)


def sinks(text: str, plan: Plan, folder: Path) -> str:
    with running() as spark:
        growth = state_on_storage(spark, plan, folder / "state")
        latency = latency_rounds(spark, LATENCY_PEERS, plan, folder / "latency")
        throughput = throughput_rounds(spark, PEERS, plan, folder / "throughput")
    text = with_intro(text, intro(plan))
    text = measured_section(
        text, f"Time per micro-batch of {plan.small_rows:,} rows", latency_section(latency)
    )
    text = measured_section(
        text, f"Throughput in micro-batches of {plan.large_rows:,} rows", throughput_section(throughput)
    )
    return measured_section(text, "What is left on the storage", growth_section(growth))


def formats(text: str, plan: Plan, folder: Path) -> str:
    with running() as spark:
        measured = format_speeds(spark, dataclasses.replace(plan, rounds=min(plan.rounds, 3)), folder)
    return measured_section(text, "Formats and codecs", format_section(measured, plan))


def buckets(text: str, plan: Plan, folder: Path) -> str:
    with running() as spark:
        measured = bucket_speeds(spark, plan, folder)
    return measured_section(text, "Rows for many buckets", bucket_section(measured, plan))


def recovery(text: str, plan: Plan, folder: Path) -> str:
    recovered = recoveries(plan.open_parts, plan.recovery_rounds, folder)
    return measured_section(text, "Recovery and many open parts", recovery_section(recovered))


def stores(text: str, plan: Plan, folder: Path) -> str:
    speed = speed_section(speeds(plan, folder), plan.store_mib)
    text = measured_section(text, "Throughput on HDFS and S3", speed)
    return measured_section(text, "Calls of HDFS and S3", request_section(requests(folder)))


def bulk(text: str, plan: Plan, folder: Path) -> str:
    with running() as spark:
        files = small_batches(spark, plan.bulk_batches, folder / "small")
        costs = cpu_rounds(spark, plan, folder / "cpu")
        speeds_of = large_batches(spark, plan, folder / "large")
    held = memory(folder / "memory")
    return measured_section(text, "Parquet", bulk_section(files, costs, speeds_of, held, plan))


def source(text: str, plan: Plan, folder: Path) -> str:
    with running() as spark:
        large = large_file(spark, plan, folder / "large")
        files = small(spark, plan, folder / "small")
        scans = parquet(spark, plan, folder / "parquet")
    found = many(plan.source_files, folder / "many")
    return measured_section(text, "File source", source_section(large, files, scans, found, plan))


def cassandra(text: str, plan: Plan, folder: Path) -> str:
    measured = on_cassandra.speeds(plan.store_rounds, on_cassandra.UPSERTS, on_cassandra.SCANS, folder)
    return measured_section(text, "Cassandra", on_cassandra.cassandra_section(measured))


def async_io(text: str, plan: Plan, folder: Path) -> str:
    with running() as spark:
        measured = calls(spark, plan.rounds, folder)
    return measured_section(text, "Calls of other systems", async_section(measured))


def python(text: str, plan: Plan, folder: Path) -> str:
    with running() as spark:
        measured = pairs(spark, min(plan.rounds, 3), folder)
    return measured_section(text, "User code in Python", python_section(measured))


def jdbc(text: str, plan: Plan, folder: Path) -> str:
    upserts = jdbc_bench.FULL if plan.rounds > 1 else jdbc_bench.QUICK
    measured = jdbc_bench.upserts(session, upserts, folder)
    return measured_section(text, "Upserts into PostgreSQL", jdbc_bench.section(measured, upserts))


def to_kafka(text: str, plan: Plan, folder: Path) -> str:
    return measured_section(text, "Kafka", kafka_section(kafka_rates(plan.rounds, folder)))


def to_sparks_writers(text: str, plan: Plan, folder: Path) -> str:
    turns = TURNS if plan.rounds > 1 else 1
    measured = {name: in_fresh_process(ratios, name, turns, folder / name) for name in PAIRS}
    return measured_section(text, "Ratios to Spark's writers", ratio_section(measured))


def in_fresh_process(measure: Callable[..., T], *arguments: object) -> T:
    """Calls a function in a new Python process: jars cannot be added to the JVM of an earlier session."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=context) as pool:
        return pool.submit(measure, *arguments).result()


def cli(text: str, plan: Plan, folder: Path) -> str:
    finished, opened = plan.source_files, max(plan.open_parts)
    measured = cli_bench.commands(finished, opened, plan.rounds, folder)
    return measured_section(text, "The command line", cli_bench.cli_section(measured, finished, opened))


def measured_section(text: str, title: str, lines: Sequence[str]) -> str:
    """The page with this section, which tells when it was measured: a run may measure one section alone."""
    return with_section(text, title, [*lines, "", f"Measured on {provenance()}."])


SECTIONS = {
    "sinks": sinks,
    "formats": formats,
    "buckets": buckets,
    "async": async_io,
    "python": python,
    "bulk": bulk,
    "recovery": recovery,
    "stores": stores,
    "source": source,
    "cassandra": cassandra,
    "jdbc": jdbc,
    "kafka": to_kafka,
    "ratios": to_sparks_writers,
    "cli": cli,
}


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few rounds; prints, and writes no page")
    parser.add_argument("--only", choices=[*SECTIONS], help="measure this section of the page anew")
    parser.add_argument("--files", type=int, help="how many files the source is to find (section source)")
    parser.add_argument(
        "--dir", default=None, help="where to write (default: the system's temporary directory)"
    )
    return parser.parse_args()


@contextmanager
def running() -> Iterator[SparkSession]:
    """A session that ends with the block."""
    spark = session()
    try:
        yield spark
    finally:
        spark.stop()


def session(conf: Mapping[str, str] = MappingProxyType({})) -> SparkSession:
    """One of two cores with stoplog's jar, and what else it is told."""
    builder = (
        SparkSession.builder.master("local[2]")
        .appName("stoplog-bench")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.memory", "3g")
        .config("spark.sql.streaming.numRecentProgressUpdates", "1000")
        .config(
            "spark.log.level", "OFF"
        )  # every query is stopped in the middle of a batch, which Spark calls an error
    )
    for key, value in conf.items():
        builder = builder.config(key, value)
    return stoplog.configure(builder).getOrCreate()


if __name__ == "__main__":
    main()
