# SPDX-License-Identifier: Apache-2.0
"""What OpenLineage's listener sees of sinks and sources, from the events that the listener writes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from servers.jars import class_path
from support.jobs import Job
from support.place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Dataset = tuple[str, str]
"""The name and the format."""


@pytest.fixture(scope="module")
def observed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Place, list[dict[str, Any]]]:
    place = Place(tmp_path_factory.mktemp("lineage"))
    place.feed(files=2)
    (place.root / "more").mkdir()
    (place.root / "more" / "a.txt").write_text("more\n")
    events = place.root / "events.json"
    conf = {
        "spark.jars": class_path("lineage"),
        "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
        "spark.openlineage.transport.type": "file",
        "spark.openlineage.transport.location": str(events),
        "spark.sql.warehouse.dir": str(place.root / "warehouse"),
    }
    outcome = Job.at(place, path=str(place.out), conf=conf).run("lineage_job.py")
    assert outcome.code == 0, outcome.printed
    return place, [json.loads(line) for line in events.read_text().splitlines()]


CASES = {
    "appended": ("in text", "appended parquet"),
    "overwritten": ("in text", "overwritten parquet"),
    "two_paths": ("in text, more text", "two_paths orc"),
    "streamed": ("in text", "streamed parquet"),
    "in_each_batch": (None, "in_each_batch json"),
    "table": ("in text", "table -"),
    "of_table": ("table -", "of_table csv"),
}


@pytest.mark.spark_lines
@pytest.mark.parametrize("name", CASES)
def test_a_write_has_its_input_and_output(observed, name: str) -> None:
    place, events = observed
    inputs, outputs = CASES[name]
    runs = [run for run in runs_of(events) if any(ds[0].endswith(f"/out/{name}") for ds in run["outputs"])]
    assert runs, f"no event names the output {name}"
    assert runs[-1]["outputs"] == datasets(place, outputs)
    if inputs is not None:
        assert runs[-1]["inputs"] == datasets(place, inputs)


@pytest.mark.spark_lines
def test_a_stream_to_another_sink_has_its_input(observed) -> None:
    place, events = observed
    inputs = [run["inputs"] for run in runs_of(events) if run["kind"] == "STREAMING" and not run["outputs"]]
    assert datasets(place, "in text") in inputs


def test_datasets_have_their_columns(observed) -> None:
    place, events = observed
    found = {
        (dataset["name"], dataset["namespace"]): columns(dataset)
        for event in events
        for dataset in event["inputs"] + event["outputs"]
    }
    for path in (place.input, place.out / "appended", place.out / "streamed"):
        assert found[str(path), "file"] == ["value"]


def runs_of(events: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The datasets of each run over all its events."""
    runs: dict[str, dict[str, Any]] = {}
    for event in events:
        kind = event["job"]["facets"]["jobType"]["processingType"]
        run = runs.setdefault(event["run"]["runId"], {"kind": kind, "inputs": set(), "outputs": set()})
        for side in ("inputs", "outputs"):
            run[side] |= {(dataset["name"], format_of(dataset)) for dataset in event[side]}
    yield from runs.values()


def format_of(dataset: dict[str, Any]) -> str:
    storage = dataset["facets"].get("storage")
    if storage is None:
        return "-"
    assert storage["storageLayer"] == "stoplog"
    assert {"_producer", "_schemaURL"} <= set(storage)
    return storage["fileFormat"]


def columns(dataset: dict[str, Any]) -> list[str]:
    return [field["name"] for field in dataset["facets"]["schema"]["fields"]]


def datasets(place: Place, words: str) -> set[Dataset]:
    """Of `<directory> <format>, …`."""
    root: dict[str, Path] = {"in": place.input, "more": place.root / "more"}
    pairs = (one.split() for one in words.split(", "))
    return {(str(root.get(name, place.out / name)), form) for name, form in pairs}
