# SPDX-License-Identifier: Apache-2.0
"""Measures batch jobs of many files, and the time in which readers see an overwrite half done.

    python -m bench.batch_jobs costs JAR [JAR] [--rounds N]   seconds of a job with each jar, in turn
    python -m bench.batch_jobs gap JAR [JAR] [--rounds N]     milliseconds on a local disk, HDFS and S3
    python -m bench.batch_jobs partitions JAR [--rounds N]    seconds to replace one of 10, of 10,000

Each measured job of `costs` and each storage of `gap` runs in a new process. Both print all rounds. `gap`
writes the figures of its last jar to a section of `docs/reference/benchmarks.md`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.page import with_section
from bench.provenance import provenance
from demo.place import PLACES
from demo.storage import Storage

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "reference" / "benchmarks.md"
TITLE = "Readers of an overwritten directory"
FILES = 10_000
FEW_DIRECTORIES, MANY_DIRECTORIES = 10, 10_000
GAP_FILES = 1_000
WARM_UP_FILES = 200
SCOPES = {
    "dynamic": {"partitionOverwriteMode": "dynamic"},
    "replaceWhere": {"replaceWhere": "directory = '7'"},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what", choices=("costs", "gap", "job", "partitions", "place"))
    parser.add_argument("jars", nargs="*", type=Path)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    if arguments.what == "job":
        print(json.dumps(jobs(*map(str, arguments.jars))))
    elif arguments.what == "place":
        print(gaps(str(arguments.jars[0]), arguments.jars[1], arguments.rounds))
    elif arguments.what == "partitions":
        partitions(str(arguments.jars[0]), arguments.rounds)
    elif arguments.what == "costs":
        costs(arguments.jars, arguments.rounds)
    else:
        for jar in arguments.jars:
            lines = [gaps_in_new_process(name, jar, arguments.rounds) for name in PLACES]
            print(jar, *lines, sep="\n")
        page = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(with_section(page, TITLE, gap_section(lines, arguments.rounds)), encoding="utf-8")


def costs(jars: list[Path], rounds: int) -> None:
    """Prints the seconds of each job for each jar, and the ratio of the last jar to the first."""
    seconds: dict[tuple[int, str, Path], list[float]] = defaultdict(list)
    for number in range(rounds):
        for jar in jars if number % 2 == 0 else reversed(jars):
            for directories in (FEW_DIRECTORIES, MANY_DIRECTORIES):
                for mode, took in in_new_process(jar, directories).items():
                    seconds[directories, mode, jar].append(took)
    for (directories, mode, jar), values in seconds.items():
        ratio = statistics.median(values) / statistics.median(seconds[directories, mode, jars[0]])
        print(
            f"{mode} of {FILES:,} files in {directories:,} directories, {jar}: "
            f"{statistics.median(values):.2f} s, ratio {ratio:.2f}; {' '.join(f'{s:.2f}' for s in values)}"
        )


def in_new_process(jar: Path, directories: int) -> dict[str, float]:
    """Returns the seconds of an append and of an overwrite of the same files, in a new process."""
    folder = tempfile.mkdtemp(prefix="batch-jobs-")
    command = [sys.executable, "-m", "bench.batch_jobs", "job", str(jar), folder, str(directories)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    shutil.rmtree(folder)
    figures: dict[str, float] = json.loads(ran.stdout.splitlines()[-1])
    return figures


def jobs(jar: str, folder: str, directories: str) -> dict[str, float]:
    """Runs the two jobs in this process, after a small job of each kind that is not measured."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.jars", jar)
    spark = builder.config("spark.ui.enabled", "false").config("spark.driver.memory", "3g").getOrCreate()
    write = writer(spark, FILES, int(directories))
    warm = writer(spark, WARM_UP_FILES, min(int(directories), WARM_UP_FILES))
    for mode in ("append", "overwrite"):
        warm(f"{folder}/warm-up", mode)
    figures = {}
    for mode in ("append", "overwrite"):
        begin = time.monotonic()
        write(f"{folder}/out", mode)
        figures[mode] = time.monotonic() - begin
    spark.stop()
    return figures


def writer(spark: object, files: int, directories: int) -> Callable[[str, str], None]:
    """Returns a function that writes one row to each file."""
    rows = spark.range(0, files, 1, 2).selectExpr(  # type: ignore[attr-defined]
        "cast(id AS string) AS value", f"cast(id % {directories} AS string) AS directory"
    )

    def write(path: str, mode: str) -> None:
        options = {"format": "text", "maxRecordsPerPart": "1", "maxOpenParts": str(max(directories, 1000))}
        rows.write.format("stoplog").options(**options).partitionBy("directory").mode(mode).save(path)

    return write


