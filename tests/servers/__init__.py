"""An HDFS and two S3 servers for tests, the demo and the benchmark, each in a process of its own.

>>> with s3mock(Path("build/some-directory")) as server:  # doctest: +SKIP
...     spark = configure(builder, server).getOrCreate()
...     spark.range(9).write.json(f"{server.root}/numbers")

`make servers` must have run. A server ends with its `with`, and with the process that started it.
"""

from __future__ import annotations

from .starting import Server, hdfs, s3mock, s3proxy

__all__ = ["Server", "hdfs", "s3mock", "s3proxy"]
