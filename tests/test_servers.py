# SPDX-License-Identifier: Apache-2.0
"""Each server that tests may start, reached by Spark, its executors in processes of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from servers import hdfs, s3mock, s3proxy
from support.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from servers import Server


@pytest.mark.parametrize("start", [hdfs, s3mock, pytest.param(s3proxy, marks=pytest.mark.long)])
def test_executors_write_to_it_and_read_from_it(
    start: Callable[[Path], AbstractContextManager[Server]], tmp_path: Path
) -> None:
    with start(tmp_path / "server") as server:
        job = Job(
            f"{server.root}/numbers",
            master="local-cluster[2,1,1024]",
            conf={"spark.executor.memory": "640m"} | server.conf,
            rows=1000,
        )
        assert job.run("plain_job.py").printed == "1000 499500\n"
