# SPDX-License-Identifier: Apache-2.0
"""`stoplog doctor` names what is wrong with an environment, and the line that repairs it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from broken_environments import BROKEN, WORKING, Broken
from user_home import PACKAGE, Home

import stoplog
from stoplog import SparkUnsupported
from stoplog._doctor.environment import (
    Absent,
    Access,
    Arrow,
    Directory,
    Environment,
    Jars,
    Java,
    Locale,
    Machine,
    Own,
    Python,
    Spark,
    Use,
)
from stoplog._doctor.rules import examine
from stoplog._shared.spark_modules import KAFKA, PUBLISHED
from stoplog._shared.version import OLDEST_PYTHON
from stoplog.diagnosis import Level, diagnosis_of

PAGE = PACKAGE.parent / "docs" / "operate" / "doctor.md"
MACHINE = Machine(Locale("C.UTF-8", "UTF-8"), 1 << 20, "", {}, 0, ())
HEALTHY = Environment(
    Own("0.1.0", "/jars/stoplog.jar"),
    Java("/usr/bin/java", "17.0.15"),
    Spark("/spark", "4.2.0", "2.13.18", "3.5.0", "4.2.0"),
    Jars(),
    (Python("python3", "3.11"),),
    MACHINE,
    Use(),
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def run(home: Home, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command in the environment."""
    command = [sys.executable, "-m", "stoplog", "doctor", *home.arguments, *arguments]
    return subprocess.run(
        command, env=home.variables, cwd=home.root, preexec_fn=home.limit, capture_output=True, text=True
    )


def test_an_environment_without_faults_has_no_findings(home: Home) -> None:
    done = run(home)
    assert done.stdout.startswith("stoplog works here.\nFound:\n"), done.stdout + done.stderr
    assert re.search(r"^  Java     17\.0\.15 \(.*/jdk/bin/java\)$", done.stdout, re.MULTILINE)
    assert re.search(r"^  Spark    4\.2\.0 \(.*/spark\)$", done.stdout, re.MULTILINE)
    assert done.returncode == 0


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_environment_is_named_with_its_repair(home: Home, broken: Broken) -> None:
    broken.damage(home)
    done = run(home, "--json")
    answer = json.loads(done.stdout)
    found = [each for each in answer["doctor"]["findings"] if each["name"] == broken.finding]
    assert found, answer["doctor"]["findings"]
    assert broken.repair in found[0]["repair"]
    assert (done.returncode, answer["exit_code"]) == (broken.code, broken.code)
    assert answer["doctor"]["works"] == (broken.code != 2)


@pytest.mark.parametrize("change", WORKING.values(), ids=WORKING.keys())
def test_an_unusual_environment_that_works_has_no_findings(
    home: Home, change: Callable[[Home], object]
) -> None:
    change(home)
    done = run(home)
    assert (done.returncode, done.stdout.partition("\nFound:")[0]) == (0, "stoplog works here."), done.stdout


def test_the_table_has_more_than_twenty_environments() -> None:
    assert len(BROKEN) >= 20
    assert len({broken.finding for broken in BROKEN.values()}) >= 15


def test_each_finding_has_a_reason_and_a_repair_on_one_line(home: Home) -> None:
    home.java("11.0.1")
    home.variables["LC_ALL"] = "POSIX"
    home.defaults(sql__ansi__enabled="false")
    printed = run(home).stdout
    assert printed.startswith("stoplog does not work here, with 1 problem and 2 warnings.\n")
    problem = printed.index("  problem  java: ")
    what, why, repair = printed[problem:].splitlines()[:3]
    assert "is Java 11.0.1." in what
    assert "need Java 17 or later." in why
    assert repair.strip().startswith(("export JAVA_HOME=", "sudo apt-get install openjdk-17"))


MACHINES = {
    "full": (
        Directory("temporary files", "/tmp", 1 << 20, Access.USABLE),
        "disk",
        "df -h /tmp",
        Level.PROBLEM,
    ),
    "almost full": (Directory("PATH", "/data", 1 << 29, Access.USABLE), "disk", "df -h /data", Level.WARNING),
    "not writable": (
        Directory("PATH", "/data", 1 << 40, Access.READ_ONLY),
        "disk",
        "chmod u+w",
        Level.PROBLEM,
    ),
    "noexec": (
        Directory("temporary files", "/tmp", 1 << 40, Access.WITHOUT_PROGRAMS),
        "native-libraries",
        "-Djava.io.tmpdir=",
        Level.PROBLEM,
    ),
}


@pytest.mark.parametrize(("directory", "name", "repair", "level"), MACHINES.values(), ids=MACHINES.keys())
def test_a_directory_needs_space_and_rights(
    directory: Directory, name: str, repair: str, level: Level
) -> None:
    (found,) = examine(replace(HEALTHY, machine=replace(MACHINE, directories=(directory,))))
    assert (found.name, found.level) == (name, level)
    assert repair in found.repair


