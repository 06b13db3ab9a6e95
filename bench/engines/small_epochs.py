# SPDX-License-Identifier: Apache-2.0
"""Compares the sinks of Iceberg and Delta Lake with finished parts of stoplog in tables of these formats, in
many small micro-batches, and writes a section of `docs/reference/benchmarks-peers.md`.

python bench/engines/small_epochs.py [--quick]
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

# This file is run as a script, and scripts look for modules in their own folder only.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

import fastavro
import numpy as np
import pyarrow.parquet as pq
from bench.engines.into_table import ENGINES, MAX_PART_SIZE, ROWS
from bench.engines.page import prose
from bench.engines.paths import ROOT
from bench.engines.spark_sinks import environment
from bench.page import with_section
from bench.provenance import provenance
from deltalake import DeltaTable
from pyiceberg.table import StaticTable

PAGE = ROOT / "docs" / "reference" / "benchmarks-peers.md"
TITLE = "Small micro-batches into a table"
PLAIN = "stoplog, plain Parquet"
WRITERS = ("Iceberg", "stoplog into Iceberg", "Delta Lake", "stoplog into Delta Lake", PLAIN)
ROUNDS, EPOCHS, SCANS = 3, 300, 9
_DELETED = 2


@dataclass(frozen=True, slots=True)
class Table:
    """What a reader finds.

    Attributes:
        committed: the moment of the commit of each file, in milliseconds since 1970.
        commits: of the table: its snapshots or versions.
        metadata_bytes: of all files but the data files.
        scan: reads all rows.
    """

    committed: Mapping[Path, int]
    commits: int
    metadata_bytes: int
    scan: Callable[[], int]


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one writer in one round; a sink without a table has only the time."""

    epoch_millis: float
    files: int = 0
    commits: int = 0
    metadata_bytes: int = 0
    latency_millis: float = 0
    scan_ratio: float = 0


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="one round of few micro-batches; writes no page")
    is_quick = parser.parse_args().quick
    rounds, epochs = (1, 20) if is_quick else (ROUNDS, EPOCHS)
    folder = Path(tempfile.mkdtemp(prefix="stoplog-small-epochs-"))
    measured_on = provenance()  # an edit during the rounds changes no figure
    figures: dict[str, list[Figures]] = {writer: [] for writer in WRITERS}
    try:
        for number in range(rounds):
            for writer, found in round_of(folder / str(number), epochs, number).items():
                figures[writer].append(found)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    lines = [*section(figures, epochs), "", f"Measured on {measured_on}."]
    print("\n".join(lines))
    if not is_quick:
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(with_section(text, TITLE, lines), encoding="utf-8")


def round_of(folder: Path, epochs: int, number: int) -> dict[str, Figures]:
    """Runs each writer in a process of its own; each round begins with another writer."""
    shift = number * 2 % len(WRITERS)
    millis = {
        writer: run(writer, folder / writer.replace(" ", "-"), epochs)
        for writer in (*WRITERS[shift:], *WRITERS[:shift])
    }
    seconds = {
        kind: seconds_of(table_of(kind, folder / f"stoplog-into-{kind.replace(' ', '-')}" / "one").scan)
        for kind in ENGINES
    }
    found = {PLAIN: Figures(millis[PLAIN])}
    for writer in WRITERS[:-1]:
        kind = writer.removeprefix("stoplog into ")
        table = table_of(kind, folder / writer.replace(" ", "-"))
        require_each_once(writer, list(table.committed), epochs * ROWS)
        found[writer] = Figures(
            millis[writer],
            len(table.committed),
            table.commits,
            table.metadata_bytes,
            latency(table),
            seconds_of(table.scan) / seconds[kind],
        )
        print(f"{writer}: {found[writer]}", file=sys.stderr)
    shutil.rmtree(folder)
    return found


def run(writer: str, folder: Path, epochs: int) -> float:
    """Returns the median milliseconds of a micro-batch, without the first tenth."""
    folder.mkdir(parents=True)
    more = environment(ENGINES[writer]) if writer in ENGINES else {}
    command = [sys.executable, "-m", "bench.engines.into_table", writer, str(folder), str(epochs)]
    ran = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **more}, capture_output=True, text=True, check=False
    )
    if ran.returncode:
        raise RuntimeError(f"{writer} ended with {ran.returncode}:\n{ran.stderr[-3000:]}")
    return float(json.loads(ran.stdout.splitlines()[-1])["epoch_millis"])


def table_of(kind: str, folder: Path) -> Table:
    return delta_table(folder / "out") if kind == "Delta Lake" else iceberg_table(folder)


