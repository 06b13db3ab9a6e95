# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from stoplog._log.codec import VERSION, Elsewhere, TooNew, Torn, decode
from stoplog._log.crc32c import _by_tables, crc32c, in_python
from stoplog._log.records import RecordKind

REPOSITORY = Path(__file__).resolve().parents[2]
GOLDEN = sorted((REPOSITORY / "scala-core/src/test/resources/golden").glob("record-v1-*.json"))
WHOLE = [path for path in GOLDEN if "-delta-" not in path.name]


def golden(name: str) -> bytes:
    return next(path for path in GOLDEN if path.stem == name).read_bytes()


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_every_golden_record_is_read(path: Path) -> None:
    body = json.loads(path.read_text(encoding="utf-8"))["record"]
    record = decode(path.read_bytes())
    assert record.seq == body["seq"]
    assert record.kind.value == body["kind"]
    assert [part.finished_path for part in record.publish] == [
        "/".join(filter(None, (part["bucket"], part["name"]))) for part in body["publish"]
    ]
    assert [part.handle for part in record.state.open] == [part["handle"] for part in body["state"]["open"]]
    assert record.state.settings == body["state"]["settings"]


def test_a_decoded_record_has_all_fields() -> None:
    record = decode(golden("record-v1-beside"))
    part = record.state.open[0]
    assert (record.kind, record.epoch, record.state.next_part) == (RecordKind.EPOCH, 41, 7)
    assert (part.valid_bytes, part.spooled.storage_bytes, part.size_bytes) == (134217728, 1300000, 135517728)
    assert [(side.size_bytes, side.level) for side in part.spooled.files] == [(65536, 1), (4097, 0)]
    assert part.spooled.rows == ""
    assert decode(golden("record-v1-rows")).state.open[0].spooled.rows == "a8O2bG4K"
    assert part.first_event_time_millis is None
    timed = decode(golden("record-v1-event-time"))
    assert [part.first_event_time_millis for part in timed.state.open] == [-62135596800001, None]
    complete = decode(golden("record-v1-complete"))
    assert complete.manifest == "_stoplog/main/manifests/00000000000000000009.manifest"
    assert [(marker.bucket, marker.version, marker.form) for marker in complete.markers] == [
        ("2026-01-01--00", 1, "json"),
        ("", 3, "empty"),
    ]
    assert complete.state.live[1].added.rows == 3
    compact = decode(golden("record-v1-compact"))
    assert [part.epoch for part in compact.replace] == [39, -1]
    assert compact.state.small[1].merges == 1


def test_a_truncated_record_is_torn() -> None:
    whole = golden("record-v1-epoch")
    for length in range(0, len(whole), 7):
        with pytest.raises(Torn):
            decode(whole[:length])


def test_a_changed_byte_is_detected_and_white_space_is_ignored() -> None:
    whole = golden("record-v1-epoch")
    assert decode(whole + b"\n") == decode(whole)
    assert decode(json.dumps(json.loads(whole), ensure_ascii=False, indent=1).encode()) == decode(whole)
    with pytest.raises(Torn, match="checksum"):
        decode(whole.replace(b'"bytes":17', b'"bytes":18'))
    with pytest.raises(Torn):
        decode(whole + bytes(512))


def test_a_newer_version_is_rejected() -> None:
    newer = golden("record-v1-claim").replace(b'"version":1', f'"version":{VERSION + 1}'.encode())
    with pytest.raises(TooNew) as raised:
        decode(newer)
    assert raised.value.version == VERSION + 1


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


