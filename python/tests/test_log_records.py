# SPDX-License-Identifier: Apache-2.0
"""Every field of a record: what it is read as, and that a record without it is not believed."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest

from stoplog._log.codec import Torn, decode
from stoplog._log.crc32c import crc32c
from stoplog._log.records import (
    NO_TOTALS,
    NOTHING_SPOOLED,
    FinishedPart,
    LiveBucket,
    LogRecord,
    Marker,
    OpenPart,
    PendingPart,
    RecordKind,
    SinkState,
    Spooled,
    SpoolFile,
    Totals,
)

Json = dict[str, Any]
Place = tuple[str | int, ...]

SMALL: Json = {"bucket": "s", "name": "small", "bytes": 21, "records": 22, "epoch": 23, "merges": 24}
WHOLE: Json = {
    "seq": 1,
    "kind": "epoch",
    "epoch": 2,
    "run": "run-1",
    "writtenAtMillis": 3,
    "publish": [
        {
            "bucket": "p",
            "name": "pending",
            "bytes": 4,
            "records": 5,
            "openedAtMillis": 6,
            "lastWrittenAtMillis": 7,
            "reason": "size",
            "handle": "h-1",
            "closed": True,
        }
    ],
    "manifest": {"path": "manifests/1.json"},
    "markers": [
        {
            "bucket": "m",
            "version": 8,
            "form": "json",
            "sinkId": "clicks",
            "cause": "idle",
            "atMillis": 9,
            "endMillis": 10,
            "added": {"files": 14, "rows": 15, "bytes": 16},
        }
    ],
    "replace": [{"bucket": "r", "name": "replaced", "bytes": 17, "records": 18, "epoch": 19, "merges": 20}],
    "state": {
        "queryId": "query-1",
        "lastEpoch": 25,
        "nextPart": 26,
        "settings": {"maxPartSize": "1k"},
        "open": [
            {
                "bucket": "o",
                "name": "open",
                "bytes": 27,
                "records": 28,
                "openedAtMillis": 29,
                "lastWrittenAtMillis": 30,
                "slot": 31,
                "handle": "h-2",
                "owner": "run-2",
                "beside": {
                    "note": "n",
                    "storageBytes": 32,
                    "files": [{"file": "beside/1", "bytes": 33, "level": 34}],
                },
            }
        ],
        "live": [
            {
                "bucket": "l",
                "version": 35,
                "added": {"files": 39, "rows": 40, "bytes": 41},
                "lastWrittenAtMillis": 42,
            }
        ],
        "small": [SMALL],
    },
}
READ = LogRecord(
    seq=1,
    kind=RecordKind.EPOCH,
    epoch=2,
    run="run-1",
    written_at_millis=3,
    publish=(PendingPart("p", "pending", "h-1", True, 4, 5, 6, 7, "size"),),
    state=SinkState(
        query_id="query-1",
        last_epoch=25,
        open=(
            OpenPart(
                "o",
                "open",
                31,
                "h-2",
                27,
                28,
                29,
                30,
                "run-2",
                Spooled("n", (SpoolFile("beside/1", 33, 34),), 32),
            ),
        ),
        next_part=26,
        settings={"maxPartSize": "1k"},
        live=(LiveBucket("l", 35, Totals(39, 40, 41), 42),),
        small=(FinishedPart("s", "small", 21, 22, 23, 24),),
    ),
    manifest="manifests/1.json",
    markers=(Marker("m", 8, "json", "clicks", "idle", 9, 10, Totals(14, 15, 16)),),
    replace=(FinishedPart("r", "replaced", 17, 18, 19, 20),),
)
OPTIONAL = {
    "manifest", "markers", "replace", "lastEpoch", "live", "small", "owner", "beside", "merges", "endMillis",
    "added",
}  # fmt: skip


def written(body: Json) -> bytes:
    text = json.dumps(body, separators=(",", ":"))
    return f'{{"version":1,"crc32c":"{crc32c(text.encode()):08x}","record":{text}}}'.encode()


def places(value: Any, place: Place = ()) -> Iterator[Place]:
    """Of all fields, at any depth."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in inside:
        if key == "settings":
            yield (*place, key)
            continue
        if isinstance(key, str):
            yield (*place, key)
        yield from places(inner, (*place, key))


def changed(place: Place, *value: Any) -> Json:
    """The record with another value at the place, or with none."""
    body = copy.deepcopy(WHOLE)
    inner: Any = body
    for key in place[:-1]:
        inner = inner[key]
    del inner[place[-1]]
    if value:
        inner[place[-1]] = value[0]
    return body


def shown(place: Place) -> str:
    return ".".join(map(str, place))


