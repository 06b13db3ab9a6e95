# SPDX-License-Identifier: Apache-2.0
"""One query with the plugin; its one argument is JSON (`support.jobs.Job`).

Prints a line of JSON with what Spark's Prometheus servlet shows while the query runs, and after its end.
"""

from __future__ import annotations

import json
import sys
import urllib.request

from session import halted, session

import stoplog


def main(job: dict) -> None:
    spark = session(job)
    rows = spark.readStream.format("stoplog").option("format", "text").load(job["input"])
    writer = rows.writeStream.format("stoplog").options(**job["options"])
    query = writer.option("checkpointLocation", job["checkpoint"]).start(job["path"])
    query.processAllAvailable()
    running = shown(spark)
    query.stop()
    stoplog.await_finished(query)
    print(json.dumps({"running": running, "ended": shown(spark)}), flush=True)
    spark.stop()


def shown(spark) -> dict[str, float]:
    """The metrics of stoplog that the servlet shows, by their names below the plugin's."""
    with urllib.request.urlopen(f"{spark.sparkContext.uiWebUrl}/metrics/prometheus/") as page:
        lines = page.read().decode().splitlines()
    found = (line.partition("plugin_stoplog_StoplogPlugin_")[2] for line in lines)
    return {name.split("_Value{")[0]: float(name.split()[-1]) for name in found if "_Value{" in name}


if __name__ == "__main__":
    with halted():
        main(json.loads(sys.argv[1]))
