# SPDX-License-Identifier: Apache-2.0
"""Handles as every release has written them; what stands here is never edited."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stoplog._log.paths import NOTHING_STAGED, Staged, staged_of

BASE = "_stoplog/main/open/b/.part-1.txt.0123456789ab-0123456789abcdef"
PARTS = [{"n": 1, "bytes": 5242880, "handle": "BA=="}, {"n": 2, "bytes": 5242880, "handle": "BQ=="}]
ON_S3 = {"base": BASE, "target": "b/part-1.txt", "upload": "AQID", "parts": PARTS}
TAIL: dict[str, Any] = {"at": f"{BASE}.tail-2", "bytes": 17}
PIECES: list[dict[str, Any]] = [{"at": f"{BASE}.piece-1", "bytes": 5242880}]
MEBIBYTES_10 = 2 * 5242880


DECISION = "#run-1#files+of+the+sink%27s+log#orders"


@pytest.mark.parametrize(
    ("handle", "staged"),
    [
        (BASE, Staged((BASE,), (None,))),
        (f"q|7{DECISION}|3|4097|{BASE}", Staged((BASE,), (4097,))),
        (f"q|-{DECISION}|3|4097|{BASE}", Staged((BASE,), (4097,))),
        (f"q|7@9{DECISION}|3|4097|a|b/{BASE}", Staged((f"a|b/{BASE}",), (4097,))),
        (f"{BASE}|a|b", Staged((f"{BASE}|a|b",), (None,))),
        (f"_stoplog/a|7|3|4097|{BASE}", Staged((f"_stoplog/a|7|3|4097|{BASE}",), (None,))),
        (
            json.dumps({"v": 1, **ON_S3, "next": 3, "tail": TAIL, "stale": [f"{BASE}.tail-1"]}),
            Staged((f"{BASE}.upload", TAIL["at"]), (None, 17), MEBIBYTES_10 + 17),
        ),
        (
            json.dumps({"v": 1, **ON_S3, "next": 3, "tail": "a8O2bG4K"}),
            Staged((f"{BASE}.upload",), (None,), MEBIBYTES_10 + 6),
        ),
        (
            json.dumps({"v": 1, **ON_S3, "nextOfPublisher": 259, "waiting": PIECES, "tail": ""}),
            Staged((f"{BASE}.upload", PIECES[0]["at"]), (None, 5242880), MEBIBYTES_10 + 5242880),
        ),
        (json.dumps({"base": BASE, "tail": "a8O2bG4K"}), Staged((), (), 6)),
        (json.dumps({"base": BASE, "tail": {**TAIL, "end": "a8O2bG4K"}}), Staged((TAIL["at"],), (17,), 23)),
    ],
    ids=[
        "file",
        "chunk",
        "chunk of a batch",
        "chunk with a bar in its name",
        "file of a bucket with bars in its name",
        "file of a bucket that is named like a chunk",
        "s3 with an object as its tail",
        "s3 with a tail in the record",
        "s3 with pieces",
        "s3 with a tail alone",
        "s3 with the end of a tail in the record",
    ],
)
def test_the_files_of_a_handle_are_found(handle: str, staged: Staged) -> None:
    assert staged_of(handle) == staged


@pytest.mark.parametrize(
    "handle", ['{"of": "another sink"}', "{", "q|1|2|none|file", "q|1|2|3|", "q|1|2|3|file", "q|1|2|-3|file"]
)
def test_handles_of_other_sinks_have_no_staged_files(handle: str) -> None:
    assert staged_of(handle) == NOTHING_STAGED
