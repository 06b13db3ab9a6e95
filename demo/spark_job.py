# SPDX-License-Identifier: Apache-2.0
"""The same stream through Spark's own JSON sink, for comparison.

usage: python -m demo.spark_job INPUT OUTPUT CHECKPOINT
"""

from __future__ import annotations

import sys

from demo.job import flights, local_session


def main(input_path: str, output_path: str, checkpoint: str) -> None:
    query = (
        flights(local_session().getOrCreate(), input_path)
        .writeStream.format("json")
        .partitionBy("hour")
        .option("checkpointLocation", checkpoint)
        .trigger(availableNow=True)
        .start(output_path)
    )
    query.awaitTermination()


if __name__ == "__main__":
    main(*sys.argv[1:])
