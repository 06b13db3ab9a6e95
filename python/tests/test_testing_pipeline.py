# SPDX-License-Identifier: Apache-2.0
"""A pipeline's lives and what it asserts, with a child that only plays them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from stoplog.testing import NotReached, Pipeline, PipelineFactory, PipelineFailed, Step
from stoplog.testing._process import End, OutOfTime, ProcessRun

KILLED = End(137, "")


def build(spark: Any, source: str, sink: str, **arguments: Any) -> Any:
    raise AssertionError("a child runs it, and this one only plays")


@dataclass
class Child:
    """Copies files that it has not seen, and dies of each fault whose occurrence is 1, before or after.

    Args:
        repeats: a wrong one forgets what it has copied when it dies.
        ends: how the next lives end instead, without a copy.
    """

    repeats: bool = False
    ends: list[End] = field(default_factory=list)
    lives: list[ProcessRun] = field(default_factory=list)

    def __call__(self, life: ProcessRun, log: Path, is_doomed: Callable[[], bool]) -> End:
        self.lives.append(life)
        if self.ends:
            return self.ends.pop(0)
        if life.fault.endswith(":1:halt") and "before" in life.fault:
            return KILLED
        self.copy(life)
        return KILLED if life.fault.endswith(":1:halt") or is_doomed() else End(0, "")

    def copy(self, life: ProcessRun) -> None:
        number = len(self.lives) if self.repeats else 0
        bucket = Path(life.sink) / "bucket"
        bucket.mkdir(parents=True, exist_ok=True)
        for file in Path(life.source).glob("[!.]*"):
            (bucket / f"part-{number}-{file.name}").write_bytes(file.read_bytes())
        log = Path(life.sink) / "_stoplog" / "main" / "log"
        log.mkdir(parents=True, exist_ok=True)
        record = {"record": {"state": {"lastEpoch": len(self.lives) - 1}}}
        (log / f"{len(self.lives):020d}.commit").write_text(json.dumps(record))


def pipeline_of(folder: Path, child: Child, **more: Any) -> Pipeline:
    return PipelineFactory(folder, child)(build, **more)


def test_a_process_receives_paths_and_arguments_and_a_fault_only_for_a_crash(tmp_path: Path) -> None:
    child = Child()
    pipeline = pipeline_of(tmp_path, child, arguments={"form": "json"}, conf={"spark.a": "1"})
    pipeline.feed(["a"])
    pipeline.kill_at(Step.BEFORE_RECORD)
    pipeline.run()
    crashed, whole = child.lives
    assert crashed.fault == "beforeRecord:1:halt"
    assert whole.fault == ""
    assert whole.source == str(pipeline.source)
    assert whole.sink == str(pipeline.sink)
    assert whole.checkpoint == str(pipeline.checkpoint)
    assert whole.arguments == {"form": "json"}
    assert whole.trigger == {"availableNow": True}
    assert whole.build.name == "build"


def test_options_of_the_jvm_are_added_to_the_options_of_the_user(tmp_path: Path) -> None:
    child = Child()
    options = "spark.driver.extraJavaOptions"
    pipeline = pipeline_of(tmp_path, child, conf={options: "-Dmine=1", "spark.master": "local[7]"})
    pipeline.feed(["a"])
    pipeline.kill_at(Step.BEFORE_CLAIM)
    reported = json.loads(child.lives[0].to_json())["conf"]
    assert reported["spark.master"] == "local[7]"
    assert reported[options].endswith("-Dstoplog.faults=beforeClaim:1:halt -Dmine=1")


def test_assert_each_once_accepts_rows_that_occur_once(tmp_path: Path) -> None:
    pipeline = pipeline_of(tmp_path, Child())
    pipeline.feed([{"id": 1, "tags": ["x"]}, {"tags": [], "id": 2}])
    pipeline.feed([{"id": 3}])
    pipeline.run()
    pipeline.assert_each_once()
    pipeline.assert_each_once(expected=[{"id": 3}, {"id": 2}, {"id": 1}], key="id")
    pipeline.assert_each_once(expected=lambda fed: reversed(fed))
    assert pipeline.visible() == [{"id": 1, "tags": ["x"]}, {"tags": [], "id": 2}, {"id": 3}]
    assert [file.name for file in pipeline.files()] == ["part-0-00000.json", "part-0-00001.json"]


def test_lost_repeated_and_unexpected_rows_are_named_with_files(tmp_path: Path) -> None:
    pipeline = pipeline_of(tmp_path, Child())
    pipeline.feed(["a", "b", "b", "c"])
    pipeline.run()
    with pytest.raises(AssertionError) as error:
        pipeline.assert_each_once(expected=["a", "b", "d"])
    reported = str(error.value).splitlines()
    assert reported[0] == f"Not every row is visible exactly once in {pipeline.sink} (1 files)."
    assert reported[1:7] == [
        "1 lost:",
        "  'd'",
        "1 repeated:",
        "  'b': 2 times instead of 1, in bucket/part-0-00000.txt, bucket/part-0-00000.txt",
        "1 never expected:",
        "  'c': once, in bucket/part-0-00000.txt",
    ]
    assert "expected=" in reported[7]


def test_rows_may_be_hidden_but_not_twice_while_a_process_is_dead(tmp_path: Path) -> None:
    pipeline = pipeline_of(tmp_path, Child())
    pipeline.feed(["a", "b"])
    pipeline.run()
    pipeline.feed(["c"])
    pipeline.assert_none_twice()
    with pytest.raises(AssertionError, match="1 lost"):
        pipeline.assert_each_once()
    with pytest.raises(AssertionError, match=r"unexpected or repeated rows(?s:.*)'b'"):
        pipeline.assert_none_twice(expected=["a"])


def test_survives_crashes_a_pipeline_at_each_step(tmp_path: Path) -> None:
    child = Child()
    pipeline = pipeline_of(tmp_path, child)
    pipeline.survives(lambda number: [f"row {number}"], steps=Step.always())
    assert len(child.lives) == len(Step.always()) + 1
    assert pipeline.fed[-1] == f"row {len(Step.always())}"


def test_expected_rows_of_all_steps_may_be_a_generator(tmp_path: Path) -> None:
    steps = (Step.BEFORE_RECORD, Step.AFTER_RECORD)
    expected = (f"row {number}" for number in range(3))
    pipeline_of(tmp_path, Child()).survives(lambda number: [f"row {number}"], steps, expected)


def test_survives_detects_a_pipeline_that_repeats_rows(tmp_path: Path) -> None:
    pipeline = pipeline_of(tmp_path, Child(repeats=True))
    with pytest.raises(AssertionError, match=r"1 repeated:\n  'row 0': 2 times instead of 1"):
        pipeline.survives(lambda number: [f"row {number}"])


def test_an_unreached_step_is_an_error(tmp_path: Path) -> None:
    pipeline = pipeline_of(tmp_path, Child())
    pipeline.feed(["a"])
    with pytest.raises(NotReached, match=r"did not reach midPublish \(a part half-way"):
        pipeline.kill_at(Step.MID_PUBLISH, occurrence=2)


def test_kill_9_waits_for_the_epochs_in_the_log(tmp_path: Path) -> None:
    pipeline = pipeline_of(tmp_path, Child())
    pipeline.feed(["a"])
    pipeline.kill_9()
    pipeline.kill_9()
    with pytest.raises(NotReached, match="before it could be killed after 2 epochs"):
        pipeline.kill_9(after_epochs=2)


def test_a_step_triggered_by_the_clock_needs_a_continuous_trigger(tmp_path: Path) -> None:
    child = Child()
    pipeline_of(tmp_path, child).kill_at(Step.BEFORE_ROLL)
    assert child.lives[0].trigger == {"processingTime": "0 seconds"}


@pytest.mark.parametrize("life", [Pipeline.run, Pipeline.kill_9, lambda each: each.kill_at(Step.MID_WRITE)])
def test_a_failed_pipeline_is_neither_a_success_nor_a_crash(
    tmp_path: Path, life: Callable[[Pipeline], None]
) -> None:
    pipeline = pipeline_of(tmp_path, Child(ends=[End(1, "ValueError: no such column")]))
    with pytest.raises(PipelineFailed, match=r"exit code 1(?s:.*)no such column"):
        life(pipeline)


def test_a_pipeline_that_hangs_is_reported_with_the_output(tmp_path: Path) -> None:
    def hang(life: ProcessRun, log: Path, is_doomed: Callable[[], bool]) -> End:
        raise OutOfTime("waiting for a table")

    pipeline = PipelineFactory(tmp_path, hang)(build)
    with pytest.raises(PipelineFailed, match=r"in time(?s:.*)waiting for a table"):
        pipeline.run()


def test_deploy_changes_code_and_settings_from_the_next_run_on(tmp_path: Path) -> None:
    child = Child()
    pipeline = pipeline_of(tmp_path, child, arguments={"version": 1}, conf={"spark.a": "1"})
    pipeline.run()
    pipeline.deploy(build_two, arguments={"version": 2})
    pipeline.run()
    first, second = child.lives
    assert (second.build.name, second.arguments, second.conf) == ("build_two", {"version": 2}, first.conf)
    assert second.sink == first.sink


def build_two(spark: Any, source: str, sink: str, **arguments: Any) -> Any:
    raise AssertionError("a child runs it, and this one only plays")


def test_each_pipeline_has_separate_directories(tmp_path: Path) -> None:
    factory = PipelineFactory(tmp_path, Child())
    assert factory(build).root != factory(build).root


@pytest.mark.parametrize("rows", ["abc", {"id": 1}])
def test_a_row_is_not_mistaken_for_rows(tmp_path: Path, rows: Any) -> None:
    with pytest.raises(TypeError, match="rows of one file"):
        pipeline_of(tmp_path, Child()).feed(rows)


def test_a_fed_line_must_not_contain_a_line_break(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="more than one line"):
        pipeline_of(tmp_path, Child()).feed(["a\nb"])


def test_rows_of_fed_files_need_expected_rows(tmp_path: Path) -> None:
    given = tmp_path / "given.csv"
    given.write_text("1,ant\n2,bat\n")
    pipeline = pipeline_of(tmp_path, Child())
    pipeline.feed_file(given)
    pipeline.run()
    pipeline.assert_each_once(expected=[("1", "ant"), ("2", "bat")])
    with pytest.raises(ValueError, match="expected="):
        pipeline.assert_each_once()


def test_a_custom_reader_reads_the_rows(tmp_path: Path) -> None:
    def shouted(file: Path) -> Iterable[str]:
        return file.read_text().upper().split()

    pipeline = pipeline_of(tmp_path, Child(), reader=shouted)
    pipeline.feed(["a"])
    pipeline.run()
    pipeline.assert_each_once(expected=["A"])


def test_arguments_without_a_json_form_are_rejected_at_once(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="as JSON"):
        pipeline_of(tmp_path, Child(), arguments={"now": object()})
