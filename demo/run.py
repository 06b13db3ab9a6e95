"""Stream a year of flights, kill the job twice with `kill -9`, and look for every row in the files.

`make demo` runs this. What it makes lies under build/demo/.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

# This file is run as a script, and scripts look for modules in their own folder only.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from demo import data
from demo.picture import Panel, size_in_words, svg
from demo.processes import ROOT, Job
from demo.verify import Found, verify, visible_files

WORK = ROOT / "build" / "demo"
INPUT = WORK / f"input-{data.DAYS_PER_FILE}-days"
OUTPUT = WORK / "flights"
SPARK_OUTPUT = WORK / "flights-spark"
PICTURE = WORK / "file-sizes.svg"

KILL_AT_FINISHED_FILES = (5, 20)
"""By then many parts are finished and many are open, and neither the first nor the last batch is running."""


def main() -> int:
    begun = time.monotonic()
    for leftover in (OUTPUT, SPARK_OUTPUT, WORK / "checkpoint", WORK / "checkpoint-spark"):
        shutil.rmtree(leftover, ignore_errors=True)
    WORK.mkdir(parents=True, exist_ok=True)
    sent = data.rows()
    files = data.write_input(INPUT)
    say(f"{len(sent):,} flights in {files} input files, two days each, two files a micro-batch")

    job = Job("demo.job", (INPUT, OUTPUT, WORK / "checkpoint"), WORK / "job.log")
    for finished in KILL_AT_FINISHED_FILES:
        say("starting demo/job.py")
        job.run_until(moment(finished))
        say(f"kill -9. {Standing.of(OUTPUT)}")
        found = verify(OUTPUT, sent, data.columns())
        say(f"Readers find {found.rows:,} rows so far, {found.surplus} of them twice, {found.torn} torn")
    say("starting demo/job.py, which now runs to its end")
    job.run()
    say(f"The job has ended. {Standing.of(OUTPUT)}")

    say("running demo/spark_job.py: the same batches, Spark's own JSON sink, not killed")
    Job("demo.spark_job", (INPUT, SPARK_OUTPUT, WORK / "checkpoint-spark"), WORK / "spark_job.log").run()

    say("reading all visible files with plain Python\n")
    ours = verify(OUTPUT, sent, data.columns())
    sparks = verify(SPARK_OUTPUT, sent, data.columns())
    print(table(len(sent), ours, sparks))
    draw(ours, sparks)
    if not ours.is_exact:
        say("This is wrong: every row should be there exactly once.")
        return 1
    say(f"Every flight is there exactly once. All of this took {time.monotonic() - begun:.0f} seconds.")
    return 0


@dataclass(frozen=True, slots=True)
class Standing:
    """What lies in the sink's directory at one moment."""

    finished: list[int]
    unfinished: list[int]

    @staticmethod
    def of(folder: Path) -> Standing:
        return Standing(
            _sizes(visible_files(folder)), _sizes((folder / "_stoplog").glob("*/open/**/.*.inprogress.*"))
        )

    def __str__(self) -> str:
        return (
            f"Readers see {len(self.finished)} finished files ({size_in_words(sum(self.finished))}); "
            f"{len(self.unfinished)} unfinished ones ({size_in_words(sum(self.unfinished))}) are hidden"
        )


def moment(finished: int) -> Callable[[], bool]:
    def has_come() -> bool:
        now = Standing.of(OUTPUT)
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


def draw(ours: Found, sparks: Found) -> None:
    panels = [
        Panel(f"Spark's json sink: {len(sparks.sizes):,} files", sparks.sizes, "#b0b7c3"),
        Panel(f"stoplog, maxPartSize=2m: {len(ours.sizes):,} files", ours.sizes, "#2f6f9f"),
    ]
    PICTURE.write_text(svg(panels), encoding="utf-8")
    say(f"\nA picture of the sizes: {PICTURE.relative_to(ROOT)}")


def say(text: str) -> None:
    print(text, flush=True)


def _cell(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else value


def _sizes(paths: Iterable[Path]) -> list[int]:
    """A file that is published or removed between two looks is passed over."""
    sizes = []
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            if path.is_file():
                sizes.append(path.stat().st_size)
    return sizes


if __name__ == "__main__":
    sys.exit(main())
