# SPDX-License-Identifier: Apache-2.0
"""Holds docs/beyond-files/async.md to the truth: its Python examples run, its Scala one runs in a suite."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "beyond-files" / "async.md").read_text(encoding="utf-8")
SUITE = ROOT / "connectors/async/src/test/scala/stoplog/async/AsyncPageSuite.scala"

# As much of the client as the page uses. Each address is to be asked for again once; 10.0.0.3 is not known.
HTTPX = """
from dataclasses import dataclass, field

class Refused(Exception): pass

@dataclass
class Answer:
    status_code: int
    headers: dict = field(default_factory=dict)
    country: str = ""

    def raise_for_status(self):
        if self.status_code >= 400:
            raise Refused(f"{self.status_code}")

    def json(self):
        return {"country": self.country}

class AsyncClient:
    def __init__(self, base_url):
        assert base_url == "https://geo.example"
        self.asked = set()

    async def get(self, path):
        if path not in self.asked:
            self.asked.add(path)
            return Answer(429, {"Retry-After": "0"})
        return Answer(404) if path == "/10.0.0.3" else Answer(200, country="NO")

    async def aclose(self):
        pass
"""

SESSION = """
import stoplog
from pyspark.sql import SparkSession

builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
spark = stoplog.configure(builder).getOrCreate()
clicks = spark.readStream.schema("ip string").json(INCOMING)
"""

END = """
query.processAllAvailable()
query.stop()
if SINK:
    stoplog.await_finished(query)
"""


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.long
def test_the_python_examples_run(tmp_path: Path) -> None:
    (tmp_path / "httpx.py").write_text(HTTPX)
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    addresses = [f"10.0.0.{number}" for number in range(5)]
    (incoming / "clicks.json").write_text("".join(f'{{"ip": "{ip}"}}\n' for ip in addresses))
    mapped, one_sink, two_sinks = blocks("python")
    script = "\n".join(
        [
            f"INCOMING = {str(incoming)!r}",
            SESSION,
            mapped,
            # Its parts would wait for the next run.
            one_sink.replace(".start()", ".option('finalizeOnTermination', 'always').start()"),
            END.replace("SINK", "True"),
            two_sinks,
            END.replace("SINK", "False"),
        ]
    )
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(
        [sys.executable, "-c", script.replace("/data/", f"{tmp_path}/data/")],
        cwd=ROOT,
        env=os.environ
        | {"PYTHONPATH": path, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr
    located = {ip for ip in addresses if ip != "10.0.0.3"}
    data = tmp_path / "data"
    assert {row["ip"] for row in read(data / "clicks" / "located")} == located
    assert [row["_rejected"]["row"]["ip"] for row in read(data / "clicks" / "rejected")] == ["10.0.0.3"]
    assert [(row["row"]["ip"], row["attempts"]) for row in read(data / "rejected")] == [("10.0.0.3", 5)]


def test_the_scala_example_equals_the_code_of_the_suite() -> None:
    text = SUITE.read_text(encoding="utf-8")
    found = re.search(r"// page: begin\n(.*?) *// page: end", text, re.DOTALL)
    assert found is not None
    assert textwrap.dedent(found[1]) == blocks("scala")[0]


def read(folder: Path) -> list[dict[str, object]]:
    return [json.loads(line) for file in folder.glob("part-*.json") for line in file.read_text().splitlines()]