def is_optional(place: Place) -> bool:
    return place[-1] in OPTIONAL or place == ("state", "live", 0, "version")


PLACES = list(places(WHOLE))
WRONG: dict[type, tuple[str, list[Any]]] = {
    str: ("a string", [5, None]),
    int: ("a whole number", ["5", 1.5, True, None]),
    dict: ("an object", [[], "x", None]),
    list: ("a list of objects", [{}, [{}, 1], None]),
    bool: ("", []),
}


def test_each_field_is_decoded() -> None:
    assert decode(written(WHOLE)) == READ


@pytest.mark.parametrize("place", [place for place in PLACES if not is_optional(place)], ids=shown)
def test_a_record_without_a_field_is_torn(place: Place) -> None:
    with pytest.raises(Torn, match=f"a field is missing or of another type .no field '{place[-1]}'"):
        decode(written(changed(place)))


@pytest.mark.parametrize("place", PLACES, ids=shown)
def test_a_field_of_another_type_makes_a_record_torn(place: Place) -> None:
    value: Any = WHOLE
    for key in place:
        value = value[key]
    kind, wrong = WRONG[type(value)]
    for other in wrong:
        with pytest.raises(Torn, match=f"field '{place[-1]}' is not {kind}"):
            decode(written(changed(place, other)))


@pytest.mark.parametrize("closed", [False, None, 1, "true"])
def test_only_true_closes_a_part(closed: Any) -> None:
    assert not decode(written(changed(("publish", 0, "closed"), closed))).publish[0].closed


def test_an_absent_field_has_the_default() -> None:
    state: Json = {"queryId": "", "nextPart": 0, "settings": {"n": 1}, "open": []}
    body: Json = {"seq": 0, "kind": "claim", "run": "r", "writtenAtMillis": 1, "publish": [], "state": state}
    bare = SinkState("", None, (), 0, {"n": "1"})
    assert decode(written(body)) == LogRecord(0, RecordKind.CLAIM, None, "r", 1, (), bare)
    assert decode(written({**body, "epoch": 5})).epoch is None, "only an epoch's record has one"
    part = {key: value for key, value in WHOLE["state"]["open"][0].items() if key not in OPTIONAL}
    opened = decode(written({**body, "state": {**state, "open": [part]}})).state.open[0]
    assert (opened.owner, opened.spooled, opened.size_bytes) == (None, NOTHING_SPOOLED, 27)
    live = {"bucket": "l", "lastWrittenAtMillis": 42}
    found = decode(written({**body, "state": {**state, "live": [live]}})).state.live
    assert found == (LiveBucket("l", 0, NO_TOTALS, 42),)
    marker = {key: value for key, value in WHOLE["markers"][0].items() if key not in OPTIONAL}
    assert decode(written({**body, "markers": [marker]})).markers == (
        Marker("m", 8, "json", "clicks", "idle", 9, None, NO_TOTALS),
    )
    small = {key: value for key, value in SMALL.items() if key != "merges"}
    assert decode(written({**body, "state": {**state, "small": [small]}})).state.small[0].merges == 0


def test_an_unknown_kind_makes_a_record_torn() -> None:
    with pytest.raises(Torn, match="unknown kind 'party'"):
        decode(written(changed(("kind",), "party")))


BARE: Json = {
    "seq": 0,
    "kind": "claim",
    "run": "r",
    "writtenAtMillis": 1,
    "publish": [],
    "state": {"queryId": "", "nextPart": 0, "settings": {}, "open": []},
}


@pytest.mark.parametrize(
    ("field", "value", "settled"),
    [
        ("publish", WHOLE["publish"], True),
        ("manifest", WHOLE["manifest"], True),
        ("markers", WHOLE["markers"], True),
        ("replace", WHOLE["replace"], True),
        ("publish", [], False),
    ],
)
def test_a_record_that_changes_visible_files_must_be_executed(field: str, value: Any, settled: bool) -> None:
    body = {**BARE, field: value}
    assert decode(written(body)).has_to_be_settled is settled


def test_a_part_is_in_the_bucket_or_at_the_root() -> None:
    part, pending, small = READ.state.open[0], READ.publish[0], READ.state.small[0]
    assert (part.finished_path, pending.finished_path, small.path) == ("o/open", "p/pending", "s/small")
    assert part.size_bytes == 27 + 32, "with what is beside it"
    assert [file.path for file in READ.state.spool_files()] == ["beside/1"]
    body = changed(("state", "open", 0, "bucket"), "")
    body["publish"][0]["bucket"] = body["state"]["small"][0]["bucket"] = ""
    top = decode(written(body))
    assert top.state.open[0].finished_path == "open"
    assert (top.publish[0].finished_path, top.state.small[0].path) == ("pending", "small")
