# SPDX-License-Identifier: Apache-2.0
"""The figures that are committed, and how those of a run compare with them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.quick.figures import Figure, Kind


@dataclass(frozen=True, slots=True)
class Committed:
    """Figures of an earlier run, by their keys.

    Attributes:
        provenance: where, when and of which commit.
    """

    provenance: str
    figures: Mapping[str, Figure]

    @staticmethod
    def of(figures: Sequence[Figure], provenance: str) -> Committed:
        return Committed(provenance, {figure.key: figure for figure in figures})


def encoded(committed: Committed) -> str:
    figures = {key: {"own": figure.own, "peer": figure.peer} for key, figure in committed.figures.items()}
    return json.dumps({"provenance": committed.provenance, "figures": figures}, indent=2) + "\n"


def decoded(text: str) -> Committed:
    root = json.loads(text)
    figures = {key: Figure(key, each["own"], each["peer"]) for key, each in root["figures"].items()}
    return Committed(root["provenance"], figures)


@dataclass(frozen=True, slots=True)
class Compared:
    """A figure beside the committed one, if that is there."""

    figure: Figure
    before: Figure | None

    @property
    def kind(self) -> Kind:
        return self.figure.kind

    @property
    def worse_by(self) -> float:
        return self.kind.worse_by(self.figure.ratio, than=self.before.ratio) if self.before else 0.0

    @property
    def is_worse(self) -> bool:
        return self.worse_by > self.kind.tolerance

    @property
    def verdict(self) -> str:
        if self.before is None:
            return "new"
        if self.is_worse:
            return f"WORSE by {self.worse_by:.0%}, and {self.kind.tolerance:.0%} are allowed"
        return "as before" if self.worse_by >= -self.kind.tolerance else "better"


def compared(figures: Sequence[Figure], committed: Committed | None) -> list[Compared]:
    before = committed.figures if committed else {}
    return [Compared(figure, before.get(figure.key)) for figure in figures]
