# SPDX-License-Identifier: Apache-2.0
"""Every state that a file can be in, asked for by name and by path, and all that is said of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from damages import merge_called_off, part_skipped
from golden import sections
from made_sink import MINUTE, NOW, RUN, UID, MadeSink, healthy

from stoplog._inspect.explain import explain
from stoplog._storage.local import LocalStorage
from stoplog.inspection import Explanation, PartState, SinkDirectory

REPORTED = sections("explained.txt")
BATCH = "part-0b9d8c7e1f2a-0.json"
SIDE = f"part-{UID}-5.json.{UID}-0000000000000005"
IN_BUCKET = {
    "inProgress": "bucket",
    "inProgressPrefix": "_",
    "inProgressSuffix": ".in-progress",
    "pendingPrefix": "_",
    "pendingSuffix": ".pending",
}
END = f"main-{UID}-00112233445566aa"


def reported(requested: str, found: Explanation) -> str:
    assert found.part == requested
    about = [found.path, found.sink_id, found.epoch, found.seq]
    where = ", ".join("-" if one is None else str(one) for one in about)
    return f"{found.state.value} ({where})\n  {found.message}"


def explained(root: Path, requested: str, now: int = NOW) -> Explanation:
    return SinkDirectory(root, clock=lambda: now).explain(requested)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The healthy sink, and a record more, with a file in each state."""
    root = tmp_path_factory.mktemp("explained")
    sink = healthy(root)
    empty = sink.pending_part("day=3", 9, 0, "age")
    sink.record(
        "roll",
        [sink.pending_part("day=3", 6, 10, "age"), empty],
        [sink.open_part("day=3", 5, 200, sink.beside(5))],
        marked=False,
    )
    (root / "day=2" / sink.name(4)).unlink()
    sink.write(sink.staged_path("day=9", 88), b"x", 30 * MINUTE)
    sink.write(sink.staged_path("day=9", 89), b"x", MINUTE)
    sink.write(f"_stoplog/main/beside/{sink.name(88)}.{UID}-0000000000000058", b"x", 30 * MINUTE)
    sink.write(f"day=3/{BATCH}", b"x")
    sink.write("_rejected/part-0b9d8c7e1f2a-1.json", b"x")
    sink.write("day=3/notes.txt", b"x")
    sink.write("a/b/c/d/deep.txt", b"x")
    sink.write("_stoplog/notes/odd.txt", b"x")
    return root


REQUESTED = {
    "finished, by its path": f"day=3/part-{UID}-7.json",
    "finished, by its name": f"part-{UID}-7.json",
    "finished, from here": f"./day=3/part-{UID}-7.json",
    "finished, in another directory": f"day=4/part-{UID}-7.json",
    "finished, as it was called before": f"_stoplog/main/open/.part-{UID}-7.json.inprogress.{UID}-{7:016x}",
    "open, by its name": f"part-{UID}-5.json",
    "open, by its file": f"_stoplog/main/open/day=3/.part-{UID}-5.json.inprogress.{UID}-{5:016x}",
    "beside, by its path": f"_stoplog/main/beside/{SIDE}",
    "beside, by its name": SIDE,
    "pending": f"part-{UID}-6.json",
    "empty": f"part-{UID}-9.json",
    "gone": f"part-{UID}-4.json",
    "replaced": f"part-{UID}-1.json",
    "orphan": f"_stoplog/main/open/day=9/.part-{UID}-88.json.inprogress.{UID}-{88:016x}",
    "orphan, young": f"_stoplog/main/open/day=9/.part-{UID}-89.json.inprogress.{UID}-{89:016x}",
    "orphan, beside": f"_stoplog/main/beside/part-{UID}-88.json.{UID}-0000000000000058",
    "finished, no longer kept": BATCH,
    "finished, hidden, no longer kept": "_rejected/part-0b9d8c7e1f2a-1.json",
    "foreign": "day=3/notes.txt",
    "foreign, by its name": "deep.txt",
    "foreign, deep": "a/b/c/d/deep.txt",
    "own marker": "day=2/_SUCCESS",
    "foreign, beside the sinks": "_stoplog/notes/odd.txt",
    "own": "_stoplog/main/log/00000000000000000001.commit",
    "unknown": "nothing.json",
    "unknown path": "day=3/nothing.json",
    "unknown path of a known name": "day=8/notes.txt",
}


@pytest.mark.parametrize("case", REQUESTED)
def test_every_state_of_a_file_is_explained(case: str, root: Path) -> None:
    assert reported(REQUESTED[case], explained(root, REQUESTED[case])) == REPORTED[case]


def test_a_path_may_start_with_the_path_of_the_sink(root: Path) -> None:
    requested = f"{root}/day=3/part-{UID}-7.json"
    assert reported(requested, explained(root, requested)) == REPORTED["finished, by its path"]
    slashes = SinkDirectory(f"{root}/", clock=lambda: NOW).explain(requested)
    assert reported(requested, slashes) == REPORTED["finished, by its path"]


