# SPDX-License-Identifier: Apache-2.0
"""The process that runs a pipeline.

The process reads its instructions from its standard input, a line of JSON
(`stoplog.testing._process.ProcessRun`), and dies with the process at the other end.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_LAST_BREATH_SECONDS = 5


def main() -> None:
    life = json.loads(sys.stdin.readline())
    threading.Thread(target=_die_with_parent, daemon=True).start()
    with halted():
        live(life)


def live(life: dict[str, Any]) -> None:
    """Runs the query to the end of its input, and to the end of the sink's finalizing."""
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

    import stoplog
    from stoplog.testing._process import FunctionName

    build = FunctionName(**life["build"]).find()
    builder = SparkSession.builder
    for key, value in life["conf"].items():
        builder = builder.config(key, value)
    spark = stoplog.configure(builder).getOrCreate()
    writer = build(spark, life["source"], life["sink"], **life["arguments"])
    if not isinstance(writer, DataStreamWriter):
        raise TypeError(
            f"{life['build']['name']} returned {type(writer).__name__}. Return the DataStreamWriter "
            "before start(): the test sets checkpoint and trigger, and starts the query."
        )
    query = writer.option("checkpointLocation", life["checkpoint"]).trigger(**life["trigger"]).start()
    query.awaitTermination()
    # The open parts of an ended query are published before the application ends.
    spark.stop()


@contextmanager
def halted() -> Iterator[None]:
    """Exits with the JVM's exit code if the error is due to the end of the JVM; re-raises any other error."""
    from pyspark import SparkContext

    try:
        yield
    except Exception:
        gateway: Any = SparkContext._gateway
        if gateway is None:
            raise
        try:
            code = gateway.proc.wait(_LAST_BREATH_SECONDS)
        except subprocess.TimeoutExpired:
            code = 0
        if code == 0:
            raise
        sys.exit(code)


def _die_with_parent() -> None:
    # Not by sys.stdin, whose lock a waiting thread would hold at the end of the interpreter.
    while os.read(0, 1):
        pass
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    main()
