# SPDX-License-Identifier: Apache-2.0
"""Directories that fsspec reads, beside the same directory on a disk."""

from __future__ import annotations

import errno
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, unquote, urlsplit

import fsspec
import pytest
from made_sink import NOW, healthy

from stoplog._storage import open_storage
from stoplog._storage.arrow import ArrowStorage
from stoplog._storage.files import Address
from stoplog._storage.opening import SpecStorage, _modified_millis
from stoplog.errors import CannotRead
from stoplog.inspection import SinkDirectory


@pytest.fixture
def disk(tmp_path: Path) -> Path:
    healthy(tmp_path / "events")
    return tmp_path


def test_a_file_system_of_fsspec_is_read_as_a_disk(disk: Path) -> None:
    memory = fsspec.filesystem("memory")
    memory.put(str(disk / "events"), "/events", recursive=True)
    try:
        same(disk / "events", "memory://events")
        storage = open_storage("memory://events")
        assert storage.info("no such file") is None
        assert storage.read("no such file") is None
        assert not open_storage("memory://nothing").exists()
    finally:
        memory.rm("/events", recursive=True)


def test_webhdfs_is_read_as_a_disk(disk: Path) -> None:
    with name_node(disk) as node:
        same(disk / "events", f"webhdfs://{node.address}/events", {"user": "me"})
        assert node.users == {"me"}
        storage = open_storage(f"webhdfs://{node.address}/events", {"user": "me"})
        (some,) = [
            file for file in storage.files("_stoplog/main/log") if file.name.startswith("0" * 19 + "1")
        ]
        assert storage.info(some.path) == some
        assert storage.read(some.path) == (disk / "events" / some.path).read_bytes()
        assert storage.children(some.path) == ([], [])
        assert not storage.knows_open_lengths


def test_errors_of_webhdfs_are_reported(disk: Path) -> None:
    with (
        name_node(disk, may_read=False) as node,
        pytest.raises(CannotRead, match="Permission denied: user=me"),
    ):
        open_storage(f"webhdfs://{node.address}/events", {"user": "me"}).exists()
    with pytest.raises(CannotRead, match=r"no option 'usr'.*Use one of: user, delegation"):
        open_storage("webhdfs://localhost:1/events", {"usr": "me"})
    with pytest.raises(CannotRead, match=r"webhdfs://localhost:1/events cannot be read"):
        open_storage("webhdfs://localhost:1/events").exists()


def same(local: Path, uri: str, options: dict[str, str] | None = None) -> None:
    """Both tell the same of the sink."""
    one = SinkDirectory(str(local), clock=lambda: NOW)
    other = SinkDirectory(uri, options or {}, clock=lambda: NOW)
    assert other.sinks() == one.sinks()
    assert other.newest_record() == one.newest_record()
    assert other.status().open == one.status().open
    assert other.check().findings == one.check().findings == ()


class NameNode(ThreadingHTTPServer):
    """WebHDFS over a directory of the disk, as far as reading goes."""

    def __init__(self, root: Path, *, may_read: bool) -> None:
        super().__init__(("localhost", 0), Requests)
        self.root = root
        self.may_read = may_read
        self.users: set[str] = set()
        self.address = f"localhost:{self.server_address[1]}"


