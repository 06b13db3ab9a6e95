# SPDX-License-Identifier: Apache-2.0
"""Each server that tests may start, reached by Spark, its executors in processes of their own."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pyspark
import pytest

from servers import hdfs, s3mock, s3proxy
from servers.jars import s3a
from servers.patience import patience
from support.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from servers import Server


@pytest.mark.long
@pytest.mark.spark_lines
@pytest.mark.parametrize(
    "start",
    [
        pytest.param(hdfs, marks=pytest.mark.tried("Local cluster", "HDFS")),
        pytest.param(s3mock, marks=pytest.mark.tried("Local cluster", "S3 (S3Mock)")),
        pytest.param(s3proxy, marks=pytest.mark.tried("Local cluster", "S3 (S3Proxy)")),
    ],
)
def test_executors_write_to_and_read_from_the_server(
    start: Callable[[Path], AbstractContextManager[Server]], tmp_path: Path
) -> None:
    if start is not hdfs and not client_fits():
        pytest.skip("Spark 4.0: its Hadoop has no conditional create on S3")
    with start(tmp_path / "server") as server:
        job = Job(
            f"{server.root}/numbers",
            master="local-cluster[2,1,1024]",
            conf={"spark.executor.memory": "640m"} | server.conf,
            rows=1000,
        )
        assert job.run("plain_job.py").printed == "1000 499500\n"


def client_fits() -> bool:
    """Returns whether the client for S3 is of the Hadoop of this Spark."""
    (client,) = re.findall(r"hadoop-aws-([\d.]+)\.jar", s3a())
    jars = Path(pyspark.__file__).parent / "jars"
    return (jars / f"hadoop-client-api-{client}.jar").exists()


def test_the_wait_for_a_silent_server_is_limited() -> None:
    silent = ["sh", "-c", "sleep 1000 & wait"]  # with a child that has the pipe as well
    with subprocess.Popen(silent, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert process.stdout
        with patience(process, seconds=0.1):
            assert process.stdout.read() == ""
        assert process.wait() == -signal.SIGKILL
