# SPDX-License-Identifier: Apache-2.0
"""The dashboard and the alert rules name only metrics that exist."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from made_sink import healthy
from prometheus_client.parser import text_string_to_metric_families

from stoplog import SinkMetrics
from stoplog.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "monitoring"
PAGE = ROOT / "docs" / "operate" / "metrics.md"
RECIPE = ROOT / "docs" / "recipes" / "monitor.md"
PLUGIN = "metrics_.*_driver_plugin_stoplog_StoplogPlugin_sink_.*_"


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of all samples of the exporter."""
    root = tmp_path_factory.mktemp("exported")
    sink = healthy(root / "events")
    sink.write(f"_stoplog/main/announced/hook/{0:020d}", b"{}")
    main(["exporter", str(root / "events"), "--textfile", str(root / "all.prom")])
    families = text_string_to_metric_families((root / "all.prom").read_text("utf-8"))
    return {sample.name for family in families for sample in family.samples}


def of_dashboard() -> list[str]:
    panels = json.loads((EXAMPLES / "dashboard.json").read_text("utf-8"))["panels"]
    return [target["expr"] for panel in panels for target in panel["targets"]]


def of_alerts() -> list[str]:
    text = (EXAMPLES / "alerts.yml").read_text("utf-8")
    return re.findall(r"expr: (\|(?:\n {10}.+)+|.+)", text)


def test_every_expression_names_metrics_that_exist(known: set[str]) -> None:
    expressions = of_dashboard() + of_alerts()
    assert len(of_alerts()) == 11
    figures = {re.sub("_(.)", lambda found: found[1].upper(), name) for name in SinkMetrics.__slots__}
    for expression in expressions:
        of_plugin = re.findall(r"__name__=~\"(.*?)\"", expression)
        names = re.findall(r"\b(?:stoplog|node)_[a-z_]+", expression)
        assert names or of_plugin, expression
        assert set(names) <= {*known, "node_textfile_mtime_seconds"}, expression
        for pattern in of_plugin:
            assert pattern.startswith(PLUGIN), expression
            assert pattern.removeprefix(PLUGIN).removesuffix("_Value") in figures, expression


def test_the_rule_of_the_recipe_is_one_of_the_rules() -> None:
    rule = re.search(r"- alert: (\w+)\n  expr: (.+)\n  for: (\w+)", RECIPE.read_text("utf-8"))
    assert rule
    alert, expression, time = rule.groups()
    rules = (EXAMPLES / "alerts.yml").read_text("utf-8")
    assert f"- alert: {alert}\n        expr: {expression}\n        for: {time}\n" in rules


def test_the_page_lists_all_metrics(known: set[str]) -> None:
    assert set(re.findall(r"`(stoplog_[a-z_]+)`", PAGE.read_text("utf-8"))) == known


def test_the_picture_shows_all_panels() -> None:
    picture = (ROOT / "docs" / "images" / "dashboard.svg").read_text("utf-8")
    panels = json.loads((EXAMPLES / "dashboard.json").read_text("utf-8"))["panels"]
    assert re.findall(r'<text class="title"[^>]*>(.*?)</text>', picture) == [each["title"] for each in panels]
