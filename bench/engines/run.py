# SPDX-License-Identifier: Apache-2.0
"""Runs stoplog beside Flink, Spark's own sink, Delta Lake and Iceberg, checks what each has written, and
writes `docs/reference/benchmarks-peers.md` with its plots.
"""

from __future__ import annotations

import argparse
import pickle
import re
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

# This file is run as a script, and scripts look for modules in their own folder only.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import pyspark
from bench.engines.page import page, plots
from bench.engines.paths import CACHE, ICEBERG_SPARK, ROOT, class_path
from bench.engines.plan import CONTENDERS, Contender, Plan
from bench.engines.requests import RequestCount, asked
from bench.engines.rounds import Result, in_turn
from bench.engines.small_epochs import TITLE as TABLES
from bench.page import section_of, with_section
from bench.provenance import provenance

import stoplog

DOCS = ROOT / "docs"
PAGE = DOCS / "reference" / "benchmarks-peers.md"
LAST = CACHE / "last-run.pickle"


@dataclass(frozen=True, slots=True)
class Found:
    """All that the page says."""

    plan: Plan
    results: Sequence[Result]
    requests: Sequence[RequestCount]
    versions: Mapping[str, str]
    machine: str


def main() -> None:
    arguments = parsed_arguments()
    plan = Plan.quick() if arguments.quick else Plan.full()
    contenders = [each for each in CONTENDERS if arguments.only in (None, each.engine)]
    found = pickle.loads(LAST.read_bytes()) if arguments.again else measured(contenders, plan, arguments.dir)
    text = page(found.results, found.requests, found.plan, found.versions, found.machine)
    print(text)
    if not arguments.quick and not arguments.only:
        LAST.write_bytes(pickle.dumps(found))
        PAGE.write_text(with_tables(text, PAGE.read_text(encoding="utf-8")), encoding="utf-8")
        for name, picture in plots(found.results, found.requests).items():
            (DOCS / "images" / name).write_text(picture, encoding="utf-8")


def with_tables(page: str, before: str) -> str:
    """The page with the section of `small_epochs`, which is measured apart."""
    tables = section_of(before, TABLES)
    return with_section(page, TABLES, tables) if tables else page


def measured(contenders: Sequence[Contender], plan: Plan, directory: str | None) -> Found:
    folder = Path(tempfile.mkdtemp(prefix="stoplog-peers-", dir=directory))
    try:
        requests = asked(contenders, plan, folder / "s3")
        results = in_turn(contenders, plan, folder / "rounds")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return Found(plan, results, requests, versions(), provenance())


def versions() -> dict[str, str]:
    return {
        "stoplog": stoplog.__version__,
        "Apache Spark": pyspark.__version__,
        "Apache Flink": version_in("flink", "flink-runtime"),
        "Delta Lake": version_in("deltaSpark", r"delta-spark_[\d.]+_[\d.]+"),
        "Apache Iceberg": version_in("icebergSpark", r"iceberg-spark-runtime-[\d.]+_[\d.]+")
        + f" on Spark {spark_of_iceberg()}",
    }


def spark_of_iceberg() -> str:
    (found,) = ICEBERG_SPARK.glob("pyspark-*.dist-info")
    return found.name.removeprefix("pyspark-").removesuffix(".dist-info")


def version_in(path: str, module: str) -> str:
    """Of a jar on a class path."""
    found = re.search(rf"/{module}-([\d.]+)\.jar", class_path(path))
    if not found:
        raise RuntimeError(f"{path}.classpath names no {module}")
    return found[1]


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="few rows, one round; prints, and writes no page"
    )
    parser.add_argument(
        "--only", choices=sorted({each.engine for each in CONTENDERS}), help="one engine; writes no page"
    )
    parser.add_argument(
        "--again", action="store_true", help="write the page anew from the figures of the last full run"
    )
    parser.add_argument(
        "--dir", default=None, help="where to write (default: the system's temporary directory)"
    )
    return parser.parse_args()


if __name__ == "__main__":
    main()