class At(LocalStorage):
    """A local directory under another address."""

    def __init__(self, directory: Path, root: str) -> None:
        super().__init__(str(directory))
        self._named = root

    @property
    def root(self) -> str:
        return self._named


@pytest.mark.parametrize(
    ("address", "requested"),
    [
        ("s3://b/out", "s3a://b/out/day=3/{}"),
        ("s3a://b/out/", "s3://b//out/day=3/{}"),
        ("S3n://b/out", "s3n://b/out/day=3/{}"),
        ("s3://b", "s3a://b/day=3/{}"),
        ("gs://b/out", "gcs://b/out/day=3/{}"),
        ("abfss://c@a.dfs.core.windows.net/out", "abfs://c@a.dfs.core.windows.net/out/day=3/{}"),
        ("s3a://b/out", "s3a://b/out/day%3D3/{}"),
        ("s3a://b/my out", "s3://b/my%20out/day=3/{}"),
    ],
)
def test_a_path_may_have_another_spelling_of_the_root(address: str, requested: str, root: Path) -> None:
    path = requested.format(f"part-{UID}-7.json")
    found = explain(At(root, address), ["main"], path, NOW)
    assert reported(path, found) == REPORTED["finished, by its path"]


@pytest.mark.parametrize(
    "address", ["s3://another/out", "gs://b/out", "s3://b/out2", "abfss://c@b/out", "s3://c@b/out"]
)
def test_a_path_of_another_root_is_unknown(address: str, root: Path) -> None:
    path = f"{address}/day=3/part-{UID}-7.json"
    assert explain(At(root, "s3a://b/out"), ["main"], path, NOW).state is PartState.UNKNOWN


def test_the_root_itself_may_have_another_spelling(root: Path) -> None:
    assert explain(At(root / "day=3", "s3a://b/out"), [], "s3://b/out/", NOW).state is PartState.BUCKET


