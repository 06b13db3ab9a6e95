# SPDX-License-Identifier: Apache-2.0
"""The source on HDFS and S3, with its checkpoint and output: its driver dies at steps of its protocol."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from servers import hdfs, s3mock
from support.jobs import KILLED, Job

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from servers import Server

ROWS = 800
FAULTS = [
    "fileCleaned:2:halt",
    "afterSplits:2:halt",
    "beforeSplits:2:halt",
    "goneNoted:1:halt",
    "beforeClean:3:halt",
    "afterClean:1:halt",
]

EVERY_WAY = [(start, cleaning) for start in (hdfs, s3mock) for cleaning in ("delete", "archive")]


@pytest.mark.long
@pytest.mark.parametrize(("start", "cleaning"), EVERY_WAY)
def test_each_row_is_read_once_and_read_files_are_cleaned(
    start: Callable[[Path], AbstractContextManager[Server]], cleaning: str, tmp_path: Path
) -> None:
    with start(tmp_path / "server") as server:
        for fault in FAULTS:
            assert job(server, cleaning, fault).run("server_source_job.py").code == KILLED
        outcome = job(server, cleaning, fault="").run("server_source_job.py")
        assert outcome.code == 0
        found = json.loads(outcome.printed)
    wanted = ROWS * (len(FAULTS) + 1)
    assert (found["rows"], found["different"]) == (wanted, wanted)
    # What the last micro-batch has read stays until the next one.
    assert found["left"] <= 300
    if cleaning == "archive":
        assert found["left"] + found["archived"] == wanted


def job(server: Server, cleaning: str, fault: str) -> Job:
    source = {"format": "text", "maxFilesPerTrigger": "3", "cleanSource": cleaning}
    archive = {"sourceArchiveDir": f"{server.root}/away"} if cleaning == "archive" else {}
    return Job(
        path=f"{server.root}/out",
        input=f"{server.root}/in",
        checkpoint=f"{server.root}/checkpoint",
        options={"format": "text", "bucketAssigner": "basePath", "finalizeOnTermination": "always"},
        source=source | archive,
        rows=ROWS,
        conf=server.conf,
        fault=fault,
    )
