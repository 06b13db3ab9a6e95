# SPDX-License-Identifier: Apache-2.0
"""The jar's report as objects of Python."""

from __future__ import annotations

from dataclasses import FrozenInstanceError
from typing import TYPE_CHECKING, Any

import pytest
from fakes import FakeBridge, FakeFrame

from stoplog import Encoder, FileSink, Preflight
from stoplog.preflight import Ok, Problem, Warning, check_options, of_jar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame


class Jars:
    """An object of the JVM: each attribute is a method."""

    def __init__(self, **values: Any) -> None:
        self._values = values

    def __getattr__(self, name: str) -> Any:
        return lambda: self._values[name]


def report(*levels: str) -> Preflight:
    findings = [Jars(level=level, name="format", what=f"a <{level}>", now="Set it.") for level in levels]
    names = [Jars(kind="log", path="_stoplog/main/log/0.commit")]
    text = "Preflight of /data/out: ready\n  ok  format: …"
    return of_jar(
        Jars(path="/data/out", findingsAsList=findings, namesAsList=names, toString=text),
    )


def test_findings_are_of_the_three_kinds() -> None:
    found = report("ok", "warning", "problem")
    assert found.findings == (
        Ok("format", "a <ok>"),
        Warning("format", "a <warning>", "Set it."),
        Problem("format", "a <problem>", "Set it."),
    )
    assert [each.now for each in found.findings] == ["", "Set it.", "Set it."]
    assert found.warnings == (found.findings[1],)
    assert found.problems == (found.findings[2],)
    assert not found.is_ready
    assert report("ok", "warning").is_ready


def test_a_report_is_a_page_in_a_terminal_and_a_table_in_a_notebook() -> None:
    found = report("ok", "problem")
    assert str(found).startswith("Preflight of /data/out")
    html = found._repr_html_()
    assert "<caption>Preflight of /data/out: ready</caption>" in html
    assert "a &lt;problem&gt;<br><em>Set it.</em>" in html
    assert "<code>_stoplog/main/log/0.commit</code>" in html


def test_a_report_does_not_change() -> None:
    found: Any = report("ok")
    with pytest.raises(FrozenInstanceError):
        found.path = "/elsewhere"


def test_a_sink_is_checked_with_the_set_options(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[Any] = []

    class Bridge(FakeBridge):
        def preflight(self, df: DataFrame, options: Mapping[str, str]) -> Any:
            checked.append(df)
            return super().preflight(df, options)

    monkeypatch.setattr("stoplog._jvm.bridge.find_bridge", Bridge)
    frame: Any = FakeFrame()
    sink = FileSink.for_row_format("/data/out", Encoder.json()).build()
    assert sink.check(frame).findings == (Ok("options", "2 are set."),)
    assert check_options(frame, {"path": "/data/in"}).path == "/data/in"
    assert checked == [frame, frame]
