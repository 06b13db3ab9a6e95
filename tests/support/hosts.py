# SPDX-License-Identifier: Apache-2.0
"""A cluster of Spark's own whose workers have different hosts.

Spark starts no second attempt of a task on the host of the first one.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from stoplog.testing._process import kill
from support.wait import until

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEPLOY = "org.apache.spark.deploy"


@contextmanager
def cluster(directory: Path, hosts: int = 2) -> Iterator[str]:
    """Yields the URL of a master that has a worker of one core on each of some addresses of this machine."""
    directory.mkdir()
    with ExitStack() as running:
        master = running.enter_context(
            _daemon(directory, f"{_DEPLOY}.master.Master", "--host", "127.0.0.1", "--port", "0")
        )
        url = _said(master, r"Starting Spark master at (spark://\S+)")
        for number in range(hosts):
            address = f"127.0.0.{number + 2}"
            worker = running.enter_context(
                _daemon(
                    directory,
                    f"{_DEPLOY}.worker.Worker",
                    *("--host", address, "--cores", "1", "--memory", "1g"),
                    *("--work-dir", str(directory / address), url),
                )
            )
            _said(worker, r"(Successfully registered)")
        yield url


@contextmanager
def _daemon(directory: Path, name: str, *arguments: str) -> Iterator[Path]:
    """Starts a daemon, and yields the file to which it writes what it says."""
    spark = importlib.util.find_spec("pyspark")
    assert spark is not None
    assert spark.origin is not None
    home = Path(spark.origin).parent
    log = directory / f"{name}-{len(list(directory.iterdir()))}.log"
    options = {"SPARK_HOME": str(home), "SPARK_DAEMON_MEMORY": "256m", "SPARK_NO_DAEMONIZE": "1"}
    with log.open("w") as said:
        process = subprocess.Popen(
            [home / "bin" / "spark-class", name, "--webui-port", "0", *arguments],
            env=os.environ | options,
            stdout=said,
            stderr=said,
            start_new_session=True,
        )
    try:
        yield log
    finally:
        kill(process)


def _said(log: Path, pattern: str) -> str:
    until(f"{pattern} in {log.name}", lambda: re.search(pattern, log.read_text()) is not None)
    found = re.search(pattern, log.read_text())
    assert found is not None
    return found.group(1)
