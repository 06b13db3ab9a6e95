# SPDX-License-Identifier: Apache-2.0
"""The figures of `make bench-quick`: which there are, and what of a change in them counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Kind:
    """One figure.

    Attributes:
        key: under which it is committed.
        name: what is measured, with its unit.
        peer: what was measured beside it in the same run; empty for a count, which depends on no machine.
        better: whether more of it is better, or less.
        tolerance: by which part its ratio may be worse than the committed one: what runs differ by.
        goal: the ratio that is to be reached; `None` for a figure that only must not become worse.
    """

    key: str
    name: str
    peer: str
    better: Literal["more", "less"]
    tolerance: float
    goal: float | None = None
    shown: str = ",.0f"

    def worse_by(self, ratio: float, than: float) -> float:
        """The part by which one ratio is worse than another one; negative where it is better.

        >>> KINDS[0].worse_by(1.5, than=1.0)
        0.5
        """
        low, high = (than, ratio) if self.better == "less" else (ratio, than)
        return high / low - 1 if low else float(high > low)

    def is_reached(self, ratio: float) -> bool:
        return self.goal is None or self.worse_by(ratio, than=self.goal) <= 0


@dataclass(frozen=True, slots=True)
class Figure:
    """What a run has found.

    Attributes:
        own: stoplog's.
        peer: the other's; 1 for a count.
    """

    key: str
    own: float
    peer: float = 1.0

    @property
    def ratio(self) -> float:
        return self.own / self.peer

    @property
    def kind(self) -> Kind:
        return next(kind for kind in KINDS if kind.key == self.key)


SMALL_ROWS = 1_000
LARGE_ROWS = 2_000_000
CPU_ROWS = 4_000_000
OPEN_PARTS = 20_000
FEW_PARTS = 10
HEAP = "512m"
PIECE_MIB = 64

_TIMED, _TWICE, _COUNTED = 0.15, 0.25, 0.05

_SMALL = f"text, {SMALL_ROWS:,} rows an epoch: ms an epoch"
_LARGE = "M rows a second in epochs of 2 M rows"

KINDS = (
    Kind("epoch-noop", _SMALL, "Spark's noop sink", "less", _TIMED, goal=1.0),
    Kind("epoch-text", _SMALL, "Spark's text sink", "less", _TIMED, goal=1.0),
    Kind("text-process", f"text, `durability=process`: {_LARGE}", "Spark's", "more", _TIMED, 1.2, ".2f"),
    Kind("text-disk", f"text, `durability=disk`: {_LARGE}", "Spark's", "more", _TIMED, 1.0, ".2f"),
    Kind("parquet-rows", f"Parquet: {_LARGE}", "Spark's", "more", _TIMED, 1.0, ".2f"),
    Kind(
        "parquet-cpu",
        f"Parquet, the same: CPU seconds for {CPU_ROWS // 1_000_000} M rows",
        "Spark's",
        "less",
        _TIMED,
        1.05,
        ".2f",
    ),
    Kind(
        "parquet-fresh",
        "Parquet, the first 4 M rows of a process: CPU seconds",
        "Spark's",
        "less",
        _TWICE,
        0.95,
        ".2f",
    ),
    Kind(
        "parquet-heap", f"Parquet, `-Xmx{HEAP}`: {_LARGE}", "its own with 2 GiB", "more", _TWICE, 0.9, ".2f"
    ),
    Kind("s3-text", "S3, text: requests a commit", "", "less", _COUNTED, 5, ".1f"),
    Kind("s3-parquet", "S3, Parquet: requests a commit", "", "less", _COUNTED, 5, ".1f"),
    Kind("state-files", "files of state and checkpoint after 40 epochs", "", "less", _COUNTED, 60),
    Kind(
        "record",
        f"{OPEN_PARTS:,} open parts: bytes of the record of an epoch of ten rows",
        "",
        "less",
        _COUNTED,
        20_000,
    ),
    Kind(
        "recovery",
        f"{OPEN_PARTS:,} open parts: s from a start to its first epoch",
        f"{FEW_PARTS} open parts",
        "less",
        _TWICE,
        None,
        ".2f",
    ),
    Kind(
        "source-piece",
        f"source: ms for each piece of {PIECE_MIB} MiB above the reading",
        "a micro-batch of Spark's noop sink",
        "less",
        _TWICE,
        1.25,
    ),
)
