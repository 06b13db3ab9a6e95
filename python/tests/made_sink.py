# SPDX-License-Identifier: Apache-2.0
"""A sink's directory as the jar leaves it, made by Python alone, so that tests can damage it."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stoplog._log.crc32c import crc32c

NOW = 1_767_229_200_000
"""The clock of these tests, in milliseconds."""

MINUTE = 60_000
RUN = "6f1c2f3e-8a4b-4c5d-9e6f-0a1b2c3d4e5f"
UID = "6f1c2f3e8a4b"
QUERY = "d3b07384-d9a0-4c9b-8f6e-2f4a1c7e5b60"
SETTINGS = {
    "bucketCheckInterval": "1m",
    "content": "format=json; compression=none",
    "inProgress": "staging",
    "inactivityInterval": "5m",
    "maxPartSize": "1k",
    "rolloverInterval": "15m",
    "rollingPolicy": "default",
    "timeZone": "UTC",
}

Json = dict[str, Any]


@dataclass
class MadeSink:
    """One sink id under a path; records are numbered as they are written."""

    root: Path
    sink_id: str = "main"
    settings: dict[str, str] = field(default_factory=lambda: dict(SETTINGS))
    query: str = QUERY
    run: str = RUN
    seq: int = 0
    next_part: int = 0
    last_epoch: int | None = None

    @property
    def own(self) -> Path:
        return self.root / "_stoplog" / self.sink_id

    def name(self, number: int) -> str:
        return f"part-{UID}-{number}.json"

    def staged_path(self, bucket: str, number: int) -> str:
        directory = f"_stoplog/{self.sink_id}/open/{bucket}".rstrip("/")
        return f"{directory}/.{self.name(number)}.inprogress.{UID}-{number:016x}"

    def record_path(self, seq: int) -> Path:
        return self.own / "log" / f"{seq:020d}.commit"

    def mark_path(self, seq: int) -> Path:
        return self.own / "log" / f"{seq:020d}.published"

    def open_part(self, bucket: str, number: int, valid: int, beside: Json | None = None) -> Json:
        """An open part of the record, and its file with a few bytes of an epoch that is under way."""
        self.write(self.staged_path(bucket, number), b"x" * valid + b"junk")
        part = {
            "bucket": bucket,
            "name": self.name(number),
            "bytes": valid,
            "records": 10,
            "openedAtMillis": NOW - 4 * MINUTE,
            "lastWrittenAtMillis": NOW - MINUTE,
            "slot": 0,
            "handle": self.staged_path(bucket, number),
            "owner": self.run,
        }
        return {**part, "beside": beside} if beside else part

    def beside(self, number: int) -> Json:
        """Rows beside an open part, in one file."""
        path = f"_stoplog/{self.sink_id}/beside/{self.name(number)}.{UID}-{number:016x}"
        self.write(path, b"r" * 64)
        return {"note": "1", "storageBytes": 50, "files": [{"file": path, "bytes": 64, "level": 0}]}

    def pending_part(self, bucket: str, number: int, size: int, reason: str = "size") -> Json:
        """A closed part of the record; its file is not made."""
        return {
            "bucket": bucket,
            "name": self.name(number),
            "bytes": size,
            "records": 10,
            "openedAtMillis": NOW - 30 * MINUTE,
            "lastWrittenAtMillis": NOW - 20 * MINUTE,
            "reason": reason,
            "handle": self.staged_path(bucket, number),
            "closed": True,
        }

    def finished(self, bucket: str, number: int, size: int, reason: str = "size") -> Json:
        """A closed part whose file readers see."""
        self.write("/".join(filter(None, (bucket, self.name(number)))), b"x" * size)
        return self.pending_part(bucket, number, size, reason)

    def call_off(self, seq: int, why: str = "a reader has moved a small part") -> None:
        """Notes that the replacement of this record does not come to pass."""
        self.mark_path(seq).with_suffix(".visible").write_text(json.dumps({"why": why}))

    def record(
        self,
        kind: str,
        publish: list[Json] | None = None,
        opened: list[Json] | None = None,
        *,
        at_millis: int | None = None,
        marked: bool = True,
        **more: Any,
    ) -> int:
        """Writes the next record; `more` are fields of its own. Answers its number."""
        if kind == "epoch":
            self.last_epoch = 0 if self.last_epoch is None else self.last_epoch + 1
        parts = [*(publish or []), *(opened or [])]
        numbers = [
            int(part["name"].split("-")[2].split(".")[0]) for part in parts if "-m" not in part["name"]
        ]
        self.next_part = max([self.next_part, *(number + 1 for number in numbers)])
        state: Json = {"queryId": self.query}
        if self.last_epoch is not None:
            state["lastEpoch"] = self.last_epoch
        state |= {"nextPart": self.next_part, "settings": self.settings, "open": opened or []}
        body: Json = {"seq": self.seq, "kind": kind}
        if kind == "epoch":
            body["epoch"] = self.last_epoch
        body |= {"run": self.run, "writtenAtMillis": at_millis or NOW - 2 * MINUTE, "publish": publish or []}
        state |= more.pop("state", {})
        body |= {**more, "state": state}
        self.put(self.seq, body)
        if marked and (publish or more):
            self.mark_path(self.seq).touch()
        self.seq += 1
        return self.seq - 1

    def put(self, seq: int, body: Json) -> None:
        """Writes a record with its checksum."""
        text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
        envelope = f'{{"version":1,"crc32c":"{crc32c(text.encode()):08x}","record":'
        path = self.record_path(seq)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{envelope}{text}}}", encoding="utf-8")
        self.write_time(path, body["writtenAtMillis"])

    def change(self, seq: int, /, **fields: Any) -> None:
        """Writes a record anew with other fields; those of the state as `state={…}`."""
        body = json.loads(self.record_path(seq).read_text(encoding="utf-8"))["record"]
        state = fields.pop("state", {})
        self.put(seq, {**body, **fields, "state": {**body["state"], **state}})

    def write(self, path: str, content: bytes, age_millis: int = 2 * MINUTE) -> Path:
        """A file under the path, of that age."""
        target = self.root / path
        assert target.is_relative_to(self.root), path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        self.write_time(target, NOW - age_millis)
        return target

    def write_time(self, file: Path, at_millis: int) -> None:
        """Lets the file be as old as that."""
        os.utime(file, (at_millis / 1000, at_millis / 1000))


def healthy(root: Path) -> MadeSink:
    """A live sink in which everything occurs once, and nothing is wrong.

    Record 0 claims; 1 opens parts 0 to 3; 2 publishes part 0; 3 puts parts 1 and 2 together; 4 marks a bucket
    and lists its file; 5 leaves parts 5 (with a side file) and 6 open.
    """
    sink = MadeSink(root)
    sink.record("claim")
    first = [sink.open_part("day=1", number, 100) for number in (0, 1, 2)]
    sink.record("epoch", opened=first)
    for part in first:
        (root / part["handle"]).unlink()
    sink.record("epoch", [sink.finished("day=1", number, 100) for number in (0, 1, 2)])
    merged = {**sink.finished("day=1", 0, 190, "compaction"), "name": f"part-{UID}-m0.json"}
    sink.write(f"day=1/{sink.name(0)}", b"x" * 100)
    sink.write(f"day=1/part-{UID}-m0.json", b"x" * 190)
    small: list[Json] = [
        {"bucket": "day=1", "name": sink.name(number), "bytes": 100, "records": 10, "epoch": 1}
        for number in (1, 2)
    ]
    for part in small:
        (root / "day=1" / part["name"]).unlink()
    sink.record("compact", [merged], replace=small)
    marked = sink.finished("day=2", 4, 300)
    manifest = "_stoplog/main/manifests/00000000000000000004.manifest"
    sink.write(manifest, json.dumps({"seq": 4, "files": [{"path": f"day=2/{sink.name(4)}"}]}).encode())
    sink.write("day=2/_SUCCESS", json.dumps({"version": 1, "bucket": "day=2", "sinkId": "main"}).encode())
    marker = {
        "bucket": "day=2",
        "version": 1,
        "form": "json",
        "sinkId": "main",
        "cause": "watermark",
        "atMillis": NOW - 3 * MINUTE,
    }
    sink.record("epoch", [marked], manifest={"path": manifest}, markers=[marker])
    sink.record(
        "epoch",
        [sink.finished("day=3", 7, 1100)],
        [sink.open_part("day=3", 5, 200, sink.beside(5)), sink.open_part("", 6, 10)],
    )
    return sink