def partitions(jar: str, rounds: int) -> None:
    """Prints the seconds of an overwrite of one partition, for both numbers of partitions in turn."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").config("spark.jars", jar)
    spark = builder.config("spark.ui.enabled", "false").config("spark.driver.memory", "3g").getOrCreate()
    one_row = spark.sql("SELECT 'new' AS value, '7' AS directory")
    with tempfile.TemporaryDirectory() as folder:
        counts = (FEW_DIRECTORIES, MANY_DIRECTORIES)
        for count in counts:
            writer(spark, count, count)(f"{folder}/{count}", "append")
        for name, options in SCOPES.items():
            seconds: dict[int, list[float]] = {count: [] for count in counts}
            for number in range(rounds + 1):
                for count in counts if number % 2 == 0 else reversed(counts):
                    write = one_row.write.format("stoplog").options(format="text", **options)
                    begin = time.monotonic()
                    write.partitionBy("directory").mode("overwrite").save(f"{folder}/{count}")
                    if number > 0:
                        seconds[count].append(time.monotonic() - begin)
            few, many = (statistics.median(seconds[count]) for count in counts)
            each = "; ".join(
                f"{count:,}: {' '.join(f'{s:.2f}' for s in values)}" for count, values in seconds.items()
            )
            print(f"{name}: {few:.2f} s of {counts[0]:,} partitions, ratio {many / few:.2f}; {each}")
    spark.stop()


@dataclass
class Watch:
    """What a reader sees of an overwrite. Times are from a monotonic clock, in seconds."""

    whole_before: float = 0.0
    nothing: float = 0.0
    whole_after: float = 0.0


def gaps_in_new_process(place: str, jar: Path, rounds: int) -> str:
    """Returns the line of one storage. The jars of a storage must be there when its JVM starts."""
    command = [sys.executable, "-m", "bench.batch_jobs", "place", place, str(jar), "--rounds", str(rounds)]
    ran = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return ran.stdout.splitlines()[-1]


def gaps(place: str, jar: Path, rounds: int) -> str:
    """Measures for how long a reader sees neither all old nor all new files, and for how long no file."""
    from pyspark.sql import SparkSession

    torn, empty = [], []
    with tempfile.TemporaryDirectory() as work, PLACES[place](Path(work)) as where:
        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        for key, value in where.conf.items():
            builder = builder.config(key, value)
        jars = [str(jar), *filter(None, [where.conf.get("spark.jars")])]
        builder = builder.config("spark.jars", ",".join(jars))
        spark = builder.getOrCreate()
        write = writer(spark, GAP_FILES, FEW_DIRECTORIES)
        for number in range(rounds + 1):
            write(where.path("out"), "append" if number == 0 else "overwrite")
            if number == 0:
                continue
            seen = watched(where.look("out"), lambda: write(where.path("out"), "overwrite"))
            torn.append(1000 * (seen.whole_after - seen.whole_before))
            empty.append(1000 * seen.nothing)
        spark.stop()
    cells = [f"{statistics.median(values):.0f} | {listed(values)}" for values in (torn, empty)]
    return f"| {place} | {cells[0]} | {cells[1]} |"


def listed(values: list[float]) -> str:
    return " ".join(f"{value:.0f}" for value in values)


def gap_section(lines: list[str], rounds: int) -> list[str]:
    return [
        f"An overwrite replaces {GAP_FILES:,} files in {FEW_DIRECTORIES} directories by as many, while a",
        "reader lists the directory as fast as the storage permits. An overwrite first hides the replaced",
        "files, and then shows the new files, so that no listing has both. The table has milliseconds: from",
        "the last listing with all old files to the first listing with all new files, and the time of",
        "listings without any file. On HDFS and S3, the listing takes a part of this time. S3 is a server of",
        "the tests on one core: a moved file costs a copy and a deletion. The median of",
        f"{rounds} rounds, and all rounds.",
        "",
        "| storage | neither all old nor all new files | rounds | no file | rounds |",
        "|---|--:|---|--:|---|",
        *lines,
        "",
        f"Measured on {provenance()}.",
    ]


def watched(storage: Storage, job: Callable[[], None]) -> Watch:
    """Lists the visible files as fast as the storage permits while the job runs."""
    old = visible(storage)
    seen = Watch()
    over = threading.Event()

    def look() -> None:
        last = time.monotonic()
        while not seen.whole_after:
            names, now = visible(storage), time.monotonic()
            if old <= names:
                seen.whole_before = now
            elif not old & names and len(names) >= len(old):
                seen.whole_after = now
            elif not names:
                seen.nothing += now - last
            last = now
            if over.is_set() and old <= names:
                return

    thread = threading.Thread(target=look)
    thread.start()
    job()
    over.set()
    thread.join()
    return seen


def visible(storage: Storage) -> set[str]:
    return {name for name in storage.files() if not any(part[0] in "_." for part in name.split("/"))}


if __name__ == "__main__":
    main()