def test_an_installed_java_is_the_repair() -> None:
    javas = (
        Java("/opt/jdk-8/bin/java", "1.8.0"),
        Java("/opt/jdk-21/bin/java", "21"),
        Java("/opt/a/bin/java", "25"),
    )
    broken = replace(HEALTHY, java=Absent("There is no java."), machine=replace(MACHINE, javas=javas))
    assert [each.repair for each in examine(broken)] == ["export JAVA_HOME=/opt/jdk-21"]
    none = replace(broken, machine=MACHINE)
    assert [each.repair for each in examine(none)] == ["sudo apt-get install openjdk-17-jre-headless"]


def test_a_client_of_connect_needs_its_packages() -> None:
    use = Use(remote="sc://server:15002", missing_packages=("grpc", "pandas"))
    (found,) = examine(replace(HEALTHY, use=use))
    assert (found.name, found.repair) == ("connect", "pip install 'pyspark[connect]'")
    server = replace(HEALTHY, use=Use(remote="sc://server"), own=Own("0.1.0", Absent("no jar")))
    (found,) = examine(server)
    assert "start-connect-server.sh --packages io.github.stoplog:stoplog_2.13:" in found.repair


def test_a_missing_pyarrow_is_a_warning_except_on_connect() -> None:
    absent = replace(HEALTHY, use=Use(arrow=Arrow("", "18.0.0")))
    (found,) = examine(absent)
    assert (found.name, found.level) == ("pyarrow", Level.WARNING)
    assert found.repair == "pip install 'pyarrow>=18.0.0'"
    assert examine(replace(HEALTHY, use=Use(arrow=Arrow("22.0.0", "18.0.0")))) == ()
    assert examine(replace(HEALTHY, use=Use(remote="sc://server", arrow=Arrow("", "18.0.0")))) == ()


def test_a_setting_for_the_python_of_drivers_is_repaired_by_the_setting() -> None:
    key = "spark.pyspark.driver.python"
    use = Use({key: "/usr/bin/python3.8"}, driver=Python("/usr/bin/python3.8", "3.8"))
    (found,) = examine(replace(HEALTHY, use=use))
    assert (found.name, found.repair) == ("python", f"{key} python3")


def test_the_supported_spark_and_python_are_those_of_the_package() -> None:
    project = (PACKAGE.parent / "pyproject.toml").read_text(encoding="utf-8")
    (found,) = examine(replace(HEALTHY, spark=Absent("There is no Spark.")))
    extra = re.search(r'^spark = \["(.+)"\]', project, re.MULTILINE)
    assert extra
    assert found.repair == f"pip install '{extra[1]}'"
    assert f'requires-python = ">={OLDEST_PYTHON}"' in project


def test_the_published_modules_of_spark_are_those_of_the_build() -> None:
    build = (PACKAGE.parent / "project" / "Versions.scala").read_text(encoding="utf-8")
    modules = re.findall(r'"([\d.]+)" +-> SparkKafka\("([\d.]+)", tokens = "([\d.]+)"\)', build)
    assert PUBLISHED[KAFKA] == {line: module for line, module, _ in modules}
    assert PUBLISHED["spark-token-provider-kafka-0-10"] == {line: tokens for line, _, tokens in modules}
    for module, published in PUBLISHED.items():
        assert all(version.startswith(f"{line}.") for line, version in published.items()), module


SECRETS = {
    "spark.hadoop.fs.s3a.secret.key": "aws-secret-7261",
    "spark.hadoop.fs.s3a.access.key": "aws-access-7262",
    "spark.hadoop.fs.azure.account.key.me.dfs.core.windows.net": "azure-7263",
    "spark.sql.catalog.shop.url": "jdbc:postgresql://me:catalog-7264@db/shop",
    "spark.datasource.stoplog.password": "default-7265",
    "spark.executorEnv.TOKEN": "executor-7266",
    "spark.sql.warehouse.dir": "https://me:house-7267@store/x",
    "spark.driver.extraJavaOptions": "-Djavax.net.ssl.keyStorePassword=store-7268",
    "spark.sql.shop.pw": "short-7268",
    "spark.datasource.stoplog-wal.httpHeader.X-Team": "header-7269",
    "spark.jars.ivySettings": "/ivy?key-7269",
    "spark.sql.streaming.checkpointLocation": "abfss://c@a/x?sv=1&sig=signed-7266",
    "spark.sql.session.note": "{'password': 'quoted-7267'}",
}


