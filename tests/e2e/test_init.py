# SPDX-License-Identifier: Apache-2.0
"""Projects of `stoplog init`: their own tests pass, and their jobs write rows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow.parquet as parquet
import pytest

from servers.jars import jars
from stoplog.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

    from servers import KafkaBroker
    from servers.databases import Database


class Project:
    """A project in a directory, whose jobs find the jars of this build instead of published ones."""

    def __init__(self, root: Path, template: str, more_jars: str = "", **variables: str) -> None:
        self.home = root / "project"
        assert main(["init", str(self.home), "--template", template]) == 0
        conf = root / "conf"
        conf.mkdir()
        settings = f"spark.jars {more_jars}\n" if more_jars else ""
        (conf / "spark-defaults.conf").write_text(
            f"{settings}spark.ui.enabled false\nspark.master local[2]\n"
        )
        own = {"SPARK_CONF_DIR": str(conf), "PYSPARK_PYTHON": sys.executable, "SPARK_PACKAGES": ""}
        self._variables = {**os.environ, **own, **variables}

    def test(self) -> None:
        """Runs the tests of the project."""
        done = self._run("-m", "pytest", "-q", "-p", "pytest_stoplog", "-p", "no:cacheprovider", ".")
        assert " passed" in done.stdout, done.stdout + done.stderr
        assert "skipped" not in done.stdout

    def job(self, *words: str) -> str:
        """Runs the job of the project, and returns its output."""
        done = self._run("job.py", *words)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def _run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *words],
            cwd=self.home,
            env=self._variables,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )


def rows(directory: Path) -> int:
    return sum(parquet.ParquetFile(file).metadata.num_rows for file in directory.rglob("part-*.parquet"))


@pytest.mark.parametrize("template", ["files", "kafka", "overwrite", "quarantine", "sink"])
def test_the_tests_of_a_project_pass(tmp_path: Path, template: str) -> None:
    Project(tmp_path, template).test()


def test_the_tests_of_a_project_for_postgres_pass(tmp_path: Path, database: Database) -> None:
    of_postgres(tmp_path, database).test()


def test_files_become_parquet(tmp_path: Path) -> None:
    project = Project(tmp_path, "files")
    assert "2026-01-31" in project.job()
    assert rows(project.home / "output") == 10


@pytest.mark.long
def test_events_of_kafka_become_hourly_files(
    tmp_path: Path, broker: KafkaBroker, spark: SparkSession
) -> None:
    if not broker.has_source:
        pytest.skip("no module of Kafka is published for this line of Spark")
    topic = broker.create("init")
    project = Project(tmp_path, "kafka", jars("kafka"), BROKERS=broker.servers, TOPIC=topic)
    events = spark.range(20).selectExpr(
        "to_json(struct(id, '2026-01-31T10:00:00Z' AS at, 'home' AS page)) AS value"
    )
    events.write.format("kafka").option("kafka.bootstrap.servers", broker.servers).option(
        "topic", topic
    ).save()
    project.job("--once")
    assert rows(project.home / "output" / "dt=2026-01-31" / "hour=10") == 20


@pytest.mark.long
def test_a_day_is_replaced(tmp_path: Path) -> None:
    project = Project(tmp_path, "overwrite")
    assert "29.50" in project.job("2026-01-31")
    assert rows(project.home / "output") == 2


@pytest.mark.long
def test_changes_are_upserted_into_postgres(tmp_path: Path, database: Database) -> None:
    of_postgres(tmp_path, database).job()
    assert database.rows("SELECT name FROM customers WHERE id IN (0, 1) ORDER BY id") == [
        ["renamed"],
        ["customer 1"],
    ]


@pytest.mark.long
def test_bad_bytes_of_a_landing_zone_go_to_quarantine(tmp_path: Path) -> None:
    project = Project(tmp_path, "quarantine")
    assert "Good rows: 4" in project.job()
    assert "this line is not JSON" in "".join(
        file.read_text() for file in (project.home / "quarantine").rglob("*") if file.is_file()
    )


@pytest.mark.long
def test_a_landing_zone_without_bad_lines_has_no_quarantine(tmp_path: Path) -> None:
    project = Project(tmp_path, "quarantine")
    (project.home / "landing" / "mixed.json").unlink()
    printed = project.job()
    assert "Good rows: 2" in printed
    assert "Bad lines: none" in printed


@pytest.mark.long
def test_orders_reach_a_custom_sink(tmp_path: Path) -> None:
    project = Project(tmp_path, "sink")
    project.job()
    written = "".join(file.read_text() for file in (project.home / "output").glob("part-*.json"))
    assert sorted(json.loads(line)["id"] for line in written.splitlines()) == [1, 2, 4, 5]


def of_postgres(root: Path, database: Database) -> Project:
    """Returns a project for an empty table. The server of the tests accepts every user."""
    database.execute("DROP TABLE IF EXISTS customers")
    database.execute("CREATE TABLE customers (id BIGINT PRIMARY KEY, name TEXT, version BIGINT NOT NULL)")
    return Project(root, "postgres", database.conf["spark.jars"], DATABASE_URL=database.url)
