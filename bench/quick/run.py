# SPDX-License-Identifier: Apache-2.0
"""The figures that matter, in about five minutes: beside those that are committed, by their ratios to peers.

Ends with 1 if one of them is worse by more than its tolerance.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

# This file is run as a script, and scripts look for modules in their own folder only.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from bench.provenance import ROOT, provenance
from bench.quick.committed import Committed, compared, decoded, encoded
from bench.quick.measure import figures
from bench.quick.plan import Plan
from bench.quick.report import listed, page

COMMITTED = ROOT / "bench" / "quick" / "committed.json"
PAGE = ROOT / "docs" / "reference" / "benchmarks-quick.md"


def main() -> int:
    arguments = parsed_arguments()
    started = time.monotonic()
    folder = Path(tempfile.mkdtemp(prefix="stoplog-quick-", dir=arguments.dir))
    try:
        found = figures(Plan.tiny() if arguments.tiny else Plan.full(), folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    before = decoded(COMMITTED.read_text(encoding="utf-8")) if COMMITTED.exists() else None
    beside = compared(found, None if arguments.tiny else before)
    print(listed(beside))
    print(f"{time.monotonic() - started:.0f} s; {provenance()}")
    if arguments.write:
        committed = Committed.of(found, provenance())
        COMMITTED.write_text(encoded(committed), encoding="utf-8")
        PAGE.write_text(page(committed), encoding="utf-8")
        return 0
    return 1 if any(each.is_worse for each in beside) else 0


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--write", action="store_true", help="commit to these figures, and write the page")
    what.add_argument(
        "--tiny", action="store_true", help="few rows, only to see that it runs; compares nothing"
    )
    parser.add_argument(
        "--dir", default=None, help="where to write (default: the system's temporary directory)"
    )
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