def forged(body: dict[str, object]) -> bytes:
    """A record of anything, with the checksum of a record."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    checksum = crc32c(text.encode(errors="surrogatepass"))
    return f'{{"version":1,"crc32c":"{checksum:08x}","record":{text}}}'.encode(errors="surrogatepass")


PENDING = {
    **{"bucket": "b", "name": "p", "bytes": 1, "records": 1, "openedAtMillis": 0, "lastWrittenAtMillis": 0},
    **{"reason": "size", "handle": "_stoplog/main/open/p", "closed": True},
}
OPEN = {
    **{"bucket": "b", "name": "p", "bytes": 1, "records": 1, "openedAtMillis": 0, "lastWrittenAtMillis": 0},
    **{"slot": 0, "handle": "_stoplog/main/open/p"},
}
SMALL = {"bucket": "b", "name": "p", "bytes": 1, "records": 1, "epoch": 0}
MARKER = {
    **{"bucket": "b", "version": 1, "form": "json", "sinkId": "main", "cause": "c", "atMillis": 0},
}
ON_S3 = {"v": 1, "base": "_stoplog/main/open/p", "target": "b/p", "tail": {"at": "PATH", "bytes": 1}}


def body(state: dict[str, object] | None = None, **fields: object) -> dict[str, object]:
    whole = {"queryId": "q", "nextPart": 0, "settings": {}, "open": [], **(state or {})}
    return {
        **{"seq": 0, "kind": "claim", "run": "r", "writtenAtMillis": 0, "publish": [], "state": whole},
        **fields,
    }


def bodies(path: str) -> list[dict[str, object]]:
    beside = {"note": "1", "storageBytes": 1, "files": [{"file": path, "bytes": 1, "level": 0}]}
    live = {"bucket": path, "lastWrittenAtMillis": 0}
    return [
        body(publish=[{**PENDING, "bucket": path}]),
        body(publish=[{**PENDING, "name": path}]),
        body(publish=[{**PENDING, "handle": path}]),
        body({"open": [{**OPEN, "bucket": path}]}),
        body({"open": [{**OPEN, "name": path}]}),
        body({"open": [{**OPEN, "handle": path}]}),
        body({"open": [{**OPEN, "handle": json.dumps(ON_S3).replace("PATH", path)}]}),
        body({"open": [{**OPEN, "beside": beside}]}),
        body({"small": [{**SMALL, "bucket": path}]}),
        body({"small": [{**SMALL, "name": path}]}),
        body({"live": [live]}),
        body(replace=[{**SMALL, "bucket": path}]),
        body(replace=[{**SMALL, "name": path}]),
        body(manifest={"path": path}),
        body(markers=[{**MARKER, "bucket": path}]),
    ]


@pytest.mark.parametrize("path", ["/etc/passwd", "../p", "b/../../p", ".."])
def test_a_record_with_a_file_outside_of_the_sink_is_rejected(path: str) -> None:
    assert decode(forged(body(publish=[PENDING]))).publish[0].finished_path == "b/p"
    for made in bodies(path):
        with pytest.raises(Elsewhere) as raised:
            decode(forged(made))
        assert any(path in named for named in raised.value.paths), made


def test_replaced_entries_must_be_visible_paths_of_the_sink() -> None:
    for entries in ("b/..", "_stoplog", "b//c", ".hidden"):
        with pytest.raises(Elsewhere):
            decode(forged(body({"settings": {"replaced": entries}})))
    assert decode(forged(body({"settings": {"replaced": "b/c"}})))


def test_names_and_handles_of_a_connector_are_not_checked_as_paths() -> None:
    theirs = {**PENDING, "bucket": "", "name": "/x/../y", "handle": "../z"}
    assert decode(forged(body(publish=[theirs]))).publish[0].handle == "../z"


def test_a_record_of_too_many_levels_is_torn() -> None:
    deep = b"[" * 200_000 + b"]" * 200_000
    with pytest.raises(Torn, match="deep"):
        decode(b'{"version":1,"crc32c":"00000000","record":{"a":' + deep + b"}}")
    assert decode(forged(body({"open": [{**OPEN, "handle": '{"v":' + "[" * 200_000}]})))


@pytest.mark.parametrize("millis", [253_402_300_800_000, -62_135_596_800_001, 1 << 62, 1 << 80])
def test_a_time_outside_of_the_calendar_is_torn(millis: int) -> None:
    for made in (
        body(writtenAtMillis=millis),
        body(publish=[{**PENDING, "openedAtMillis": millis}]),
        body({"open": [{**OPEN, "lastWrittenAtMillis": millis}]}),
        body(markers=[{**MARKER, "atMillis": millis}]),
    ):
        with pytest.raises(Torn, match="Millis"):
            decode(forged(made))


def test_half_a_surrogate_pair_and_a_number_over_64_bits_are_torn() -> None:
    half = forged(body({"queryId": "QUERY"})).replace(b"QUERY", b"\\ud83d")
    checked = half.partition(b'"record":')[2][:-1]
    half = half[:23] + f"{crc32c(checked):08x}".encode() + half[31:]
    with pytest.raises(Torn, match="half of a surrogate pair"):
        decode(half)
    with pytest.raises(Torn, match="64 bits"):
        decode(forged(body(seq=1 << 63)))


@pytest.mark.parametrize("length", [4095, 4096, 4097, 8192, 65_536, 300_001])
def test_the_checksum_of_long_input_equals_the_checksum_by_tables(length: int) -> None:
    data = random.Random(length).randbytes(length)
    assert in_python(data) == _by_tables(data, 0xFFFFFFFF) ^ 0xFFFFFFFF
