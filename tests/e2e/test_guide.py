# SPDX-License-Identifier: Apache-2.0
"""The guide's first pages, followed to the letter by somebody who has nothing yet."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import stoplog
from support import hive

ROOT = Path(__file__).resolve().parents[2]
VERSIONS = (ROOT / "project" / "Versions.scala").read_text(encoding="utf-8")

# What a page shows is run as it is, with the little around it that a shell of Spark would have.
SHELL = """import org.apache.spark.sql.SparkSession
object Look {{
  def main(args: Array[String]): Unit = {{
    val spark = SparkSession.builder().getOrCreate()
{}
  }}
}}
"""


@dataclass(frozen=True, slots=True)
class Follower:
    """Somebody in an empty directory, with the environment that the page makes."""

    page: str
    place: Path

    def blocks(self, language: str) -> list[str]:
        text = (ROOT / "docs" / self.page).read_text(encoding="utf-8")
        return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)

    def shell(self, command: str) -> str:
        binaries = str(Path(sys.executable).parent)
        environment = os.environ | {"TZ": "UTC", "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", command],
            cwd=self.place,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def write(self, name: str, text: str) -> None:
        (self.place / name).write_text(text, encoding="utf-8")

    def days(self) -> set[str]:
        return {file.parent.name for file in (self.place / "weather").glob("*/part-*.parquet")}

    def sees_all_rows(self) -> None:
        """By each reader that the page names besides Spark, which the page itself runs."""
        path = str(self.place / "weather")
        rows = [("2026-05-01", "Lima"), ("2026-05-01", "Oslo"), ("2026-05-02", "Oslo")]
        for read in hive.READERS.values():
            assert sorted((str(day), city) for day, city in read(path, "parquet", ["day", "city"])) == rows


@pytest.mark.spark_lines
@pytest.mark.long
def test_the_quick_start_leads_from_an_empty_directory_to_readable_files(tmp_path: Path) -> None:
    someone = Follower("getting-started/quick-start.md", tmp_path)
    (job, look) = someone.blocks("python")
    feed, run, status = someone.blocks("sh")
    someone.shell(feed)
    someone.write("job.py", job)
    someone.shell(run)
    assert someone.days() == {"day=2026-05-01", "day=2026-05-02"}
    someone.write("look.py", look)
    assert someone.shell("python look.py") in someone.blocks("")
    someone.sees_all_rows()
    assert "2026-05-01" in someone.shell(status.replace("stoplog ", "python -m stoplog.cli "))


@pytest.mark.long
@pytest.mark.spark_lines
def test_the_quick_start_in_scala_compiles_and_writes_the_same_files(tmp_path: Path) -> None:
    someone = Follower("getting-started/quick-start-scala.md", tmp_path)
    job, look, view = someone.blocks("scala")
    (feed,) = someone.blocks("sh")
    someone.shell(feed)
    someone.write("Weather.scala", job)
    someone.write("Look.scala", SHELL.format(look + view))
    compile_scala(someone, "Weather.scala", "Look.scala")
    submit(someone, "Weather")
    assert someone.days() == {"day=2026-05-01", "day=2026-05-02"}
    someone.sees_all_rows()
    seen = submit(someone, "Look")
    assert any(table in seen for table in someone.blocks("") if "|city|" in table), seen
    assert seen.count("end|") == 2, "the roll reason of both parts"


def test_the_quick_start_installs_the_imported_packages() -> None:
    page = Follower("getting-started/quick-start.md", ROOT)
    (install,) = (block for block in page.blocks("") if "pip install" in block)
    installed = set(re.findall(r"(?<![\w.-])([a-z]+)(?==|-\d|\s|$)", install)) - {"pip", "install"}
    imported = {
        name for block in page.blocks("python") for name in re.findall(r"^(?:import|from) (\w+)", block, re.M)
    }
    assert imported - sys.stdlib_module_names <= installed


def test_the_project_of_the_quick_start_names_the_versions_of_the_build() -> None:
    page = (ROOT / "docs" / "getting-started" / "quick-start-scala.md").read_text(encoding="utf-8")
    for name, wanted in {
        "scala": r'scalaVersion := "([^"]+)"',
        "spark": r'"spark-sql" % "([^"]+)"',
        "stoplog": r'"stoplog"   % "([^"]+)"',
    }.items():
        version = re.search(rf'val {name} += "([^"]+)"', VERSIONS)
        assert version is not None
        assert re.findall(wanted, page) == [version[1]]
    assert set(re.findall(r"--packages (\S+)", page)) == {stoplog.packages()}


def compile_scala(someone: Follower, *sources: str) -> None:
    """By the compiler that Spark's shell has, against Spark and stoplog alone."""
    import pyspark

    java = Path(os.environ["JAVA_HOME"]) / "bin" / "java" if "JAVA_HOME" in os.environ else "java"
    spark = Path(pyspark.__file__).parent / "jars"
    (someone.place / "classes").mkdir()
    someone.shell(
        f"'{java}' -cp '{spark}/*' scala.tools.nsc.Main -classpath '{spark}/*:{stoplog.jar()}' "
        f"-deprecation -Xlint -d classes {' '.join(sources)}"
    )
    shutil.make_archive(str(someone.place / "weather"), "zip", someone.place / "classes")
    (someone.place / "weather.zip").rename(someone.place / "weather.jar")


def submit(someone: Follower, main: str) -> str:
    """As the page does, with the jar of this build in place of the one that a repository would have."""
    settings = "--conf spark.ui.enabled=false --conf spark.sql.session.timeZone=UTC"
    return someone.shell(
        f"spark-submit --master 'local[2]' {settings} --class {main} --jars '{stoplog.jar()}' weather.jar"
    )