@pytest.mark.parametrize(
    ("requested", "state"),
    [("a%20b/part-{}-8.json", PartState.OPEN), ("a%2520b/part-{}-8.json", PartState.UNKNOWN)],
)
def test_an_open_part_is_found_by_its_escaped_uri(requested: str, state: PartState, tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    sink.record("epoch", opened=[sink.open_part("a b", 8, 100)])
    found = explained(tmp_path, f"file://{tmp_path}/{requested.format(UID)}")
    assert found.state is state


def test_a_name_with_an_escape_is_preferred_to_the_name_without(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    for name in ("a b.json", "a%20b.json"):
        sink.write(f"day=3/{name}", b"x")
        assert explained(tmp_path, f"file://{tmp_path}/day=3/a%20b.json").path == f"day=3/{name}"


def test_an_orphan_is_kept_for_11_minutes(root: Path) -> None:
    orphan = REQUESTED["orphan, young"]
    written = NOW - MINUTE
    last = explained(root, orphan, written + 11 * MINUTE).message
    assert last.endswith("if not, the driver removes it in 1 min or later, when it sweeps.")
    assert explained(root, orphan, written + MINUTE).message.find("in 11 min or later") > 0
    late = explained(root, orphan, written + 11 * MINUTE + 1).message
    assert late == explained(root, REQUESTED["orphan"]).message


@pytest.mark.parametrize(
    ("now", "words"),
    [
        (NOW + 4 * MINUTE - 1, " It will be closed in 0 s (inactivity); 24% of its size, open 7m of 15m,"),
        (NOW + 3 * MINUTE, " It will be closed in 60 s (inactivity); 24% of its size, open 7m of 15m,"),
        (NOW + 9 * MINUTE, " It will be closed in 0 s (inactivity); the part is due:"),
    ],
)
def test_an_open_part_has_the_time_of_closing(now: int, words: str, root: Path) -> None:
    assert words in explained(root, f"part-{UID}-5.json", now).message


@pytest.mark.parametrize(
    ("settings", "kind", "end"),
    [
        (
            {"rollingPolicy": "com.acme.AtMidnight"},
            "epoch",
            "a custom policy decides: com.acme.AtMidnight.",
        ),
        ({}, "release", "the query has ended and left the part open: its next start resumes the part."),
        (
            {"rollingPolicy": "onCheckpoint"},
            "epoch",
            "It will be closed in 0 s (checkpoint); "
            "the next epoch that writes to its bucket closes the part.",
        ),
    ],
)
def test_an_open_part_has_the_reason_for_an_unknown_end(
    settings: dict[str, str], kind: str, end: str, tmp_path: Path
) -> None:
    sink = MadeSink(tmp_path)
    sink.settings |= settings
    sink.record(kind, opened=[sink.open_part("b", 0, 10)])
    found = explained(tmp_path, sink.name(0))
    assert found.message == f"It is still open: its 10 rows become visible when it is closed. {end}"


def test_parts_in_buckets_are_explained_under_both_names(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    sink.settings |= IN_BUCKET
    opened = f"day=1/_{sink.name(0)}.in-progress.{END}"
    sink.record("claim")
    sink.record("epoch", opened=[{**sink.open_part("day=1", 0, 5), "handle": opened}])
    closed = f"day=1/_{sink.name(0)}.pending.{END}"
    for requested in (sink.name(0), opened, closed):
        found = explained(tmp_path, requested)
        assert (found.state, found.path) == (PartState.OPEN, f"day=1/{sink.name(0)}"), requested
    sink.write(closed, b"x" * 5)
    assert explained(tmp_path, closed).state is PartState.OPEN
    orphan = f"day=1/_{sink.name(4)}.in-progress.{END}"
    sink.write(orphan, b"x", 30 * MINUTE)
    found = explained(tmp_path, orphan)
    message = REPORTED["orphan"].partition("\n  ")[2]
    assert found == Explanation(orphan, PartState.ORPHAN, message, orphan, "main")
    # Another attempt at the part that is open: it has the name, and is not its file.
    other = f"day=1/_{sink.name(0)}.in-progress.main-{UID}-00112233445566ab"
    sink.write(other, b"x", 30 * MINUTE)
    assert explained(tmp_path, other).state is PartState.ORPHAN


def test_rejected_and_good_rows_differ_by_directory(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    rejected = sink.finished("_rejected/day=3", 9, 30)
    sink.record("epoch", [rejected, sink.finished("day=3", 9, 70)])
    for bucket in ("_rejected/day=3", "day=3"):
        assert explained(tmp_path, f"{bucket}/{sink.name(9)}").path == f"{bucket}/{sink.name(9)}"


def test_an_unreadable_record_is_skipped(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    path = sink.record_path(4)
    path.write_bytes(path.read_bytes().replace(b'"records":10', sink.name(0).encode()))
    found = explained(tmp_path, sink.name(0))
    assert (found.state, found.seq) == (PartState.FINISHED, 2)


def test_a_part_of_the_second_sink_is_explained(tmp_path: Path) -> None:
    MadeSink(tmp_path, "a-first", run=RUN).record("claim")
    sink = healthy(tmp_path)
    (tmp_path / "_stoplog" / "b-empty" / "log").mkdir(parents=True)
    assert explained(tmp_path, sink.name(7)).sink_id == "main"
    sink.write(sink.staged_path("day=9", 88), b"x", 30 * MINUTE)
    assert explained(tmp_path, sink.staged_path("day=9", 88)).sink_id == "main"
    sink.write("notes.txt", b"x")
    assert explained(tmp_path, "notes.txt").state is PartState.FOREIGN


def test_a_cancelled_compaction_keeps_the_input_files(tmp_path: Path) -> None:
    merge_called_off(healthy(tmp_path))
    read = explained(tmp_path, f"part-{UID}-1.json")
    assert (read.state, read.seq) == (PartState.FINISHED, 2)
    merged = explained(tmp_path, f"part-{UID}-m0.json")
    assert (merged.state, merged.seq) == (PartState.GONE, 3)
    assert merged.message == (
        "The part was never visible. The compaction of record 3 was called off because a reader has moved a "
        "small part. The small parts have the rows."
    )


def test_a_called_off_overwrite_of_an_empty_path_has_the_cause(tmp_path: Path) -> None:
    jobs = MadeSink(tmp_path, "replace", settings={"follows": RUN}, query="batch-17")
    jobs.record("epoch", [jobs.pending_part("day=1", 0, 10)])
    jobs.call_off(0, "its part 0 is lost")
    found = explained(tmp_path, jobs.name(0))
    assert (found.state, found.seq) == (PartState.GONE, 0)
    assert found.message == (
        "The part was never visible. The overwrite of record 0 was called off because its part 0 is lost. "
        "Readers see the files from before the job, and no row of the job: correct the cause, and run the "
        "job again."
    )


def test_a_called_off_rewind_is_not_called_a_compaction(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    gone = {"bucket": "day=3", "name": sink.name(7), "bytes": 1100, "records": 10, "epoch": 3}
    sink.record("compact", [sink.pending_part("day=3", 8, 500, "rewind")], replace=[gone])
    sink.call_off(6, "its part 8 is lost")
    assert explained(tmp_path, sink.name(8)).message == (
        "The part was never visible. The rewind of record 6 was called off because its part 8 is lost. "
        "The sink is as before the rewind."
    )


def test_a_skipped_lost_part_is_explained(tmp_path: Path) -> None:
    part_skipped(healthy(tmp_path))
    lost = explained(tmp_path, f"part-{UID}-4.json")
    assert (lost.state, lost.seq) == (PartState.GONE, 4)
    assert lost.message == (
        f"The part was never visible. day=2/part-{UID}-4.json of record 4 was lost, and the query has "
        "continued without its 10 rows (onLostPart=skip)."
    )


@pytest.mark.parametrize("beginning", [False, True])
def test_a_part_removed_by_rewind_is_not_called_compacted(beginning: bool, tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    gone = {"bucket": "day=3", "name": sink.name(7), "bytes": 1100, "records": 10, "epoch": 3}
    kept = [sink.finished("day=3", 8, 500, "rewind")] if beginning else []
    sink.record("compact", kept, replace=[gone])
    (tmp_path / "day=3" / sink.name(7)).unlink()
    found = explained(tmp_path, sink.name(7))
    assert (found.state, found.seq) == (PartState.REPLACED, 6)
    assert found.message == (
        "Record 6 hid the file: 'stoplog rewind' went back to an earlier epoch, after a copy to "
        "_stoplog/main/aside." + (f" Its first rows may be in day=3/{sink.name(8)}." * beginning)
    )


def test_a_part_overwritten_by_a_batch_job_is_not_called_compacted(tmp_path: Path) -> None:
    sink = healthy(tmp_path)  # whose log says only that it is gone
    (sink.own).rename(tmp_path / "_stoplog" / "a")
    job = MadeSink(tmp_path, "batch-17", settings={}, query="batch-17")
    gone = {"bucket": "day=3", "name": sink.name(7), "bytes": 1100, "records": 10, "epoch": 3}
    job.record("epoch", [{**job.finished("day=3", 50, 10), "name": BATCH}], replace=[gone])
    (tmp_path / "day=3" / sink.name(7)).unlink()
    found = explained(tmp_path, sink.name(7))
    assert (found.state, found.sink_id) == (PartState.REPLACED, "batch-17")
    assert found.message == "Record 0 replaced it: a batch job overwrote what was here."


def test_unknown_rows_are_not_called_zero(tmp_path: Path) -> None:
    jobs = MadeSink(tmp_path, "replace", settings={}, query="batch-17")
    gone = {"bucket": "day=1", "name": "data.json", "bytes": 3, "records": 0, "epoch": -1}
    jobs.record("compact", [{**jobs.finished("day=1", 7, 190, "compaction"), "records": 0}], replace=[gone])
    assert explained(tmp_path, jobs.name(7)).message == (
        "Readers see the part: closed by record 0 (compact, last epoch None), roll reason compaction."
    )


def test_a_file_is_not_replaced_because_of_an_equal_name_in_another_directory(tmp_path: Path) -> None:
    healthy(tmp_path)
    jobs = MadeSink(tmp_path, "replace", settings={}, query="batch-17")
    gone = {"bucket": "day=1", "name": "data.json", "bytes": 3, "records": 0, "epoch": -1}
    jobs.record("epoch", [], replace=[gone])
    (tmp_path / "day=3" / "data.json").write_text("{}\n")
    assert explained(tmp_path, "day=3/data.json").state is PartState.FOREIGN
    assert explained(tmp_path, "day=1/data.json").state is PartState.REPLACED


def test_a_part_without_a_record_may_belong_to_a_trimmed_record(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    for seq in range(4):
        sink.record_path(seq).unlink()
    assert explained(tmp_path, sink.name(0)).message == (
        "The part is finished. No record names the part: a trimmed record or an ended batch job has "
        "published the part. Readers see the part."
    )


@pytest.mark.parametrize(("marked", "until"), [(True, "."), (False, " until the record is carried out.")])
def test_a_visible_replaced_file_is_called_visible(marked: bool, until: str, tmp_path: Path) -> None:
    jobs = MadeSink(tmp_path, "replace", settings={}, query="batch-17")
    gone = {"bucket": "day=1", "name": "data.json", "bytes": 3, "records": 0, "epoch": -1}
    jobs.record("epoch", [], replace=[gone], marked=marked)
    jobs.write("day=1/data.json", b"{}\n")
    found = explained(tmp_path, "day=1/data.json")
    assert found.state is PartState.REPLACED
    assert found.message.endswith(f"a batch job overwrote what was here. Readers see the file{until}")


def test_a_new_file_with_the_name_of_a_replaced_file_is_foreign(tmp_path: Path) -> None:
    jobs = MadeSink(tmp_path, "replace", settings={}, query="batch-17")
    gone = {"bucket": "day=1", "name": "data.json", "bytes": 3, "records": 0, "epoch": -1}
    jobs.record("epoch", [], replace=[gone])
    jobs.write("day=1/data.json", b'{"a": 1}\n')
    assert explained(tmp_path, "day=1/data.json").state is PartState.FOREIGN
