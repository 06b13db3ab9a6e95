# SPDX-License-Identifier: Apache-2.0
"""Very many files: how they are found and remembered, also after a restart, beside Spark's own source."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.source_data import LINE_OF_MANY, many_files
from bench.source_job import FILES_AT_ONCE
from bench.source_reads import SIDES, Side

ROOT = Path(__file__).resolve().parent.parent
SMALL_HEAP, LARGE_HEAP = "512m", "8g"
LIFE_SECONDS = 1_800


@dataclass(frozen=True, slots=True)
class Lives:
    """Two lives of one stream: the first finds all files, the second one more."""

    side: Side
    heap: str
    first: dict[str, float]
    again: dict[str, float]
    state_bytes: int


@dataclass(frozen=True, slots=True)
class Many:
    files: int
    path_bytes: int
    lives: tuple[Lives, ...]
    failed: tuple[str, ...]  # who could not do it with the small heap

    def of(self, side: Side) -> Lives:
        return next(lives for lives in self.lives if lives.side == side)


def many(files: int, folder: Path) -> Many:
    root = folder / "in"
    path_bytes = many_files(root, files)
    lives, failed = [], []
    for side in SIDES:
        found = None
        for heap in (SMALL_HEAP, LARGE_HEAP):
            found = lived(side, heap, files, root, folder / f"{side}-{heap}")
            if found:
                break
            failed.append(f"{side}, {heap}")
        if not found:
            raise RuntimeError(f"{side} found {files} files with no heap")
        lives.append(found)
    return Many(files, path_bytes, tuple(lives), tuple(failed))


def lived(side: Side, heap: str, files: int, root: Path, place: Path) -> Lives | None:
    """None if the process died, of too little heap."""
    batches = -(-len_of(root, files) // FILES_AT_ONCE)
    checkpoint = place / "checkpoint"
    checkpoint.parent.mkdir(parents=True)
    first = life(side, heap, root, checkpoint, batches)
    if first is None:
        return None
    state = sum(f.stat().st_size for f in (checkpoint / "sources").rglob("*") if f.is_file())
    late = root / f"late-{side}.txt"
    late.write_bytes(LINE_OF_MANY)
    again = life(side, heap, root, checkpoint, 1)
    late.unlink()
    shutil.rmtree(place, ignore_errors=True)
    return Lives(side, heap, first, again, state) if again else None


def len_of(root: Path, files: int) -> int:
    """Those of the directories, and those that came later."""
    return files + sum(1 for f in root.iterdir() if f.is_file())


def life(side: Side, heap: str, root: Path, checkpoint: Path, batches: int) -> dict[str, float] | None:
    command = [sys.executable, "-m", "bench.source_job", side, str(root), str(checkpoint), heap, str(batches)]
    # A session of its own, so that the JVM dies with Python.
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        out, _ = process.communicate(timeout=LIFE_SECONDS)
    except subprocess.TimeoutExpired:
        return None
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
    lines = [line for line in out.splitlines() if line.startswith("{")]
    if not lines:
        return None
    measured: dict[str, float] = json.loads(lines[-1])
    return measured


ROWS = (
    ("first", "all", "first discovery: from the start until all files are in micro-batches"),
    ("first", "discovery", "of that, finding the files"),
    ("first", "poll", "a later poll that finds nothing"),
    ("again", "first", "from the start of a new process' query to the end of a micro-batch of one new file"),
    ("first", "walk", "one plain walk over the files in the same process"),
)


def many_section(measured: Many) -> list[str]:
    ours, sparks = measured.of("stoplog"), measured.of("Spark")
    lines = [
        f"{measured.files:,} files of one line, in directories of 1,000. A stream plans {FILES_AT_ONCE:,}",
        "files at a time and reads no rows: the figures, in seconds, show how files are found and",
        "remembered. Then one file is added, and the stream restarts in a new JVM.",
        "",
        "| | stoplog | Spark | ratio |",
        "|---|---:|---:|---:|",
        f"| heap of the driver | {ours.heap} | {sparks.heap} | |",
    ]
    for life_name, name, what in ROWS:
        ours_value = getattr(ours, life_name)[name]
        sparks_value = getattr(sparks, life_name)[name]
        ratio = f"{sparks_value / ours_value:.1f}"
        lines.append(f"| {what} | {ours_value:.2f} | {sparks_value:.2f} | {ratio} |")
    lines += [
        f"| heap that the source holds, bytes for each file | {heap(ours, 'first', measured)} "
        f"| {heap(sparks, 'first', measured)} | |",
        f"| the same after the restart | {heap(ours, 'again', measured)} "
        f"| {heap(sparks, 'again', measured)} | |",
        f"| state in the checkpoint, bytes for each file | {ours.state_bytes / measured.files:.1f} "
        f"| {sparks.state_bytes / measured.files:.1f} | |",
    ]
    names = measured.path_bytes / measured.files
    poll = ours.first["poll"] / ours.first["walk"]
    return [
        *lines,
        "",
        f"The paths below the root have {names:.0f} bytes on average. A poll of stoplog needs {poll:.2f} of",
        "the time of a plain walk.",
        *out_of_heap(measured.failed),
    ]


def heap(lives: Lives, name: str, measured: Many) -> str:
    return f"{max(getattr(lives, name)['heap'], 0) / measured.files:.0f}"


def out_of_heap(failed: Sequence[str]) -> list[str]:
    if not failed:
        return []
    return ["", f"Did not get through with so little heap: {'; '.join(failed)}."]
