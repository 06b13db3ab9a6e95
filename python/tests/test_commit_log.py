# SPDX-License-Identifier: Apache-2.0
"""A log's directory, and the bytes of a record that cannot be used."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_sink import SETTINGS, UID, MadeSink

from stoplog._log.codec import VERSION, Elsewhere, TooNew, Torn, decode
from stoplog._log.crc32c import _shifted, _tables, crc32c
from stoplog._log.log import CommitLog, RecordHead, unreadable
from stoplog._log.paths import InBucket, is_no_name
from stoplog._log.records import RecordKind
from stoplog._storage import FileInfo, open_storage
from stoplog._storage.local import LocalStorage
from stoplog.errors import UnreadableRecord


def log(root: Path) -> CommitLog:
    return CommitLog(open_storage(str(root)), "main")


def test_a_log_has_records_marks_and_other_files(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    for _ in range(12):
        sink.record("epoch", marked=False)
    sink.mark_path(3).write_bytes(b"12345")
    for name in ("3.commit", f"{3:020d}.commit.tmp", f"x{3:020d}.commit", f"{3:020d}.other"):
        (sink.own / "log" / name).write_bytes(b"x")
    (sink.own / "log" / "directory").mkdir()
    found = log(tmp_path).files()
    assert list(found.records) == list(range(12))
    assert [(seq, mark.size_bytes) for seq, mark in found.marks.items()] == [(3, 5)]
    assert sorted(file.name for file in found.others) == sorted(
        ["3.commit", f"{3:020d}.commit.tmp", f"x{3:020d}.commit", f"{3:020d}.other", "directory"]
    )
    assert FileInfo("_stoplog/main/log/directory", 0, 0) in found.others
    assert found.records[11].path == log(tmp_path).path(11) == f"_stoplog/main/log/{11:020d}.commit"


def test_the_newest_record_has_the_highest_number(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    assert log(tmp_path).newest() is None
    for _ in range(11):
        sink.record("epoch")
    newest = log(tmp_path).newest()
    assert newest is not None
    assert newest.seq == 10
    assert log(tmp_path).read(11) is None
    assert log(tmp_path).head(11) is None


def test_a_read_is_repeated_if_the_record_was_trimmed_meanwhile(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    for _ in range(2):
        sink.record("epoch")

    class Trimming(LocalStorage):
        def read(self, path: str) -> bytes | None:
            sink.record_path(1).unlink(missing_ok=True)
            return super().read(path)

    newest = CommitLog(Trimming(str(tmp_path)), "main").newest()
    assert newest is not None
    assert newest.seq == 0


@pytest.mark.parametrize(
    ("kind", "head"),
    [
        ("claim", RecordHead(RecordKind.CLAIM, None)),
        ("epoch", RecordHead(RecordKind.EPOCH, 0)),
        ("roll", RecordHead(RecordKind.ROLL, None)),
        ("compact", RecordHead(RecordKind.COMPACT, None)),
        ("release", RecordHead(RecordKind.RELEASE, None)),
    ],
)
def test_the_head_of_a_record_contains_kind_and_epoch(tmp_path: Path, kind: str, head: RecordHead) -> None:
    sink = MadeSink(tmp_path)
    sink.record(kind)
    assert log(tmp_path).head(0) == head
    with sink.record_path(0).open("r+b") as file:
        file.truncate(20)
    assert log(tmp_path).head(0) is None


def test_a_batch_has_an_epoch_below_zero(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path, last_epoch=-2)
    sink.record("epoch")
    assert log(tmp_path).head(0) == RecordHead(RecordKind.EPOCH, -1)


def test_a_record_is_searched_for_bytes(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    sink.record("claim")
    assert log(tmp_path).mentions(0, sink.run.encode())
    assert not log(tmp_path).mentions(0, b"another run")
    assert not log(tmp_path).mentions(1, sink.run.encode())


def test_an_unusable_record_names_the_path_and_the_repair(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    sink.record("claim")
    path = f"{tmp_path}/_stoplog/main/log/{0:020d}.commit"
    sink.record_path(0).write_bytes(b"")
    with pytest.raises(UnreadableRecord) as raised:
        log(tmp_path).read(0)
    assert raised.value.condition == "STOPLOG_RECORD_TORN"
    assert str(raised.value) == (
        f"The record {path} cannot be used: it is empty. "
        "Run 'stoplog check' on the directory, which prints the damage and the remedy."
    )
    sink.record_path(0).write_bytes(b'{"version":9}')
    with pytest.raises(UnreadableRecord) as raised:
        CommitLog(open_storage(f"{tmp_path}/"), "main").read(0)
    assert raised.value.condition == "STOPLOG_RECORD_TOO_NEW"
    assert str(raised.value) == (
        f"The record {path} cannot be used: it has version 9, and this release reads up to {VERSION}. "
        "Use the release of stoplog that wrote the record, or a newer release."
    )


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"", "it is empty"),
        (b'{"version":1', "it ends in the middle, or is not JSON"),
        (b"\xff", "it ends in the middle, or is not JSON"),
        (b"[]", "it is not a JSON object"),
        (b"{}", "it has no version"),
        (b'{"version":0}', "it has no version"),
        (b'{"version":true}', "it has no version"),
        (b'{"version":"1"}', "it has no version"),
        (b'{"version":1.0}', "it has no version"),
        (b'{"version":1}', "it contains no record"),
        (b'{"version":1,"record":[]}', "it contains no record"),
        (b'{"version":1,"record":{}}', "its checksum does not match"),
        (b'{"version":1,"crc32c":"00000000","record":{}}', "its checksum does not match"),
    ],
)
def test_invalid_bytes_of_a_record_have_a_reason(data: bytes, problem: str) -> None:
    with pytest.raises(Torn) as torn:
        decode(data)
    assert str(torn.value) == problem


def test_a_later_version_of_records_is_too_new() -> None:
    with pytest.raises(TooNew) as raised:
        decode(f'{{"version":{VERSION + 1}}}'.encode())
    assert raised.value.version == VERSION + 1


def test_the_checksum_covers_the_bytes_and_not_the_json_values(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    sink.record("claim")
    data = sink.record_path(0).read_bytes()
    padded = data.replace(b'"seq":0', b'"seq": 0')
    with pytest.raises(Torn, match="checksum"):
        decode(padded)
    assert decode(b"\n  " + data + b" \n") == decode(data)


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 255, 65_535, 65_536, 65_540, 131_077])
def test_the_checksum_equals_the_bytewise_checksum(length: int) -> None:
    data = bytes((7 * at + at // 256) % 256 for at in range(length))
    _tables.cache_clear()
    assert crc32c(data) == slowly(data)


def slowly(data: bytes) -> int:
    """CRC-32C by its definition, a bit at a time."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ 0x82F63B78 * (crc & 1)
    return crc ^ 0xFFFFFFFF