def iceberg_table(folder: Path) -> Table:
    """Reads the manifests with fastavro, and the rows with pyiceberg."""
    in_catalog = folder / "warehouse" / "db" / "events"
    root = in_catalog if in_catalog.exists() else folder / "out"
    newest = max(root.glob("metadata/v*.metadata.json"), key=lambda file: int(digits(file.name)))
    metadata = json.loads(newest.read_bytes())
    times = {each["snapshot-id"]: each["timestamp-ms"] for each in metadata["snapshots"]}
    current = next(
        each for each in metadata["snapshots"] if each["snapshot-id"] == metadata["current-snapshot-id"]
    )
    committed = {}
    for manifest in avro(local(current["manifest-list"])):
        for entry in avro(local(manifest["manifest_path"])):
            if entry["status"] != _DELETED:
                snapshot = entry["snapshot_id"] or manifest["added_snapshot_id"]
                committed[local(entry["data_file"]["file_path"])] = times[snapshot]
    return Table(
        committed,
        len(times),
        bytes_below(root / "metadata"),
        lambda: StaticTable.from_metadata(str(newest)).scan().to_arrow().num_rows,
    )


def delta_table(root: Path) -> Table:
    """Reads the log as JSON, and the rows with delta-rs."""
    committed: dict[Path, int] = {}
    versions = sorted(root.glob("_delta_log/*.json"))
    for version in versions:
        actions = [json.loads(line) for line in version.read_text(encoding="utf-8").splitlines()]
        millis = next(each["commitInfo"]["timestamp"] for each in actions if "commitInfo" in each)
        committed |= {root / unquote(each["add"]["path"]): millis for each in actions if "add" in each}
    return Table(
        committed,
        len(versions),
        bytes_below(root / "_delta_log"),
        lambda: DeltaTable(str(root)).to_pyarrow_table().num_rows,
    )


def digits(name: str) -> str:
    return re.sub(r"\D", "", name)


def avro(file: Path) -> list[Any]:
    return list(fastavro.reader(io.BytesIO(file.read_bytes())))


def local(address: str) -> Path:
    return Path(unquote(urlsplit(address).path))


def bytes_below(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def require_each_once(writer: str, files: Sequence[Path], rows: int) -> None:
    found = np.sort(np.concatenate([pq.ParquetFile(file).read(["id"])["id"].to_numpy() for file in files]))
    if not np.array_equal(found, np.arange(rows)):
        raise RuntimeError(f"{writer}: {len(found):,} rows are in the table, and not each of {rows:,} once")


def latency(table: Table) -> float:
    """The median milliseconds from the micro-batch of a row to the commit of its file."""
    waits = [
        millis - pq.ParquetFile(file).read(["at"])["at"].to_numpy()
        for file, millis in table.committed.items()
    ]
    return float(np.median(np.concatenate(waits)))


def seconds_of(scan: Callable[[], int]) -> float:
    """The median of some scans, after one that is not counted."""
    seconds = []
    for _ in range(SCANS + 1):
        begun = time.perf_counter()
        scan()
        seconds.append(time.perf_counter() - begun)
    return statistics.median(seconds[1:])


def section(figures: Mapping[str, Sequence[Figures]], epochs: int) -> list[str]:
    plain = statistics.median(each.epoch_millis for each in figures[PLAIN])
    return [
        *prose(
            f"""{epochs} micro-batches of {ROWS:,} rows into one table, by 2 tasks, each writer in processes
            of its own, in turn. Parts of stoplog end at {MAX_PART_SIZE}, and at the end of the query; each
            part enters the table by one commit. The catalog of Iceberg is a directory. Each run is checked:
            each row is in the table once. The latency is the median time from the micro-batch of a row to
            the commit of its file: a longer wait is the price of few files. A scan reads all rows with
            pyiceberg or delta-rs; the other table has the same rows in one file."""
        ),
        "",
        "| | data files | snapshots or versions | kB of metadata | ms per micro-batch "
        "| over plain Parquet, ms | latency, s | scan, to one file | rounds: ms per micro-batch |",
        "|---|--:|--:|--:|--:|--:|--:|--:|---|",
        *(line(writer, figures[writer], plain) for writer in WRITERS),
    ]


def line(writer: str, rounds: Sequence[Figures], plain_millis: float) -> str:
    def median(of: Callable[[Figures], float]) -> float:
        return statistics.median(of(each) for each in rounds)

    millis = median(lambda each: each.epoch_millis)
    cells = ["", "", "", f"{millis:.0f}", f"{millis - plain_millis:+.0f}", "", ""]
    if writer != PLAIN:
        cells = [
            f"{median(lambda each: each.files):.0f}",
            f"{median(lambda each: each.commits):.0f}",
            f"{median(lambda each: each.metadata_bytes) / 1000:,.1f}",
            *cells[3:5],
            f"{median(lambda each: each.latency_millis) / 1000:.1f}",
            f"{median(lambda each: each.scan_ratio):.2f}",
        ]
    spread = " ".join(f"{each.epoch_millis:.0f}" for each in rounds)
    return f"| {writer} | {' | '.join(cells)} | {spread} |"


if __name__ == "__main__":
    main()
