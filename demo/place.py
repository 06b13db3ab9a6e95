# SPDX-License-Identifier: Apache-2.0
"""Where the jobs of the demo write: a local disk, or a server that runs as long as the demo."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from demo.storage import Folder, S3Prefix, Storage, WebHdfs
from tests.servers import hdfs, s3mock

DAYS_ON_SERVERS = 12
"""Spark's own sink makes thousands of files in small batches, and each costs many requests."""


@dataclass(frozen=True, slots=True)
class Place:
    """
    Args:
        root: what the path of every output begins with.
        look: into an output, by its name.
        conf: what Spark must be told to write there.
        days_per_file: of the input; two files make a micro-batch.
    """

    root: str
    look: Callable[[str], Storage]
    conf: dict[str, str] = field(default_factory=dict)
    days_per_file: int = 2

    def path(self, name: str) -> str:
        return f"{self.root}/{name}"


@contextlib.contextmanager
def local_disk(work: Path) -> Iterator[Place]:
    yield Place(str(work), lambda name: Folder(work / name))


@contextlib.contextmanager
def on_hdfs(work: Path) -> Iterator[Place]:
    with hdfs(work / "server") as server:
        yield Place(server.root, lambda name: WebHdfs(f"{server.http}/{name}"), server.conf, DAYS_ON_SERVERS)


@contextlib.contextmanager
def on_s3(work: Path) -> Iterator[Place]:
    with s3mock(work / "server") as server:
        yield Place(server.root, lambda name: S3Prefix(server.http, name), server.conf, DAYS_ON_SERVERS)


PLACES = {"disk": local_disk, "hdfs": on_hdfs, "s3": on_s3}
