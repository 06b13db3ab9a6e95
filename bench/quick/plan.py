# SPDX-License-Identifier: Apache-2.0
"""How much `make bench-quick` measures: what two idle cores do in about five minutes."""

from __future__ import annotations

from dataclasses import dataclass, replace

from bench.engines.plan import DROPPED
from bench.engines.plan import Plan as PeersPlan
from bench.quick.figures import CPU_ROWS, FEW_PARTS, LARGE_ROWS, OPEN_PARTS, PIECE_MIB, SMALL_ROWS


@dataclass(frozen=True, slots=True)
class Plan:
    """Sizes of the parts.

    Attributes:
        rounds: of all that is timed in one session, after one that is not counted.
        peers: what is timed in processes of their own.
    """

    rounds: int
    small_rows: int
    small_epochs: int
    large_rows: int
    large_epochs: int
    source_mib: int
    open_parts: int
    few_parts: int
    peers: PeersPlan

    @staticmethod
    def full() -> Plan:
        peers = PeersPlan(
            rounds=2,
            other_rounds=2,
            small_rows=10_000,
            small_commits=40,
            interval_millis=100,
            large_rows=LARGE_ROWS,
            large_commits=DROPPED + 2,
            flink_interval_millis=1_000,
            request_commits=20,
            fresh_commits=CPU_ROWS // LARGE_ROWS,
            dropped=DROPPED,
        )
        return Plan(2, SMALL_ROWS, 20, LARGE_ROWS, 3, 6 * PIECE_MIB, OPEN_PARTS, FEW_PARTS, peers)

    @staticmethod
    def tiny() -> Plan:
        """Only to see that all of it works: its figures mean nothing."""
        return Plan(1, 10, 2, 1_000, 2, 2 * PIECE_MIB, 100, FEW_PARTS, PeersPlan.quick())

    @property
    def large_jobs(self) -> PeersPlan:
        """Without many small ones behind them, and in one process more: the same job takes one process half
        as long as another, by how its loops were compiled.
        """
        return replace(self.peers, small_commits=self.peers.dropped + 1, rounds=self.peers.rounds + 1)
