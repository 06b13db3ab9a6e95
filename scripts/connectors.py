# SPDX-License-Identifier: Apache-2.0
"""The connectors, as `connectors/list.txt` lists them."""

from __future__ import annotations

from pathlib import Path

DIRECTORY = Path(__file__).resolve().parent.parent / "connectors"


def ids() -> list[str]:
    """The ids of the connectors: of their sbt projects, and the names of their directories."""
    lines = (DIRECTORY / "list.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]
