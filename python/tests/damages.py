# SPDX-License-Identifier: Apache-2.0
"""Each kind of damage that `stoplog check` knows, inflicted on the directory of `made_sink.healthy`."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable

from made_sink import MINUTE, NOW, UID, MadeSink

from stoplog.inspection import FindingKind

K = FindingKind
OLD = 30 * MINUTE
Damage = Callable[[MadeSink], None]

DAMAGES: list[tuple[FindingKind, Damage]] = []


def damage(kind: FindingKind) -> Callable[[Damage], Damage]:
    def register(inflict: Damage) -> Damage:
        DAMAGES.append((kind, inflict))
        return inflict

    return register


def merge_called_off(sink: MadeSink) -> None:
    """The merge of record 3, whose inputs came back."""
    sink.call_off(3)
    (sink.root / "day=1" / f"part-{UID}-m0.json").unlink()
    for number in (1, 2):
        sink.write(f"day=1/{sink.name(number)}", b"x" * 100)


@damage(K.RECORD_TORN)
def _(sink: MadeSink) -> None:
    path = sink.record_path(5)
    path.write_bytes(path.read_bytes()[:200])


@damage(K.RECORD_EMPTY)
def _(sink: MadeSink) -> None:
    sink.record_path(5).write_bytes(b"")


@damage(K.RECORD_CHECKSUM)
def _(sink: MadeSink) -> None:
    path = sink.record_path(5)
    path.write_bytes(path.read_bytes().replace(b'"bytes":200', b'"bytes":100'))


@damage(K.RECORD_TOO_NEW)
def _(sink: MadeSink) -> None:
    path = sink.record_path(5)
    path.write_bytes(path.read_bytes().replace(b'"version":1', b'"version":9'))


@damage(K.RECORD_MISPLACED)
def _(sink: MadeSink) -> None:
    sink.change(1, seq=17)


@damage(K.OLD_RECORD_UNREADABLE)
def _(sink: MadeSink) -> None:
    sink.record_path(2).write_bytes(b"{")


@damage(K.LOG_GAP)
def _(sink: MadeSink) -> None:
    sink.record_path(3).unlink()
    sink.mark_path(3).unlink()


@damage(K.LOG_GONE)
def _(sink: MadeSink) -> None:
    for path in (sink.own / "log").iterdir():
        path.unlink()


@damage(K.LOG_FOREIGN_FILE)
def _(sink: MadeSink) -> None:
    (sink.own / "log" / "00000000000000000005.commit.bak").write_bytes(b"")


@damage(K.MARK_WITHOUT_RECORD)
def _(sink: MadeSink) -> None:
    sink.mark_path(77).touch()


@damage(K.MARK_MISSING)
def _(sink: MadeSink) -> None:
    sink.mark_path(2).unlink()


@damage(K.EPOCH_SKIPPED)
def _(sink: MadeSink) -> None:
    sink.change(5, epoch=9, state={"lastEpoch": 9})


@damage(K.EPOCH_BACKWARDS)
def _(sink: MadeSink) -> None:
    sink.change(5, epoch=0, state={"lastEpoch": 0})


@damage(K.PART_NUMBER_BACKWARDS)
def _(sink: MadeSink) -> None:
    sink.change(5, state={"nextPart": 1})


@damage(K.RUN_WITHOUT_CLAIM)
def _(sink: MadeSink) -> None:
    sink.change(5, run="0b9d8c7e-1f2a-4b3c-8d4e-5f60718293a4")


@damage(K.CLOCK_BACKWARDS)
def _(sink: MadeSink) -> None:
    sink.change(5, writtenAtMillis=NOW - 90 * MINUTE)


@damage(K.QUERY_CHANGED)
def _(sink: MadeSink) -> None:
    for seq in (4, 5):
        sink.change(seq, state={"queryId": "another"})


@damage(K.PUBLISHED_TWICE)
def _(sink: MadeSink) -> None:
    sink.change(5, publish=[sink.pending_part("day=1", 0, 100)])


@damage(K.PUBLISHED_AND_OPEN)
def _(sink: MadeSink) -> None:
    sink.change(5, state={"open": [sink.open_part("day=1", 0, 100)]})
    shutil.rmtree(sink.own / "beside")


@damage(K.OPEN_PART_MISSING)
def _(sink: MadeSink) -> None:
    (sink.root / sink.staged_path("day=3", 5)).unlink()


@damage(K.OPEN_PART_SHORT)
def _(sink: MadeSink) -> None:
    (sink.root / sink.staged_path("day=3", 5)).write_bytes(b"x" * 199)


@damage(K.OPEN_PART_DOUBLED)
def _(sink: MadeSink) -> None:
    sink.change(5, state={"open": [sink.open_part("", 6, 10), sink.open_part("", 6, 10)]})
    shutil.rmtree(sink.own / "beside")


@damage(K.OPEN_PART_VISIBLE)
def _(sink: MadeSink) -> None:
    sink.write(f"day=3/{sink.name(5)}", b"rows")


@damage(K.SIDE_FILE_MISSING)
def _(sink: MadeSink) -> None:
    shutil.rmtree(sink.own / "beside")


@damage(K.SIDE_FILE_SHORT)
def _(sink: MadeSink) -> None:
    next((sink.own / "beside").iterdir()).write_bytes(b"r")


@damage(K.HANDLE_OUTSIDE)
def _(sink: MadeSink) -> None:
    sink.change(5, state={"open": [{**sink.open_part("", 6, 10), "handle": "../../etc/passwd"}]})


@damage(K.PENDING_PART_LOST)
def _(sink: MadeSink) -> None:
    sink.mark_path(5).unlink()
    (sink.root / "day=3" / sink.name(7)).unlink()


@damage(K.PENDING_PART_SHORT)
def _(sink: MadeSink) -> None:
    sink.mark_path(5).unlink()
    (sink.root / "day=3" / sink.name(7)).unlink()
    sink.write(sink.staged_path("day=3", 7), b"x" * 1099)


@damage(K.PENDING_PART_WAITING)
def _(sink: MadeSink) -> None:
    sink.change(5, writtenAtMillis=NOW - OLD)
    sink.mark_path(5).unlink()
    (sink.root / "day=3" / sink.name(7)).unlink()
    sink.write(sink.staged_path("day=3", 7), b"x" * 1100)


@damage(K.NAME_TAKEN)
def _(sink: MadeSink) -> None:
    sink.mark_path(5).unlink()
    sink.write(f"day=3/{sink.name(7)}", b"somebody else's")


@damage(K.FINISHED_PART_SHORT)
def _(sink: MadeSink) -> None:
    sink.write(f"day=3/{sink.name(7)}", b"x" * 1099)


@damage(K.FINISHED_PART_LONG)
def _(sink: MadeSink) -> None:
    sink.write(f"day=3/{sink.name(7)}", b"x" * 1101)


@damage(K.FINISHED_PART_EMPTY)
def _(sink: MadeSink) -> None:
    sink.write(f"day=3/{sink.name(7)}", b"")


@damage(K.FINISHED_PART_DOUBLED)
def _(sink: MadeSink) -> None:
    shutil.copytree(sink.root / "day=3", sink.root / "day=3 (copy)")


@damage(K.FINISHED_PART_UNKNOWN)
def _(sink: MadeSink) -> None:
    sink.write(f"day=3/{sink.name(999)}", b"x")


@damage(K.FINISHED_PART_GONE)
def _(sink: MadeSink) -> None:
    (sink.root / "day=3" / sink.name(7)).unlink()


@damage(K.FINISHED_PART_MOVED)
def _(sink: MadeSink) -> None:
    (sink.root / "archive").mkdir()
    (sink.root / "day=3" / sink.name(7)).rename(sink.root / "archive" / sink.name(7))


@damage(K.REPLACED_PART_VISIBLE)
def _(sink: MadeSink) -> None:
    sink.write(f"day=1/{sink.name(1)}", b"x" * 100)


@damage(K.REWOUND_PART_VISIBLE)
def _(sink: MadeSink) -> None:
    gone = {"bucket": "day=3", "name": sink.name(7), "bytes": 1100, "records": 10, "epoch": 3}
    opened = [sink.open_part("day=3", 5, 200, sink.beside(5)), sink.open_part("", 6, 10)]
    sink.record("compact", replace=[gone], opened=opened)


@damage(K.VALID_LENGTH_WRONG)
def _(sink: MadeSink) -> None:
    sink.write(f"day=3/{sink.name(7)}", b"x" * 2000)
    sink.write(f"day=3/_{sink.name(7)}.valid-length", b"\x00\x041500")


@damage(K.FOREIGN_FILE)
def _(sink: MadeSink) -> None:
    sink.write("day=3/notes.txt", b"hello")


@damage(K.CHECKSUM_FILE)
def _(sink: MadeSink) -> None:
    sink.write(f"day=3/.{sink.name(7)}.crc", b"crc")


def part_skipped(sink: MadeSink) -> None:
    """The part of record 4 was lost, and the query has continued without the part."""
    (sink.root / "day=2" / sink.name(4)).unlink()
    note = sink.mark_path(4).with_suffix(".visible")
    note.write_text("[]")
    note.with_suffix(".visible-1").write_text(json.dumps({"skipped": [f"day=2/{sink.name(4)}"]}))
    sink.write("_stoplog/main/manifests/00000000000000000004.manifest", b'{"files":[]}')


@damage(K.MARKER_GONE)
def _(sink: MadeSink) -> None:
    (sink.root / "day=2" / "_SUCCESS").unlink()


@damage(K.MARKER_CHANGED)
def _(sink: MadeSink) -> None:
    sink.write("day=2/_SUCCESS", b"{")


@damage(K.MANIFEST_GONE)
def _(sink: MadeSink) -> None:
    shutil.rmtree(sink.own / "manifests")


@damage(K.MANIFEST_CHANGED)
def _(sink: MadeSink) -> None:
    sink.write("_stoplog/main/manifests/00000000000000000004.manifest", b'{"files":[]}')


@damage(K.ORPHAN_PART)
def _(sink: MadeSink) -> None:
    sink.write(sink.staged_path("day=9", 88), b"x", OLD)


@damage(K.ORPHAN_SIDE_FILE)
def _(sink: MadeSink) -> None:
    sink.write(f"_stoplog/main/beside/{sink.name(88)}.{UID}-0000000000000058", b"x", OLD)


@damage(K.UPLOAD_LEFT)
def _(sink: MadeSink) -> None:
    sink.write(f"_stoplog/main/open/.{sink.name(88)}.{UID}-0000000000000058.upload", b"{}", OLD)


@damage(K.DRAFT_LEFT)
def _(sink: MadeSink) -> None:
    sink.write("_stoplog/main/open/.record-6.6f1c2f3e-8a4b-4c5d-9e6f-0a1b2c3d4e5f", b"{", OLD)


@damage(K.REPLACED_LEFT)
def _(sink: MadeSink) -> None:
    sink.write(f"_stoplog/main/replaced/3/{sink.name(1)}", b"x", OLD)


@damage(K.MERGE_INPUT_ASIDE)
def _(sink: MadeSink) -> None:
    merge_called_off(sink)
    (sink.own / "replaced" / "3").mkdir(parents=True)
    aside = sink.own / "replaced" / "3" / sink.name(1)
    (sink.root / "day=1" / sink.name(1)).rename(aside)
    sink.write_time(aside, NOW - OLD)


@damage(K.STAGING_FOREIGN_FILE)
def _(sink: MadeSink) -> None:
    sink.write("_stoplog/main/open/day=3/notes.txt", b"hello")


@damage(K.OWN_FOREIGN_FILE)
def _(sink: MadeSink) -> None:
    sink.write("_stoplog/main/notes.txt", b"hello")


@damage(K.TARGET_FAILED)
def _(sink: MadeSink) -> None:
    sink.write(f"_stoplog/main/announced/lake/{4:020d}", b"{}")
    sink.write(f"_stoplog/main/announced/lake/{4:020d}.failed", b'{"reason": "the catalog is down", "at": 0}')
    sink.write(f"_stoplog/main/announced/hook/{4:020d}", b"{}")
