# SPDX-License-Identifier: Apache-2.0
"""The commands of `stoplog` on a directory with many finished and open parts: seconds and memory of each."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from stoplog._log.crc32c import crc32c

ROOT = Path(__file__).resolve().parent.parent
UID = "6f1c2f3e8a4b"
RUN = "6f1c2f3e-8a4b-4c5d-9e6f-0a1b2c3d4e5f"
RECORDS = 3
BUCKETS = 1_000
LIMIT_SECONDS = 5.0
LIMIT_MIB = 300

# The kernel counts the parent's own memory into its child's, from before the exec: so the child is asked.
AND_ITS_MEMORY = """
import sys
from stoplog.cli import main
code = main(sys.argv[1:])
with open("/proc/self/status") as lines:
    sys.stderr.write(next(line for line in lines if line.startswith("VmHWM")))
sys.exit(code)
"""


@dataclass(frozen=True, slots=True)
class Command:
    """What one command took, in each round.

    Attributes:
        name: with its arguments.
        seconds: from the start of Python to its end.
        mib: the most memory that the process held.
    """

    name: str
    seconds: tuple[float, ...]
    mib: float

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)


def commands(finished: int, opened: int, rounds: int, folder: Path) -> list[Command]:
    """Each command in turn, after a round that is not counted."""
    sink = folder / "events"
    make(sink, finished, opened)
    asked = {
        "ls": ["ls", str(sink)],
        "status": ["status", str(sink)],
        "status --output json": ["status", str(sink), "--output", "json"],
        "show EPOCH": ["show", str(sink), str(RECORDS - 1)],
        "explain PART (open)": ["explain", str(sink), name(finished + opened - 1)],
        "explain PART (finished)": ["explain", str(sink), f"{bucket(7)}/{name(7)}"],
        "check": ["check", str(sink)],
        "report": ["report", str(sink)],
    }
    seconds: dict[str, list[float]] = {which: [] for which in asked}
    most: dict[str, float] = dict.fromkeys(asked, 0.0)
    for number in range(rounds + 1):
        for which, arguments in asked.items():
            took, mib = run(arguments)
            if number > 0:
                seconds[which].append(took)
                most[which] = max(most[which], mib)
    return [Command(which, tuple(seconds[which]), most[which]) for which in asked]


def run(arguments: Sequence[str]) -> tuple[float, float]:
    """Seconds and MiB of one process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", AND_ITS_MEMORY, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        check=True,
    )
    seconds = time.perf_counter() - begun
    return seconds, int(done.stderr.split()[-2]) / 1024


def make(sink: Path, finished: int, opened: int) -> None:
    """A directory as the sink leaves it, in the middle of a query."""
    now = time.time_ns() // 1_000_000
    for number in range(BUCKETS):
        (sink / bucket(number)).mkdir(parents=True)
        (sink / "_stoplog/main/open" / bucket(number)).mkdir(parents=True)
    for number in range(finished):
        (sink / bucket(number) / name(number)).write_bytes(b"row\n")
    parts = [open_part(finished + number, now) for number in range(opened)]
    for part in parts:
        (sink / str(part["handle"])).write_bytes(b"row\n")
    log = sink / "_stoplog/main/log"
    log.mkdir()
    for seq in range(RECORDS):
        body = {
            "seq": seq,
            "kind": "epoch",
            "epoch": seq,
            "run": RUN,
            "writtenAtMillis": now,
            "publish": [],
            "state": {
                "queryId": "d3b07384-d9a0-4c9b-8f6e-2f4a1c7e5b60",
                "lastEpoch": seq,
                "nextPart": finished + opened,
                "settings": {
                    "content": "format=json; compression=none",
                    "inProgress": "staging",
                    "inactivityInterval": "5m",
                    "maxPartSize": "128m",
                    "rolloverInterval": "15m",
                    "rollingPolicy": "default",
                },
                "open": parts,
            },
        }
        text = json.dumps(body, separators=(",", ":"))
        envelope = f'{{"version":1,"crc32c":"{crc32c(text.encode()):08x}","record":{text}}}'
        (log / f"{seq:020d}.commit").write_text(envelope, encoding="utf-8")


def open_part(number: int, now_millis: int) -> dict[str, object]:
    staged = f"_stoplog/main/open/{bucket(number)}/.{name(number)}.inprogress.{UID}-{number:016x}"
    return {
        "bucket": bucket(number),
        "name": name(number),
        "bytes": 4,
        "records": 1,
        "openedAtMillis": now_millis - 60_000 + number,
        "lastWrittenAtMillis": now_millis - 30_000 + number,
        "slot": number % 8,
        "handle": staged,
        "owner": RUN,
    }


def bucket(number: int) -> str:
    return f"country={number % BUCKETS:03d}"


def name(number: int) -> str:
    return f"part-{UID}-{number}.json"


def cli_section(measured: Sequence[Command], finished: int, opened: int) -> list[str]:
    status = next(row for row in measured if row.name == "status")
    held = status.median <= LIMIT_SECONDS and status.mib <= LIMIT_MIB
    return [
        f"A directory on a local disk with {finished:,} finished and {opened:,} open parts in {BUCKETS:,}",
        f"buckets, and {RECORDS} records that name all open parts. Each command is a separate process,",
        f"measured from the start of Python to its end. Figures are medians of {len(status.seconds)} rounds,",
        f"and the maximum memory. The limit of `status` is {LIMIT_SECONDS:.0f} s and {LIMIT_MIB} MiB:",
        f"{'held' if held else 'not held'}.",
        "",
        "| `stoplog` | seconds | MiB | rounds |",
        "|---|---:|---:|---|",
        *(
            f"| `{row.name}` | {row.median:.2f} | {row.mib:.0f} "
            f"| {' '.join(f'{value:.2f}' for value in row.seconds)} |"
            for row in measured
        ),
    ]
