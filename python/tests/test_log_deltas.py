# SPDX-License-Identifier: Apache-2.0
"""Records that hold the difference from the one before."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from golden import GOLDEN_OF_SCALA
from made_sink import MINUTE, NOW, UID, MadeSink

from stoplog._inspect import show
from stoplog._inspect.check import FindingKind, check
from stoplog._inspect.explain import explain
from stoplog._inspect.sinks import summary
from stoplog._log.codec import BaseGone, Torn, decode, decode_stored
from stoplog._log.crc32c import crc32c
from stoplog._log.log import CommitLog
from stoplog._report.figures import log_figures
from stoplog._storage import open_storage
from stoplog._storage.local import LocalStorage
from stoplog.errors import UnreadableRecord

Json = dict[str, Any]
CHAIN = ("record-v1-compact.json", "record-v1-delta-epoch.json", "record-v1-delta-roll.json")


def written(body: Json) -> bytes:
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return f'{{"version":1,"crc32c":"{crc32c(text.encode()):08x}","record":{text}}}'.encode()


def log(root: Path) -> CommitLog:
    return CommitLog(open_storage(str(root)), "main")


def chain(root: Path) -> MadeSink:
    """A live sink: record 0 is whole and leaves parts 0 to 2 open; 1 writes to part 1, 2 publishes part 0,
    and 3 begins part 3.
    """
    sink = MadeSink(root)
    parts = [sink.open_part("day=1", number, 100) for number in (0, 1, 2)]
    sink.record("claim", opened=parts)
    grown = sink.open_part("day=1", 1, 130)
    delta(sink, 0, "epoch", opened=[grown])
    (root / parts[0]["handle"]).unlink()
    delta(
        sink,
        0,
        "epoch",
        publish=[sink.finished("day=1", 0, 100)],
        state={"openGone": [f"day=1/{sink.name(0)}"]},
    )
    delta(
        sink,
        0,
        "epoch",
        opened=[sink.open_part("day=1", 3, 40)],
        state={"settings": {**sink.settings, "a": "b"}},
    )
    return sink


def delta(sink: MadeSink, whole: int, kind: str, **more: Any) -> int:
    """The next record, as the difference from the newest one."""
    before = json.loads(sink.record_path(sink.seq - 1).read_bytes())["crc32c"]
    state = more.pop("state", {})
    seq = sink.record(kind, **more, base={"whole": whole, "crc32c": before})
    body = json.loads(sink.record_path(seq).read_bytes())["record"]
    kept = {key: value for key, value in body["state"].items() if key != "settings"}
    sink.record_path(seq).write_bytes(written({**body, "state": {**kept, **state}}))
    return seq


def names(found: Any) -> list[str]:
    return [part.name for part in found.state.open]


def test_paths_in_a_delta_are_checked_by_the_settings_of_the_base(tmp_path: Path) -> None:
    sink = chain(tmp_path)
    named = f"../part-{UID}-9.json"
    seq = delta(sink, 0, "epoch", publish=[{**sink.pending_part("", 9, 10), "name": named}])
    with pytest.raises(UnreadableRecord) as raised:
        log(tmp_path).read(seq)
    assert raised.value.condition == "STOPLOG_PATH_ELSEWHERE"
    assert [
        found.path
        for found in check(open_storage(str(tmp_path)), ["main"], NOW).findings
        if found.kind is FindingKind.HANDLE_OUTSIDE
    ] == [named]


def test_deltas_written_by_scala_are_applied(tmp_path: Path) -> None:
    directory = tmp_path / "_stoplog/main/log"
    directory.mkdir(parents=True)
    for seq, name in enumerate(CHAIN, 6):
        (directory / f"{seq:020d}.commit").write_bytes((GOLDEN_OF_SCALA / name).read_bytes())
    first, second, third = (log(tmp_path).read(seq) for seq in (6, 7, 8))
    assert first
    assert second
    assert third
    assert names(second) == ["part-6f1c2f3e8a4b-9.json.gz"]
    assert (second.state.last_epoch, second.state.next_part, second.epoch) == (43, 10, 43)
    assert second.state.settings == first.state.settings
    assert [live.added.rows for live in second.state.live] == [12]
    assert [(part.name[-9:], part.epoch) for part in second.state.small] == [
        ("4.json.gz", 42),
        ("8.json.gz", 43),
    ]
    assert [part.finished_path for part in second.publish] == ["part-6f1c2f3e8a4b-3.json.gz"]
    assert third.state.settings["maxPartSize"] == "1k"
    assert (third.state.open, third.state.live, third.state.small) == ((), (), second.state.small)
    assert log(tmp_path).newest() == third


def test_each_record_is_read_in_any_order(tmp_path: Path) -> None:
    sink = chain(tmp_path)
    expected = {0: "012", 1: "021", 2: "21", 3: "213"}
    for order in (range(4), reversed(range(4)), (2, 1, 3, 0)):
        read = log(tmp_path)
        for seq in order:
            found = read.read(seq)
            assert found
            assert names(found) == [sink.name(int(number)) for number in expected[seq]]
            assert found.state.settings == {**sink.settings, **({"a": "b"} if seq == 3 else {})}


def test_a_known_state_is_not_read_again(tmp_path: Path) -> None:
    chain(tmp_path)
    requested: list[str] = []

    class Counting(LocalStorage):
        def read(self, path: str) -> bytes | None:
            requested.append(path[-8:-7])
            return super().read(path)

    counted = CommitLog(Counting(str(tmp_path)), "main")
    assert [counted.read(seq) is not None for seq in range(4)] == [True] * 4
    assert requested == ["0", "1", "2", "3"]


def test_a_delta_is_applied_only_to_the_record_before(tmp_path: Path) -> None:
    sink = chain(tmp_path)
    sink.change(0, writtenAtMillis=NOW - 3 * MINUTE)
    with pytest.raises(UnreadableRecord, match="its base, record 0, is a different record now"):
        log(tmp_path).newest()


def test_a_missing_base_is_reported_and_a_newer_record_is_read(tmp_path: Path) -> None:
    sink = chain(tmp_path)
    sink.record_path(1).unlink()
    with pytest.raises(UnreadableRecord, match="its base, record 1, is missing") as found:
        log(tmp_path).newest()
    assert isinstance(found.value.problem, BaseGone)

    class Trimming(LocalStorage):
        def read(self, path: str) -> bytes | None:
            if sink.seq == 4:
                sink.record("claim")
            return super().read(path)

    newest = CommitLog(Trimming(str(tmp_path)), "main").newest()
    assert newest
    assert newest.seq == 4


CHANGES: dict[str, tuple[Callable[[Json], object], str]] = {
    "no base": (lambda body: body.pop("base"), "no field 'settings'"),
    "no whole": (lambda body: body["base"].pop("whole"), "no field 'whole'"),
    "base behind": (lambda body: body["base"].update(whole=2), "record 2 is not an earlier record"),
    "negative": (lambda body: body["base"].update(whole=-1), "record -1 is not an earlier record"),
    "no checksum": (lambda body: body["base"].pop("crc32c"), "no field 'crc32c'"),
    "gone is no list": (
        lambda body: body["state"].update(openGone="x"),
        "'openGone' is not a list of strings",
    ),
    "gone is no text": (
        lambda body: body["state"].update(smallGone=[1]),
        "'smallGone' is not a list of strings",
    ),
    "no open": (lambda body: body["state"].pop("open"), "no field 'open'"),
    "settings": (lambda body: body["state"].update(settings=[]), "'settings' is not an object"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_delta_with_a_wrong_field_is_torn(change: str, tmp_path: Path) -> None:
    sink = chain(tmp_path)
    body = json.loads(sink.record_path(2).read_bytes())["record"]
    alter, message = CHANGES[change]
    alter(body)
    with pytest.raises(Torn, match=message):
        decode_stored(written(body))


def test_a_difference_is_no_whole_record(tmp_path: Path) -> None:
    sink = chain(tmp_path)
    with pytest.raises(BaseGone, match="its base, record 1"):
        decode(sink.record_path(2).read_bytes())


def test_removing_an_unknown_part_makes_a_delta_torn(tmp_path: Path) -> None:
    sink = chain(tmp_path)
    delta(sink, 0, "epoch", state={"openGone": ["day=9/x"]})
    unknown = "are inconsistent: the record removes 'day=9/x', which the base does not contain"
    with pytest.raises(UnreadableRecord, match=unknown):
        log(tmp_path).newest()


def test_a_sink_with_deltas_is_healthy(tmp_path: Path) -> None:
    chain(tmp_path)
    storage = open_storage(str(tmp_path))
    assert [finding.kind for finding in check(storage, ["main"], NOW).findings] == []
    assert summary(storage, "main", NOW).open_parts == 3
    assert show.epoch(storage, "main", 1).record.seq == 2
    assert log_figures(storage, "main", NOW).read == 4


def test_a_record_without_a_base_is_reported_as_a_gap_only(tmp_path: Path) -> None:
    sink = chain(tmp_path)
    sink.record_path(0).unlink()
    sink.record("claim", opened=[sink.open_part("day=1", number, 100) for number in (1, 2, 3)])
    found = check(open_storage(str(tmp_path)), ["main"], NOW).findings
    assert [finding.kind for finding in found] == [FindingKind.LOG_GAP]


def test_a_newest_record_without_a_base_is_reported(tmp_path: Path) -> None:
    """A rule of the store has removed the oldest records, and as many as a trim keeps remain."""
    sink = MadeSink(tmp_path)
    sink.record("claim")
    for _ in range(100):
        delta(sink, 0, "epoch")
    storage = open_storage(str(tmp_path))
    assert check(storage, ["main"], NOW).findings == ()
    sink.record_path(0).unlink()
    (found,) = check(storage, ["main"], NOW).findings
    assert (found.kind, found.path[-10:-7]) == (FindingKind.RECORD_TORN, "100")
    assert "its base, record 0, is missing" in found.message


def test_a_torn_base_is_reported_for_the_dependent_records_only(tmp_path: Path) -> None:
    sink = chain(tmp_path)
    sink.record("claim", opened=[sink.open_part("day=1", number, 100) for number in (1, 2, 3)])
    with sink.record_path(1).open("r+b") as file:
        file.truncate(50)
    storage = open_storage(str(tmp_path))
    found = check(storage, ["main"], NOW).findings
    assert [(one.kind, one.path[-8:-7]) for one in found] == [
        (FindingKind.OLD_RECORD_UNREADABLE, number) for number in "123"
    ]
    assert "its base, record 1, cannot be used" in found[1].message
    assert explain(storage, ["main"], sink.name(0), NOW).seq == 2, "what it published is in itself"
    figures = log_figures(storage, "main", NOW)
    assert (figures.read, figures.unreadable, figures.parts) == (4, 1, 1)


def test_marks_of_old_records_may_be_absent_and_marks_of_new_records_may_not(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    for number in range(9):
        sink.record("epoch", [sink.finished("day=1", number, 10)])
    storage = open_storage(str(tmp_path))
    for seq in range(4):
        sink.mark_path(seq).unlink()
        assert [finding.kind for finding in check(storage, ["main"], NOW).findings] == []
        assert show.record(storage, "main", seq).published
    sink.mark_path(4).unlink()
    assert [finding.kind for finding in check(storage, ["main"], NOW).findings] == [FindingKind.MARK_MISSING]
    (tmp_path / f"day=1/{sink.name(2)}").unlink()
    assert explain(storage, ["main"], sink.name(2), NOW).state.value == "gone"
