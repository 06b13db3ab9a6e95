# SPDX-License-Identifier: Apache-2.0
"""Texts that tests compare whole, in files of sections: a line `== name`, then what is expected."""

from __future__ import annotations

from pathlib import Path

GOLDEN_OF_SCALA = Path(__file__).resolve().parents[2] / "scala-core/src/test/resources/golden"
"""Records and verdicts that the tests of both languages read."""


def sections(file: str) -> dict[str, str]:
    """The texts of a file beside this one, by their names."""
    text = (Path(__file__).parent / "golden" / file).read_text(encoding="utf-8")
    pieces = (piece.partition("\n") for piece in text.split("== ")[1:])
    return {name: body.rstrip("\n") for name, _, body in pieces}
