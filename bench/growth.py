# SPDX-License-Identifier: Apache-2.0
"""What one epoch costs the driver against what was there before: the number of calls of the storage, and the
bytes of the record. Writes a section of `docs/reference/benchmarks.md`.

Counted without Spark, by `stoplog.bench.growth` among the Scala tests: this runs it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# This file is run as a script, and scripts look for modules in their own folder only.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench.engines.page import prose
from bench.page import with_section
from bench.provenance import ROOT, provenance
from bench.stores import measured

PAGE = ROOT / "docs" / "reference" / "benchmarks.md"
TITLE = "What an epoch costs after many others"
SIZES = (10, 100, 1_000, 10_000)


def section(curves: Sequence[Mapping[str, Any]], provenance: str) -> list[str]:
    return [
        *prose(
            f"""Written by `make bench-growth`. An epoch of one task writes one row to one part. The table has
            the calls of the storage for such an epoch, on average, and the bytes of its record: after so many
            epochs, next to so many open parts without new rows, and so on. A source reads one new file in
            each micro-batch. The driver and the source are those of production, over storages in memory, so
            the counts hold on each machine. The driver also looks at each open part in memory, which takes
            no call. Counted on {provenance}."""
        ),
        "",
        *table(curves),
    ]


def table(curves: Sequence[Mapping[str, Any]]) -> list[str]:
    sizes = [point["size"] for point in curves[0]["points"]]
    lines = [f"| | {' | '.join(f'{size:,}' for size in sizes)} |", "|---|" + "---:|" * len(sizes)]
    for curve in curves:
        against, points = curve["against"], curve["points"]
        calls = " | ".join(format(point["calls"], ".2f") for point in points)
        record = " | ".join(format(point["bytes"], ",") for point in points)
        lines.append(f"| {against}: calls | {calls} |")
        if any(point["bytes"] for point in points):
            lines.append(f"| {against}: bytes | {record} |")
    return lines


def main() -> None:
    folder = Path(tempfile.mkdtemp(prefix="stoplog-growth-"))
    try:
        curves = measured("growth.GrowthCurves", folder, *map(str, SIZES))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    lines = section(curves, provenance())
    print("\n".join(lines))
    PAGE.write_text(with_section(PAGE.read_text(encoding="utf-8"), TITLE, lines), encoding="utf-8")


if __name__ == "__main__":
    main()
