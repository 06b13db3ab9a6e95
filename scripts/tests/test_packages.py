# SPDX-License-Identifier: Apache-2.0
"""What `make publish-local-repo` lays down is what `spark-submit --packages` needs, and all it needs."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

from steps import ROOT, environment

PROGRAM = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
loader = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()
properties = spark._jvm.java.util.Properties()
properties.load(loader.getResourceAsStream("stoplog/version.properties"))
print("version of the jar:", properties["version"])
jars = spark.sparkContext.getConf().get("spark.jars").split(",")
print("jars:", *[jar.rpartition("/")[2] for jar in jars])
"""


def test_the_coordinate_resolves_to_one_jar_of_this_version(tmp_path: Path) -> None:
    version = metadata.version("stoplog")
    shown = submit(f"io.github.stoplog:stoplog_2.13:{version}", tmp_path)
    assert f"version of the jar: {version}" in shown
    assert f"jars: io.github.stoplog_stoplog_2.13-{version}.jar\n" in shown


def submit(coordinate: str, folder: Path) -> str:
    """What the program prints; Ivy's caches lie in the folder, so that nothing of an earlier run is found."""
    program = folder / "program.py"
    program.write_text(PROGRAM)
    repository = (ROOT / "build" / "repo").as_uri()
    command = [str(Path(sys.executable).with_name("spark-submit")), "--packages", coordinate]
    options = ["--repositories", repository, "--conf", f"spark.jars.ivy={folder / 'ivy'}", str(program)]
    # Else Spark would ask Maven Central for it as well.
    only_there = environment(sys.executable) | {"DEFAULT_ARTIFACT_REPOSITORY": repository}
    return subprocess.check_output([*command, *options], env=only_there, text=True, timeout=600)
