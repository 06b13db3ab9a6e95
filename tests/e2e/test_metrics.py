# SPDX-License-Identifier: Apache-2.0
"""The figures of a query in Spark's metrics system, read from Spark's servlet."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from stoplog.metrics import SinkMetrics
from support.jobs import Job

if TYPE_CHECKING:
    from support.place import Place

SERVLET = "spark.metrics.conf.*.sink.prometheusServlet"
WITH_PLUGIN = {
    "spark.plugins": "stoplog.StoplogPlugin",
    "spark.ui.enabled": "true",
    "spark.ui.port": "0",
    f"{SERVLET}.class": "org.apache.spark.metrics.sink.PrometheusServlet",
    f"{SERVLET}.path": "/metrics/prometheus",
}


def test_the_servlet_of_spark_shows_all_figures_until_the_query_ends(place: Place) -> None:
    place.feed(files=1, rows=100)
    job = Job.at(place, path=str(place.out), options={"format": "text"}, conf=WITH_PLUGIN)
    done = job.run("metrics_job.py")
    assert done.code == 0, done.printed
    shown = json.loads(done.printed)
    running, ended = shown["running"], shown["ended"]

    sink = of("sink", str(place.out), running)
    names = {re.sub("_(.)", lambda found: found[1].upper(), name) for name in SinkMetrics.__slots__}
    assert set(sink) == {name for name in names if not name.startswith("announce")}, "no target is set"
    assert (sink["openParts"], sink["epochsCommitted"], sink["fencedRuns"]) == (1, 1, 0)
    assert sink["openBytes"] == 100 * len("00000-00000\n")
    assert sink["oldestOpenPartMillis"] > 0

    source = of("source", str(place.input), running)
    assert source["outstandingSplits"] == 0
    assert {"outstandingBytes", "oldestOutstandingMillis", "absentFiles"} <= set(source)
    assert ended == {"fencedRuns": 0}


def of(kind: str, path: str, shown: dict[str, float]) -> dict[str, float]:
    """The figures of a sink or source, by their names."""
    prefix = f"{kind}{re.sub('[^A-Za-z0-9]+', '_', path)}_"
    return {name.removeprefix(prefix): value for name, value in shown.items() if name.startswith(prefix)}
