# SPDX-License-Identifier: Apache-2.0
"""Starts servers from the class paths that the build writes, and tells Spark how to reach them."""

from __future__ import annotations

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .class_data import ClassData
from .jars import CLASS_PATHS, class_path, jars, s3a
from .patience import patience

BUCKET = "stoplog"
"""Every S3 server has it from its start; the access key and the secret are named like it."""

_HDFS_CLIENT = {
    # With more, a block could not be appended to: its other copies would need other DataNodes.
    "replication": "1",
    # How long a client waits for the DataNode's report before it asks again whether its file is closed.
    "client.block.write.locateFollowingBlock.initial.delay.ms": "20",
    "client.block.write.locateFollowingBlock.retries": "12",
}
CLASS_DATA = "STOPLOG_CLASS_DATA"
"""The environment variable, of any value, with which servers keep archives of their classes."""

_ANSWER = "answer: "
_JVM = ("-Xmx384m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


@dataclass(frozen=True, slots=True)
class Server:
    """One that runs.

    Args:
        root: what paths for Spark begin with.
        http: the URL below which the same files can be read without Spark: WebHDFS, or the bucket.
        conf: what Spark must be told, `spark.jars` among it where the client is not part of Spark.
    """

    root: str
    http: str
    conf: dict[str, str] = field(default_factory=dict)


@contextlib.contextmanager
def hdfs(directory: Path) -> Iterator[Server]:
    """One NameNode and one DataNode over an empty directory."""
    with _process("hdfs", "stoplog.servers.HdfsServer", directory) as process:
        root = _answer(process)
        conf = {f"spark.hadoop.dfs.{key}": value for key, value in _HDFS_CLIENT.items()}
        yield Server(root, f"{_answer(process, 'http')}/webhdfs/v1", conf)


@contextlib.contextmanager
def s3mock(directory: Path) -> Iterator[Server]:
    """Strict about ETags, the order and sizes of parts, and conditional writes. Takes any credentials."""
    with _process("s3mock", "stoplog.servers.S3Mock", directory) as process:
        yield _s3(_answer(process))


@contextlib.contextmanager
def s3proxy(directory: Path) -> Iterator[Server]:
    """Quick to start. Verifies signatures."""
    with _process("s3proxy", "stoplog.servers.S3Proxy", directory) as process:
        yield _s3(_answer(process))


@contextlib.contextmanager
def cassandra(directory: Path) -> Iterator[Cassandra]:
    """One node, reached by the connector `stoplog-cassandra`, whose jars are in `conf`."""
    node = Cassandra(directory)
    try:
        yield node
    finally:
        node.kill()


class Cassandra:
    """A node that a test may kill and start again over the same data, under the same address."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._running = contextlib.ExitStack()
        self.conf = {"spark.jars": jars("cassandra")}
        self.restart()

    def kill(self) -> None:
        """As `kill -9`: what is under way is cut off."""
        self._running.close()

    def restart(self) -> None:
        """Kills it if it still runs. Returns when it answers again."""
        self.kill()
        started = _process("cassandra-server", "stoplog.servers.CassandraServer", self._directory)
        self._process = self._running.enter_context(started)
        self.address = _answer(self._process)

    def cql(self, statement: str) -> None:
        """Runs a statement that answers nothing."""
        _answer(self._process, f"cql {statement}")

    def estimate(self, keyspace: str) -> None:
        """Writes the keyspace to disk and lets the node count its partitions."""
        _answer(self._process, f"estimate {keyspace}")


def _s3(endpoint: str) -> Server:
    settings = {
        "endpoint": endpoint,
        "endpoint.region": "us-east-1",
        "path.style.access": "true",
        "connection.ssl.enabled": "false",
        "aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        "access.key": BUCKET,
        "secret.key": BUCKET,
    }
    client = s3a().replace(os.pathsep, ",")
    conf = {f"spark.hadoop.fs.s3a.{key}": value for key, value in settings.items()}
    return Server(f"s3a://{BUCKET}", f"{endpoint}/{BUCKET}", conf | {"spark.jars": client})


@contextlib.contextmanager
def _process(name: str, main_class: str, directory: Path) -> Iterator[subprocess.Popen[str]]:
    """It answers with its address when it is up. What it logs goes to a file in its directory."""
    with _jvm(name, main_class, directory, _archive(name, main_class)) as process:
        yield process


def _archive(name: str, main_class: str) -> list[str]:
    """The options for its archive of classes, where tests have asked for them, which start servers often."""
    if CLASS_DATA not in os.environ:
        return []
    files = [Path(file) for file in class_path(name).split(os.pathsep)]
    data = ClassData.of(name, " ".join(_JVM), files)
    with data.missing() as writing, tempfile.TemporaryDirectory() as directory:
        if writing:
            with _jvm(name, main_class, Path(directory), writing.split()) as process:
                _answer(process)
                assert process.stdin
                process.stdin.close()  # It ends, and writes the archive.
                with patience(process):
                    code = process.wait()
                if code < 0:
                    raise RuntimeError(
                        f"{name} was killed by signal {-code} before it had archived its classes"
                    )
    return data.options.split()


@contextlib.contextmanager
def _jvm(name: str, main_class: str, directory: Path, data: list[str]) -> Iterator[subprocess.Popen[str]]:
    directory.mkdir(parents=True, exist_ok=True)
    java = os.environ.get("JAVA", "java")
    options = CLASS_PATHS / f"{name}.options"
    own = [f"@{options}"] if options.exists() else []
    temporary = f"-Djava.io.tmpdir={tempfile.gettempdir()}"  # Java does not know TMPDIR
    command = [
        java,
        *_JVM,
        *data,
        temporary,
        *own,
        "-cp",
        class_path(name),
        main_class,
        str(directory.resolve()),
    ]
    with (
        (directory / "log").open("ab") as log,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            start_new_session=True,
        ) as process,
    ):
        try:
            yield process
        finally:
            process.kill()


def _answer(process: subprocess.Popen[str], command: str = "") -> str:
    assert process.stdin
    assert process.stdout
    if command:
        print(command, file=process.stdin, flush=True)
    with patience(process):
        for line in process.stdout:
            if line.startswith(_ANSWER):
                return line.removeprefix(_ANSWER).rstrip()
    raise RuntimeError(f"{process.args!r} ended with {process.wait()}: see the file `log` in its directory")
