# SPDX-License-Identifier: Apache-2.0
"""What runs beside each other, and how much of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["text", "parquet"]
Engine: TypeAlias = Literal["stoplog", "Spark", "Flink", "Delta", "Iceberg"]
Pace: TypeAlias = Literal["PACED", "FREE"]
Closing: TypeAlias = Literal["at the end", "each commit"]
"""When files end: by their sizes, which none of them reaches before the job is over, or with each commit."""

ROW_BYTES = 100
FIRST_NUMBER = 10_000_000_000  # so that every number has as many digits
FILLER = "-" * (ROW_BYTES - len(str(FIRST_NUMBER)) - 1)
"""A line is the filler, the number of its row on top of `FIRST_NUMBER`, and a line feed."""

CORES = 2
CODEC = "snappy"
"""Of Parquet: what Spark, Flink and Delta Lake use by default, and stoplog with them."""

HEAP = "2g"

DROPPED = 5
"""The steady state of a query begins with its sixth commit."""


@dataclass(frozen=True, slots=True)
class Contender:
    """One sink in one format, under its name in the tables.

    Attributes:
        closing: of stoplog; others have one way only.
    """

    name: str
    engine: Engine
    kind: Kind
    closing: Closing = "at the end"

    @property
    def is_ours(self) -> bool:
        """stoplog as it is set by default, which the others are compared with."""
        return self.engine == "stoplog" and self.closing == "at the end"

    @property
    def is_headline(self) -> bool:
        """Whether its figures are compared first: the defaults of the file sinks, and of Iceberg.

        >>> [each.name for each in CONTENDERS if not each.is_headline]
        ['Flink, text', 'stoplog onCheckpoint, Parquet', 'Delta Lake, Parquet']
        """
        is_peer = self.engine != "Delta" and (self.engine, self.kind) != ("Flink", "text")
        return is_peer and self.closing == "at the end"

    @property
    def files(self) -> str:
        """The format as it is written in the tables.

        >>> CONTENDERS[0].files, CONTENDERS[-1].files
        ('text', 'Parquet')
        """
        return self.name.rpartition(", ")[2]

    @property
    def word(self) -> str:
        """What its worker calls it, and its directories.

        >>> CONTENDERS[0].word, CONTENDERS[-1].word
        ('stoplog-text', 'Iceberg-parquet')
        """
        return f"{self.engine}-{self.kind}" + ("-each" if self.closing == "each commit" else "")


CONTENDERS = (
    Contender("stoplog, text", "stoplog", "text"),
    Contender("Spark, text", "Spark", "text"),
    Contender("Flink, text", "Flink", "text"),
    Contender("stoplog, Parquet", "stoplog", "parquet"),
    Contender("stoplog onCheckpoint, Parquet", "stoplog", "parquet", "each commit"),
    Contender("Spark, Parquet", "Spark", "parquet"),
    Contender("Flink, Parquet", "Flink", "parquet"),
    Contender("Delta Lake, Parquet", "Delta", "parquet"),
    Contender("Iceberg, Parquet", "Iceberg", "parquet"),
)


@dataclass(frozen=True, slots=True)
class Job:
    """The numbers from 0 on as rows, to files.

    Attributes:
        rows: of each commit; a job of Flink's that is `FREE` has only their product with `commits`.
        interval_millis: between two triggers or checkpoints; in Spark, a job that is `FREE` has none.
        dropped: the first commits of the query, before its steady state. The JVM compiles the code of each
            query anew, so no other query can warm it up.
        out: where the table is to be: a path or a URL.
        state: a local directory for what the engine itself keeps.
    """

    rows: int
    commits: int
    interval_millis: int
    pace: Pace
    out: str = ""
    state: str = ""
    dropped: int = 0

    @property
    def all_rows(self) -> int:
        return self.rows * self.commits

    def at(self, out: str, state: str) -> Job:
        return replace(self, out=out, state=state)


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured.

    Attributes:
        rounds: of the contenders with the headline figures.
        other_rounds: of the others, the first ones of the rounds.
    """

    rounds: int
    other_rounds: int
    small_rows: int
    small_commits: int
    interval_millis: int
    large_rows: int
    large_commits: int
    flink_interval_millis: int
    request_commits: int
    fresh_commits: int
    dropped: int

    @staticmethod
    def full() -> Plan:
        return Plan(8, 3, 10_000, 45, 200, 1_000_000, 10, 1_000, 20, fresh_commits=6, dropped=DROPPED)

    @staticmethod
    def quick() -> Plan:
        return Plan(1, 1, 1_000, 5, 200, 100_000, 3, 500, 5, fresh_commits=2, dropped=1)

    def rounds_of(self, contender: Contender) -> int:
        return self.rounds if contender.is_headline else self.other_rounds

    def fresh(self) -> Job:
        """The first job of a process: what a short-lived process costs."""
        return Job(self.large_rows, self.fresh_commits, self.flink_interval_millis, "FREE")

    def large(self) -> Job:
        commits, interval = self.large_commits, self.flink_interval_millis
        return Job(self.large_rows, commits, interval, "FREE", dropped=self.dropped)

    def small(self) -> Job:
        commits, interval = self.small_commits, self.interval_millis
        return Job(self.small_rows, commits, interval, "PACED", dropped=self.dropped)

    def requests(self) -> Job:
        """A server in Java answers more slowly than a disk."""
        return Job(self.small_rows, self.request_commits, 2 * self.interval_millis, "PACED")