def test_the_bundle_contains_no_secret(home: Home, tmp_path: Path) -> None:
    home.defaults(**{key.removeprefix("spark."): value for key, value in SECRETS.items()})
    home.variables |= {
        "AWS_SECRET_ACCESS_KEY": "variable-7269",
        "PYSPARK_SUBMIT_ARGS": "--conf spark.hadoop.fs.s3a.session.token=submitted-7270 pyspark-shell",
        "SPARK_REMOTE": "sc://server:15002/;token=connect-7271",
    }
    file = tmp_path / "support.zip"
    done = run(home, "--bundle", str(file), "--conf", "spark.x.password=given-7272", "s3a://me:path-7273@b/x")
    assert done.returncode == 1, "one checkpoint for all queries is a warning"
    assert f"Wrote {file}." in done.stdout
    with zipfile.ZipFile(file) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert texts.keys() >= {
        "doctor.txt",
        "doctor.json",
        "settings.json",
        "packages.txt",
        "jars.txt",
        "system.txt",
    }
    whole = "".join(texts.values()) + done.stdout + done.stderr
    assert re.findall(r"\S*\b72[67]\d\b", whole) == []
    assert json.loads(texts["settings.json"]).keys() >= SECRETS.keys(), "names are no secrets"
    assert json.loads(texts["doctor.json"])["versions"]["Hadoop"] == "3.5.0"


def test_bytes_of_a_variable_outside_utf_8_are_escaped(home: Home, tmp_path: Path) -> None:
    home.variables["TZ"] = "caf\udce9"
    file = tmp_path / "support.zip"
    run(home, "--bundle", str(file))
    with zipfile.ZipFile(file) as archive:
        assert "caf" in archive.read("environment-variables.json").decode()


def test_a_bundle_that_cannot_be_written_is_an_error(home: Home) -> None:
    done = run(home, "--bundle", "/no/such/directory/x.zip")
    assert done.returncode == 5
    assert done.stderr.startswith(
        "stoplog: [STOPLOG_CANNOT_WRITE] /no/such/directory/x.zip cannot be written"
    )


def test_the_functions_result_is_a_value() -> None:
    found = diagnosis_of(replace(HEALTHY, java=Java("java", "11.0.1")))
    assert not found.works
    assert [each.name for each in found.problems] == ["java"]
    assert found.warnings == ()
    assert found == diagnosis_of(replace(HEALTHY, java=Java("java", "11.0.1")))
    html = found._repr_html_()
    assert "<td>problem</td><td>java</td>" in html
    assert isinstance(stoplog.doctor, type(diagnosis_of))


class Session:
    """A session that knows the static methods of Java in a table."""

    version = "4.2.0"

    def __init__(self, **known: str) -> None:
        self._known = known

    def sql(self, text: str) -> Any:
        if text == "SET":
            return Rows([("spark.sql.ansi.enabled", "false")])
        method = re.findall(r"'([^']*)'", text)
        name = method[-1].replace(".", "_") if len(method) == 3 else method[0].rpartition(".")[2]
        if name not in self._known:
            raise RuntimeError("[CANNOT_LOAD_FUNCTION_CLASS]")
        return Rows([(self._known[name],)])


class Rows:
    def __init__(self, rows: list[tuple[str, ...]]) -> None:
        self._rows = rows

    def collect(self) -> list[tuple[str, ...]]:
        return self._rows


SERVER = {
    "java_home": "/jdk",
    "java_version": "17.0.15",
    "sun_jnu_encoding": "ANSI_X3.4-1968",
    "Properties": "version 2.13.18",
    "VersionInfo": "3.5.0",
    "FileSink": "0.1.0",
}


def test_a_session_of_connect_is_checked_by_sql(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stoplog._doctor.session.is_connect", lambda: True)
    known = SERVER | {"Properties": "2.13.18"}
    session: Any = Session(**known)
    found = stoplog.doctor(session)
    assert [each.name for each in found.findings] == ["setting", "locale"]
    assert found.versions["Java"] == "17.0.15 (/jdk/bin/java)"
    del known["FileSink"]
    bare: Any = Session(**known)
    assert "stoplog-jar" in [each.name for each in stoplog.doctor(bare).problems]


def test_a_session_of_spark_3_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> bool:
        raise SparkUnsupported("3.5.7")

    monkeypatch.setattr("stoplog._doctor.session.is_connect", refuse)
    monkeypatch.setattr("stoplog._doctor.session._worker", lambda spark: sys.executable)
    session: Any = Session(**SERVER | {"Properties": "2.12.18"})
    session.version = "3.5.7"
    assert {"spark", "scala"} <= {each.name for each in stoplog.doctor(session).problems}


def test_the_page_lists_each_finding() -> None:
    page = PAGE.read_text(encoding="utf-8")
    sources = (PACKAGE / "stoplog" / "_doctor").glob("*_rules.py")
    text = "".join(file.read_text(encoding="utf-8") for file in sources)
    names = set(re.findall(r'(?:problem|warning|level)\(\s*"([a-z-]+)",', text)) | {
        "hadoop-aws",
        "hadoop-azure",
        "gcs-connector",
    }
    assert len(names) > 15
    assert {name for name in names if f"`{name}`" not in page} == set()
