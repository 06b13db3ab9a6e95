# SPDX-License-Identifier: Apache-2.0
"""`async_map` from a Spark Connect client without a JVM of its own. Prints a line of JSON."""

from __future__ import annotations

import json
import sys

from connect_session import connect_session

import stoplog


async def odd_ones_fail(row) -> tuple:
    if row.id % 2:
        raise OSError(f"no {row.id}")
    return (row.id, f"n{row.id}")


def main(job: dict) -> None:
    spark = connect_session(job)
    rows = spark.range(job["rows"])
    result = stoplog.async_map(
        rows, odd_ones_fail, "id bigint, name string", max_tasks=2, on_bad_row="reject"
    )
    good, rejected = stoplog.async_split(result)
    seen = {
        "good": sorted(row.name for row in good.collect()),
        "rejected": sorted(row.message for row in rejected.collect()),
    }
    print(json.dumps(seen), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
