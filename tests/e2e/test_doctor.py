# SPDX-License-Identifier: Apache-2.0
"""The doctor in a real session, and of the machine on which the tests run."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

import stoplog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.spark_lines
def test_the_session_of_the_tests_works(spark: SparkSession) -> None:
    found = stoplog.doctor(spark)
    assert found.works, str(found)
    assert found.versions["Spark"].startswith(f"{spark.version} ")
    assert found.versions["Scala"].startswith("2.13.")
    assert found.versions["Hadoop"].startswith("3.")
    assert int(found.versions["Java"].split(".")[0]) >= 17


def test_a_setting_of_the_session_is_found(spark: SparkSession) -> None:
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        findings = stoplog.doctor(spark).findings
    finally:
        spark.conf.unset("spark.sql.ansi.enabled")
    assert "spark.sql.ansi.enabled is false." in [each.what for each in findings]


def test_the_command_finds_the_java_and_the_spark_of_the_tests(spark: SparkSession) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "stoplog", "doctor", "--json"], capture_output=True, text=True, check=False
    )
    versions = json.loads(done.stdout)["doctor"]["versions"]
    assert versions["Java"].split()[0] == stoplog.doctor(spark).versions["Java"].split()[0]
    assert versions["Spark"].split()[0] == spark.version
