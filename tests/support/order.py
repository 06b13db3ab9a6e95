# SPDX-License-Identifier: Apache-2.0
"""The order in which tests run: the longest first, so that no worker is left alone with them in the end.

`tests/e2e/durations.json` holds the seconds of those that take a while. This writes it anew from a run:

    .venv/bin/python tests/support/order.py build/reports/spark/junit.xml
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    import pytest

_SERVERS = {
    "test_cassandra.py": "Cassandra",
    "test_jdbc.py": "PostgreSQL",
    "test_positioned_announcements.py": "PostgreSQL",
    "test_python_postgres.py": "PostgreSQL",
    "test_wal_tables.py": "PostgreSQL",
    "test_kafka.py": "Kafka",
    "test_kafka_source.py": "Kafka",
}
"""A worker that starts one of these servers runs all of its tests: no other worker starts it once more."""

_FILE = Path(__file__).resolve().parent.parent / "e2e" / "durations.json"
_SHORT_SECONDS = 2


def longest_first(items: list[pytest.Item]) -> None:
    """Tests of one server stay together, and count as one."""
    known: dict[str, float] = json.loads(_FILE.read_text())
    seconds = Counter[str]()
    for item in items:
        seconds[group(item.nodeid)] += known.get(_short(item.nodeid), 0)
    items.sort(key=lambda item: -seconds[group(item.nodeid)])


def group(node: str) -> str:
    """What one worker runs as a whole: all tests of a server, or a test alone."""
    short = _short(node)
    return _SERVERS.get(short.partition("::")[0], short)


def _short(node: str) -> str:
    """`test_file.py::test_name[case]`, wherever pytest was started."""
    test, bracket, case = node.partition("[")
    return test.rpartition("/")[2] + bracket + case


def main(report: Path) -> None:
    seconds = {
        f"{case.get('classname', '').rpartition('.')[2]}.py::{case.get('name')}": float(case.get("time", 0))
        for case in ElementTree.parse(report).iter("testcase")
    }
    long = {name: round(time) for name, time in sorted(seconds.items()) if time >= _SHORT_SECONDS}
    _FILE.write_text(json.dumps(long, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