UNFINISHED = "main-6f1c2f3e8a4b-00112233445566aa"


def test_a_sink_with_a_staging_directory_has_no_layout_in_buckets() -> None:
    assert InBucket.of("main", {}) is None
    assert InBucket.of("main", {"inProgress": "staging"}) is None


def test_parts_in_buckets_have_the_recorded_markers() -> None:
    assert InBucket.of("main", {"inProgress": "bucket"}) == InBucket(
        "main", ("_", ".in-progress"), ("_", ".pending")
    )
    settings = {
        "inProgress": "bucket",
        "inProgressPrefix": "[",
        "inProgressSuffix": "]+",
        "pendingPrefix": "(",
        "pendingSuffix": ")?",
    }
    assert InBucket.of("main", settings) == InBucket("main", ("[", "]+"), ("(", ")?"))


@pytest.mark.parametrize("layout", [InBucket("main", ("[", "]+"), ("(", ")?"))])
@pytest.mark.parametrize("bucket", ["", "a/", "a/[x]+/"])
def test_a_path_is_converted_between_the_states_of_a_part(layout: InBucket, bucket: str) -> None:
    token, pending = f"{bucket}[part\n-1.txt]+.{UNFINISHED}", f"{bucket}(part\n-1.txt)?.{UNFINISHED}"
    assert layout.pending_of(token) == pending
    assert layout.pending_of(pending) is None
    assert layout.token_of(token) == layout.token_of(pending) == token
    finished = f"{bucket}part\n-1.txt"
    assert layout.finished_of(token) == layout.finished_of(pending) == finished


@pytest.mark.parametrize(
    "name",
    [
        "part-1.txt",
        f"part-1.txt]+.{UNFINISHED}",
        f"[part-1.txt.{UNFINISHED}",
        f"[]+.{UNFINISHED}",
        "[part-1.txt]+.other-6f1c2f3e8a4b-00112233445566aa",
        "[part-1.txt]+.main-6f1c2f3e8a4-00112233445566aa",
        "[part-1.txt]+.main-6f1c2f3e8a4b-00112233445566a",
        "[part-1.txt]+.main-6F1C2F3E8A4B-00112233445566aa",
        f"[part-1.txt]+_{UNFINISHED}",
        f"[part-1.txt]+.{UNFINISHED}.crc",
    ],
)
def test_any_other_file_is_not_an_unfinished_part(name: str) -> None:
    layout = InBucket("main", ("[", "]+"), ("(", ")?"))
    assert layout.pending_of(name) is None
    assert layout.token_of(name) is None
    assert layout.finished_of(name) is None


