# SPDX-License-Identifier: Apache-2.0
"""Count the flights that `spark.read` finds in a directory, without stoplog and without options.

usage: read_job.py DIRECTORY EXPECTED
"""

from __future__ import annotations

import sys

from demo.job import local_session


def main(directory: str, expected: str) -> None:
    found = local_session().getOrCreate().read.json(directory)
    rows, hours = found.count(), found.select("hour").distinct().count()
    print(f"spark.read finds {rows:,} rows in {hours} directories hour=…", flush=True)
    if rows != int(expected):
        raise SystemExit(f"{int(expected):,} rows were expected in {directory}")


if __name__ == "__main__":
    main(*sys.argv[1:])
