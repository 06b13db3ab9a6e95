# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from stoplog._log.codec import VERSION, TooNew, Torn, decode
from stoplog._log.crc32c import crc32c, in_python
from stoplog._log.records import RecordKind

REPOSITORY = Path(__file__).resolve().parents[2]
GOLDEN = sorted((REPOSITORY / "scala-core/src/test/resources/golden").glob("record-*.json"))


def golden(name: str) -> bytes:
    return next(path for path in GOLDEN if path.stem == name).read_bytes()


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_every_record_ever_written_is_read(path: Path) -> None:
    body = json.loads(path.read_text(encoding="utf-8"))["record"]
    record = decode(path.read_bytes())
    assert record.seq == body["seq"]
    assert record.kind.value == body["kind"]
    assert [part.finished_path for part in record.publish] == [
        "/".join(filter(None, (part["bucket"], part["name"]))) for part in body["publish"]
    ]
    assert [part.handle for part in record.state.open] == [part["handle"] for part in body["state"]["open"]]
    assert record.state.settings == body["state"]["settings"]


def test_all_that_a_record_says_is_there() -> None:
    record = decode(golden("record-v2-epoch"))
    part = record.state.open[0]
    assert (record.kind, record.epoch, record.state.next_part) == (RecordKind.EPOCH, 41, 7)
    assert (part.valid_bytes, part.beside.storage_bytes, part.size_bytes) == (134217728, 1300000, 135517728)
    assert [(side.size_bytes, side.level) for side in part.beside.files] == [(65536, 1), (4097, 0)]
    complete = decode(golden("record-v3-complete"))
    assert complete.manifest == "_stoplog/main/manifests/00000000000000000009.json"
    assert [(marker.bucket, marker.version, marker.form) for marker in complete.markers] == [
        ("2026-01-01--00", 1, "json"),
        ("", 3, "empty"),
    ]
    assert complete.state.live[1].marked.rows == 1200
    compact = decode(golden("record-v3-compact"))
    assert [part.epoch for part in compact.replace] == [39, -1]
    assert compact.state.small[1].merges == 1


def test_a_record_that_stops_anywhere_is_torn() -> None:
    whole = golden("record-v1-epoch")
    for length in range(0, len(whole), 7):
        with pytest.raises(Torn):
            decode(whole[:length])


def test_a_changed_byte_is_seen_and_white_space_is_nothing() -> None:
    whole = golden("record-v1-epoch")
    assert decode(whole + b"\n") == decode(whole)
    assert decode(json.dumps(json.loads(whole), ensure_ascii=False, indent=1).encode()) == decode(whole)
    with pytest.raises(Torn, match="checksum"):
        decode(whole.replace(b'"bytes":17', b'"bytes":18'))
    with pytest.raises(Torn):
        decode(whole + bytes(512))


def test_a_newer_version_is_refused_by_name() -> None:
    newer = golden("record-v1-claim").replace(b'"version":1', f'"version":{VERSION + 1}'.encode())
    with pytest.raises(TooNew) as refused:
        decode(newer)
    assert refused.value.version == VERSION + 1
    with pytest.raises(Torn, match="another version"):
        decode(golden("record-v1-claim").replace(b'"version":1', b'"version":2'))


def test_the_checksum_is_castagnolis_for_all_lengths() -> None:
    # From RFC 3720, B.4.
    for checksum in (crc32c, in_python):
        assert checksum(bytes(32)) == 0x8A9136AA
        assert checksum(b"\xff" * 32) == 0x62A8AB43
        assert checksum(bytes(range(32))) == 0x46DD794E
        assert checksum(b"123456789") == 0xE3069283
        assert checksum(b"") == 0


def test_the_checksum_is_the_same_with_google_crc32c_and_without() -> None:
    pytest.importorskip("google_crc32c")
    some = random.Random(7).randbytes(70_000)
    for length in (*range(9), 65_535, 65_536, 65_537, 70_000):
        assert crc32c(some[:length]) == in_python(some[:length])
