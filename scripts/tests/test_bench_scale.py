# SPDX-License-Identifier: Apache-2.0
"""What `make bench-scale` rests on: what it computes for sizes that do not run, and what it says of them."""

from __future__ import annotations

from typing import Any

from bench.scale import section, sizes, tolerated


def row(tasks: int, buckets: int, few_millis: float, storage: str = "S3") -> dict[str, Any]:
    cost = {
        "cpuMillis": few_millis,
        "storeMillis": 50,
        "requests": {"PUT": 1, "LIST": 2},
        "record": 300,
        "plan": 9,
    }
    costs = {"all": cost, "few": cost, "recovery": cost}
    return {
        "storage": storage,
        "tasks": tasks,
        "buckets": buckets,
        "heldBytes": 1000,
        "fewMean": 600,
        **costs,
    }


def test_a_failed_size_has_scaled_figures_of_the_size_before() -> None:
    failed = {"storage": "S3", "tasks": 1_000, "buckets": 100, "failed": "the heap is too small"}

    _, _, large = sizes([row(100, 10, 200), row(1, 1, 5, "HDFS"), failed])

    assert (large.parts, large.failed) == (100_000, "the heap is too small")
    assert (large.few.cpu_seconds, large.few.record_bytes, large.held_bytes) == (20, 300, 100_000)
    assert large.few.requests == 3  # of an epoch of ten parts, however many are open
    assert (large.few_mean_bytes, large.few.plan_bytes) == (600, 90)  # ten times as many tasks
    text = "\n".join(section([large], "8g", "a machine"))
    assert "| 1,000 × 100 | 100,000 | ~100.0 kB | ~25.0 s (20.0 s) | ~30.0 kB |" in text
    assert "100,000 open parts do not run" in text


def test_a_failed_size_without_a_smaller_one_is_left_out() -> None:
    assert sizes([{"storage": "S3", "tasks": 1, "buckets": 1, "failed": "it takes too long"}]) == []


def test_a_tolerated_size_runs_on_every_storage() -> None:
    fast = [row(100, 10, 5, storage) for storage in ("S3", "HDFS")]
    found = sizes([*fast, row(1_000, 10, 900, "S3"), row(1_000, 10, 2_000, "HDFS")])

    assert tolerated(found) == 1_000
    assert tolerated(found[:3]) == 10_000
    assert "do not run" not in "\n".join(section(found, "8g", "a machine"))