class Requests(BaseHTTPRequestHandler):
    server: NameNode

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        self.server.users.add(query["user.name"])
        file = self.server.root / unquote(parts.path).removeprefix("/webhdfs/v1/")
        if not self.server.may_read:
            self.reject(403, "AccessControlException", f"Permission denied: user={query['user.name']}")
        elif not file.exists():
            self.reject(404, "FileNotFoundException", f"File does not exist: {file}")
        elif query["op"] == "GETFILESTATUS":
            self.answer(200, {"FileStatus": status(file, "")})
        elif query["op"] == "LISTSTATUS":
            inside = (
                [status(each, each.name) for each in file.iterdir()] if file.is_dir() else [status(file, "")]
            )
            self.answer(200, {"FileStatuses": {"FileStatus": inside}})
        else:
            start = int(query.get("offset", 0))
            self.send(200, file.read_bytes()[start : start + int(query.get("length", 1 << 40))])

    def reject(self, code: int, exception: str, message: str) -> None:
        self.answer(code, {"RemoteException": {"exception": exception, "message": message}})

    def answer(self, code: int, body: object) -> None:
        self.send(code, json.dumps(body).encode())

    def send(self, code: int, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        """Tests say nothing."""


def status(file: Path, suffix: str) -> dict[str, object]:
    found = file.stat()
    return {
        "pathSuffix": suffix,
        "type": "DIRECTORY" if file.is_dir() else "FILE",
        "length": found.st_size,
        "modificationTime": found.st_mtime_ns // 1_000_000,
    }


def test_the_modification_time_of_an_ftp_server_is_in_utc() -> None:
    assert _modified_millis({"modify": "20260101010000.123"}) == 1_767_229_200_000
    assert [_modified_millis(found) for found in ({"modify": "Jan 01 01:00"}, {})] == [0, 0]


@contextmanager
def name_node(root: Path, *, may_read: bool = True) -> Iterator[NameNode]:
    with NameNode(root, may_read=may_read) as node:
        thread = threading.Thread(target=node.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield node
        finally:
            node.shutdown()
            thread.join()


def test_an_impossible_file_name_is_absent(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").touch()
    for name in ("x" * 300, "a\0b", "half\ud83d", "loop/x", "file/x"):
        here = open_storage(str(tmp_path))
        assert (here.info(name), here.read(name), here.children(name)) == (None, None, ([], [])), name
        assert not open_storage(f"{tmp_path}/{name}").exists(), name
    assert open_storage(str(tmp_path)).read("") is None


def test_a_directory_without_permission_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reject(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied", str(tmp_path))

    monkeypatch.setattr(Path, "stat", reject)
    with pytest.raises(CannotRead, match=f"{tmp_path} cannot be read: Permission denied. Check the path"):
        open_storage(str(tmp_path)).exists()


def test_a_local_directory_has_no_options(tmp_path: Path) -> None:
    for path in (str(tmp_path), f"file://{tmp_path}"):
        with pytest.raises(CannotRead, match="a local directory has no option 'region'"):
            open_storage(path, {"region": "eu-west-1"})


def test_a_uri_has_the_meaning_of_spark(tmp_path: Path) -> None:
    for name in ("a%20b", "out#1", "a?b"):
        (tmp_path / name / "here").mkdir(parents=True)
        assert open_storage(f"file:{tmp_path}/{name}").children("")[0] == ["here"], name
        assert open_storage(f"file://{tmp_path}//{name}/").children("")[0] == ["here"], name
    (tmp_path / "c d" / "escaped").mkdir(parents=True)
    assert open_storage((tmp_path / "c d").as_uri()).children("")[0] == ["escaped"]


@pytest.mark.parametrize(
    ("uri", "address"),
    [
        ("hdfs://ProdNS/events", ("hdfs", "ProdNS", 0, "/events")),
        ("hdfs://me@host:8020/a", ("hdfs", "host", 8020, "/a")),
        ("hdfs:///a/", ("hdfs", "", 0, "/a")),
        ("viewfs://ClusterX", ("viewfs", "ClusterX", 0, "/")),
        ("S3A://bucket//out#1/", ("s3a", "bucket", 0, "/out#1")),
    ],
)
def test_a_uri_is_parsed_as_hadoop_does(uri: str, address: tuple[str, str, int, str]) -> None:
    found = Address.of(uri)
    assert (found.scheme, found.host, found.port, found.path) == address


def test_a_path_rejected_by_pyarrow_is_reported() -> None:
    pytest.importorskip("pyarrow")
    options = {"endpoint_override": "http://localhost:1", "anonymous": "true", "region": "us-east-1"}
    storage = open_storage("s3://bucket/out", options)
    with pytest.raises(CannotRead, match="s3://bucket/out cannot be read"):
        storage.info("a//b")


@pytest.mark.parametrize(
    "uri",
    [
        "s3://AKIA123:hunter2@bucket/x",
        "S3A://AKIA123:12345/hunter2@bucket/x",
        "s3n://AKIA123:hunter2/@bucket",
        "s3://hunter2@bucket/x",
    ],
)
def test_keys_do_not_belong_in_the_address_of_objects(uri: str) -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(
        CannotRead, match=r"must not contain a user or a key.*access_key and secret_key"
    ) as raised:
        open_storage(uri)
    assert "hunter2" not in str(raised.value)
    assert "12345" not in str(raised.value)


@pytest.mark.parametrize("said", ["hunter2/%41", "hunter2/A", "hunter2%2F%2541", "hunter2%2FA"])
def test_messages_of_a_file_system_are_shown_without_secrets(said: str) -> None:
    error = CannotRead.of("ftp://me:hunter2/%41@host/x", OSError(f"no login as me:{said}@host"))
    assert str(error).startswith("ftp://me:…@host/x cannot be read: no login as me:…@host. ")


def test_messages_are_unchanged_for_an_address_without_a_secret() -> None:
    for path in (
        "abfss://box@account/x",
        "hdfs://me@host:8020/x",
        "ftp://:@host/x",
        "/a:b/c@d",
        "s3://b:1/x",
    ):
        assert "no b at box@account/x" in str(CannotRead.of(path, OSError("no b at box@account/x")))


class NotThere(Exception):
    """As pyarrow, gcsfs or adlfs have their own."""


def test_every_error_of_a_package_becomes_cannot_read(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow
    from pyarrow import fs

    def reject(*_: object, **__: object) -> None:
        raise NotThere("no such container")

    def not_built(_: str) -> None:
        raise pyarrow.ArrowNotImplementedError("Got Azure Blob File System URI but Arrow compiled without it")

    monkeypatch.setattr("fsspec.core.url_to_fs", reject)
    with pytest.raises(CannotRead, match="wasb://a@b/c cannot be read: no such container"):
        open_storage("wasb://a@b/c")
    monkeypatch.setattr(fs, "FileSystem", type("FileSystem", (), {"from_uri": staticmethod(not_built)}))
    with pytest.raises(CannotRead, match="abfss://a@b/c cannot be read: Got Azure"):
        open_storage("abfss://a@b/c")
    refusing = SimpleNamespace(get_file_info=reject)
    with pytest.raises(CannotRead, match="abfss://a@b/c cannot be read: no such container"):
        ArrowStorage(fs, refusing, "a/c", "abfss://a@b/c").exists()
    refusing = SimpleNamespace(info=reject)
    with pytest.raises(CannotRead, match="gs://b/c cannot be read: no such container"):
        SpecStorage(refusing, "b/c", "gs://b/c", knows_open_lengths=True).exists()
