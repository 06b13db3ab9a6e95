# SPDX-License-Identifier: Apache-2.0
"""What stays on the storage after many epochs: files that readers see, and the sink's own state."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bench.peers import DISK, TEXT, Peer
from bench.rounds import Plan, lines, wait_for

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True, slots=True)
class Growth:
    """After so many epochs: visible files, and files and bytes of state beside them."""

    peer: str
    epochs: int
    visible_files: int
    state_files: int
    state_bytes: int


def state_on_storage(spark: SparkSession, plan: Plan, folder: Path) -> list[Growth]:
    return [
        grown(spark, peer, epochs, plan.small_rows, folder / f"{peer.name}-{epochs}")
        for peer in (DISK, TEXT)
        for epochs in plan.growth_batches
    ]


def grown(spark: SparkSession, peer: Peer, epochs: int, rows: int, place: Path) -> Growth:
    out = place / "out"
    writer = peer.writer(lines(spark, rows), out).option("checkpointLocation", str(place / "checkpoint"))
    query = writer.trigger(processingTime="0 seconds").start()
    try:
        wait_for(query, epochs)
    finally:
        query.stop()
    if peer is DISK:  # its last record is written, and old ones are dropped, after Spark's stop has returned
        stoplog.await_finished(query)
    visible = [f for f in out.glob("*") if f.is_file() and not f.name.startswith(("_", "."))]
    state = [f for d in ("_stoplog/main/log", "_spark_metadata") for f in (out / d).glob("*") if f.is_file()]
    return Growth(peer.name, epochs, len(visible), len(state), sum(f.stat().st_size for f in state))