def test_a_listed_record_without_a_file_is_read_at_most_four_times(tmp_path: Path) -> None:
    MadeSink(tmp_path).record("epoch")
    reads = []

    class Trimmed(LocalStorage):
        def read(self, path: str) -> bytes | None:
            reads.append(path)
            assert len(reads) < 50, "it is looked for without end"
            return None

    torn = CommitLog(Trimmed(str(tmp_path)), "main")
    with pytest.raises(UnreadableRecord) as found:
        torn.newest()
    assert reads == [torn.path(0)] * 4
    missing = "cannot be used: the directory lists the record, but the file is missing."
    assert f"The record {tmp_path}/{torn.path(0)} {missing}" in str(found.value)
    assert found.value.condition == "STOPLOG_RECORD_TORN"


def test_a_record_with_paths_elsewhere_differs_from_a_torn_record(tmp_path: Path) -> None:
    problem = Elsewhere(("../a", "/b"), 7)
    error = unreadable("here", problem)
    assert error.condition == "STOPLOG_PATH_ELSEWHERE"
    assert "outside of the sink's path: '../a', '/b'." in str(error)
    assert (problem.paths, problem.last_epoch) == (("../a", "/b"), 7)


@pytest.mark.parametrize("field", ["name", "handle"])
@pytest.mark.parametrize("sink_id", ["main", "batch-a", "replace"])
def test_a_part_without_a_bucket_is_below_the_path_where_a_sink_writes_files(
    tmp_path: Path, sink_id: str, field: str
) -> None:
    settings = SETTINGS if sink_id == "main" else {}
    sink = MadeSink(tmp_path, sink_id, settings=dict(settings))
    part = sink.pending_part("", 0, 10)
    sink.record("epoch", [part])
    sink.record("epoch", [{**part, field: f"../part-{UID}-1.json"}])
    read = CommitLog(open_storage(str(tmp_path)), sink_id)
    assert read.read(0)
    with pytest.raises(UnreadableRecord, match=r"'\.\./part") as raised:
        read.read(1)
    assert raised.value.condition == "STOPLOG_PATH_ELSEWHERE"


def test_names_and_handles_of_a_connector_are_not_checked_as_paths(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path, settings={"content": ""})
    theirs = {**sink.pending_part("", 0, 10), "name": "/x/part-y-0", "handle": "../z"}
    sink.record("epoch", [theirs])
    read = log(tmp_path).read(0)
    assert read
    assert (read.publish[0].name, read.publish[0].handle) == ("/x/part-y-0", "../z")


def test_an_absent_record_contains_nothing(tmp_path: Path) -> None:
    assert not log(tmp_path).mentions(0, b"X")


def test_the_end_of_the_sinks_path_is_kept_in_errors(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path / "dataX")
    sink.record("epoch")
    (sink.own / "log" / f"{0:020d}.commit").write_bytes(b"{")
    with pytest.raises(UnreadableRecord, match="/dataX/_stoplog/main/log/"):
        log(tmp_path / "dataX").newest()


@pytest.mark.parametrize(
    ("name", "is_none"),
    [("", True), (".", True), ("..", True), ("a/b", True), ("/", True), ("a", False), (".a", False)],
)
def test_a_name_of_a_file_has_no_separator(name: str, is_none: bool) -> None:
    assert is_no_name(name) == is_none


def test_shifts_of_the_checksum_follow_castagnolis_polynomial() -> None:
    assert _shifted(0, 8) == 0
    assert _shifted(1, 8) == 0xF26B8303
    assert _shifted(255, 8) == 0xAD7D5351
    assert _shifted(2, 1) == 1
    assert _shifted(1, 0) == 1


def test_unfinished_files_of_another_sink_id_are_recognized() -> None:
    own = InBucket("main", ("_", ""), ("_", ""))
    other = f"b/_part-0.json.eu~main-{UID}-00112233445566aa"
    assert own.token_of(other) is None
    assert InBucket("eu.main", ("_", ""), ("_", "")).token_of(other) == other
