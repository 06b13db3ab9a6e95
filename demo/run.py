# SPDX-License-Identifier: Apache-2.0
"""Stream a year of flights, kill the job twice with `kill -9`, and look for every row in the files.

usage: run.py [disk|hdfs|s3]

`make demo` runs this on a local disk, `make demo-hdfs` and `make demo-s3` on a server that they start.
What it makes lies under build/demo/.
"""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

# This file is run as a script, and scripts look for modules in their own folder only.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from demo import data
from demo.picture import Panel, size_in_words, svg
from demo.place import PLACES, Place
from demo.processes import ROOT, Job
from demo.storage import Storage
from demo.verify import Found, is_visible, verify

DEMO = ROOT / "build" / "demo"
OUTPUT, SPARK_OUTPUT = "flights", "flights-spark"

KILL_AT_FINISHED_FILES = (5, 20)
"""By then many parts are finished and many are open, and neither the first nor the last batch is running."""


def main(kind: str = "disk") -> int:
    work = DEMO / kind
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    with PLACES[kind](work) as place:
        return demonstrate(place, work)


def demonstrate(place: Place, work: Path) -> int:
    begun = time.monotonic()
    ours, sparks = place.look(OUTPUT), place.look(SPARK_OUTPUT)
    sent = data.rows()
    days = place.days_per_file
    source = DEMO / f"input-{days}-days"
    files = data.write_input(source, days)
    say(f"{len(sent):,} flights in {files} input files, {days} days each, two files a micro-batch")

    conf = work / "conf"
    conf.mkdir()
    (conf / "spark-defaults.conf").write_text(
        "".join(f"{key} {value}\n" for key, value in place.conf.items())
    )
    job = Job("demo.job", (source, place.path(OUTPUT), work / "checkpoint"), conf, work / "job.log")
    for finished in KILL_AT_FINISHED_FILES:
        say(f"starting demo/job.py, which writes to {place.path(OUTPUT)}")
        job.run_until(moment(ours, finished))
        say(f"kill -9. {Standing.of(ours)}")
        found = verify(ours, sent, data.columns())
        say(f"Readers find {found.rows:,} rows so far, {found.surplus} of them twice, {found.torn} torn")
    say("starting demo/job.py, which now runs to its end")
    job.run()
    say(f"The job has ended. {Standing.of(ours)}")

    say("running demo/spark_job.py: the same batches, Spark's own JSON sink, not killed")
    arguments = (source, place.path(SPARK_OUTPUT), work / "checkpoint-spark")
    Job("demo.spark_job", arguments, conf, work / "spark_job.log").run()

    say("running demo/read_job.py: what Spark finds without stoplog")
    Job("demo.read_job", (place.path(OUTPUT), str(len(sent))), conf, work / "read_job.log").run()

    say("reading all visible files with plain Python\n")
    found, sparks_found = (verify(storage, sent, data.columns()) for storage in (ours, sparks))
    print(table(len(sent), found, sparks_found))
    draw(found, sparks_found, work / "file-sizes.svg")
    if not found.is_exact:
        say("This is wrong: every row should be there exactly once.")
        return 1
    say(f"Every flight is there exactly once. All of this took {time.monotonic() - begun:.0f} seconds.")
    return 0


@dataclass(frozen=True, slots=True)
class Standing:
    """What lies in the sink's directory at one moment: the sizes of its files in bytes."""

    finished: list[int]
    unfinished: list[int]

    @staticmethod
    def of(storage: Storage) -> Standing:
        files = storage.files()
        return Standing(
            [size for name, size in files.items() if is_visible(name)],
            [size for name, size in files.items() if is_unfinished(name)],
        )

    def __str__(self) -> str:
        return (
            f"Readers see {len(self.finished)} finished files ({size_in_words(sum(self.finished))}); "
            f"{len(self.unfinished)} unfinished ones ({size_in_words(sum(self.unfinished))}) are hidden"
        )


def is_unfinished(name: str) -> bool:
    return name.startswith("_stoplog/") and "/open/" in name


def moment(storage: Storage, finished: int) -> Callable[[], bool]:
    def has_come() -> bool:
        now = Standing.of(storage)
        return len(now.finished) >= finished and len(now.unfinished) > 0

    return has_come


def table(sent: int, ours: Found, sparks: Found) -> str:
    lines: list[tuple[str, int | str, int | str]] = [
        ("", "stoplog", "Spark's json sink"),
        ("kill -9", len(KILL_AT_FINISHED_FILES), 0),
        ("rows sent", sent, sent),
        ("rows found", ours.rows, sparks.rows),
        ("missing", ours.missing, sparks.missing),
        ("twice, or never sent", ours.surplus, sparks.surplus),
        ("torn lines", ours.torn, sparks.torn),
        ("files", len(ours.sizes), len(sparks.sizes)),
        ("median file", size_in_words(ours.median_bytes), size_in_words(sparks.median_bytes)),
        ("largest file", size_in_words(max(ours.sizes)), size_in_words(max(sparks.sizes))),
    ]
    return "\n".join(f"  {name:<22}{_cell(left):>12}{_cell(right):>20}" for name, left, right in lines)


def draw(ours: Found, sparks: Found, picture: Path) -> None:
    panels = [
        Panel(f"Spark's json sink: {len(sparks.sizes):,} files", sparks.sizes, "#b0b7c3"),
        Panel(f"stoplog, maxPartSize=2m: {len(ours.sizes):,} files", ours.sizes, "#2f6f9f"),
    ]
    picture.write_text(svg(panels), encoding="utf-8")
    say(f"\nA picture of the sizes: {picture.relative_to(ROOT)}")


def say(text: str) -> None:
    print(text, flush=True)


def _cell(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else value


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
