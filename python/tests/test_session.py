# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest
from fakes import FakeBuilder

from stoplog import JarMissing, configure, jar, packages, session
from stoplog._jvm.artifact import find_jar
from stoplog._shared.version import version

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def own_jar(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """A jar named by the environment, no running JVM, no configuration of the machine's."""
    file = tmp_path / "stoplog.jar"
    file.touch()
    monkeypatch.setenv("STOPLOG_JAR", str(file))
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    monkeypatch.delenv("PYSPARK_SUBMIT_ARGS", raising=False)
    monkeypatch.setattr(session, "is_connect", lambda: False)
    monkeypatch.setattr(session, "jvm_has_jar", lambda: None)
    return str(file)


def jars_of(**options: str) -> str | None:
    builder: Any = FakeBuilder(**options)
    assert configure(builder) is builder
    jars = builder._options.get("spark.jars")
    return None if jars is None else str(jars)


def test_configure_adds_the_jar_only(own_jar: str) -> None:
    builder: Any = FakeBuilder(spark__app__name="x")
    assert configure(builder)._options == {"spark.app.name": "x", "spark.jars": own_jar}


def test_configure_keeps_the_builders_jars(own_jar: str) -> None:
    assert jars_of(spark__jars="a.jar, b.jar") == f"a.jar,b.jar,{own_jar}"


def test_configure_keeps_the_jars_of_spark_defaults(own_jar: str, tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text("spark.jars   a.jar,b.jar\n")
    assert jars_of() == f"a.jar,b.jar,{own_jar}"


def test_a_second_configure_changes_nothing(own_jar: str) -> None:
    builder: Any = FakeBuilder()
    assert configure(configure(builder))._options["spark.jars"] == own_jar


def test_a_remote_server_gets_no_jar(monkeypatch: pytest.MonkeyPatch) -> None:
    assert jars_of(spark__remote="sc://host") is None
    monkeypatch.setenv("SPARK_REMOTE", "sc://host")
    assert jars_of() is None


def test_a_connect_server_of_this_process_gets_the_jar(own_jar: str) -> None:
    assert jars_of(spark__remote="local[2]") == own_jar


def test_a_session_with_the_package_gets_no_jar() -> None:
    assert jars_of(spark__jars__packages=f"org.other:thing:1,{packages()}") is None


@pytest.mark.filterwarnings("error")
def test_other_packages_are_kept_with_the_jar(own_jar: str) -> None:
    assert jars_of(spark__jars__packages="org.other:thing:1", spark__master="local[2]") == own_jar


def test_other_packages_on_a_cluster_cause_a_warning() -> None:
    with pytest.warns(UserWarning, match="spark.jars.packages") as warned:
        jars_of(spark__jars__packages="org.other:thing:1", spark__master="spark://host:7077")
    assert warned[0].filename == __file__


@pytest.mark.parametrize(
    "setting", [f"spark.jars.packages {packages()}", "spark.jars /x/stoplog_2.13-0.1.0.jar,b.jar"]
)
def test_a_session_whose_defaults_have_the_jar_is_unchanged(tmp_path: Path, setting: str) -> None:
    (tmp_path / "spark-defaults.conf").write_text(f"{setting}\n")
    assert jars_of() is None


def test_the_builder_overrides_the_packages_of_spark_defaults(own_jar: str, tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text(f"spark.jars.packages {packages()}\n")
    assert jars_of(spark__jars__packages="org.other:thing:1") == own_jar


@pytest.mark.parametrize(
    ("defaults", "arguments"),
    [
        ("spark.jars.packages org.other:thing:1\nspark.master yarn\n", ""),
        ("spark.jars.packages org.other:thing:1\n", "--master yarn pyspark-shell"),
        ("spark.master yarn\n", "--packages org.other:thing:1 pyspark-shell"),
    ],
)
def test_packages_and_a_cluster_that_others_set_cause_a_warning(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, defaults: str, arguments: str
) -> None:
    (tmp_path / "spark-defaults.conf").write_text(defaults)
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", arguments)
    with pytest.warns(UserWarning, match="spark.jars.packages"):
        jars_of()


@pytest.mark.filterwarnings("error")
def test_the_builder_overrides_the_master_of_spark_defaults(own_jar: str, tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text(
        "spark.jars.packages org.other:thing:1\nspark.master yarn\n"
    )
    assert jars_of(spark__master="local[2]") == own_jar


def test_a_running_jvm_with_the_jar_is_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "jvm_has_jar", lambda: True)
    assert jars_of() is None


def test_a_running_jvm_without_the_jar_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "jvm_has_jar", lambda: False)
    with pytest.raises(JarMissing, match="new Python process"):
        jars_of()


@pytest.mark.parametrize("flag", ["--jars a.jar", "--jars=a.jar", "--conf spark.jars=a.jar"])
def test_jars_in_submit_arguments_are_an_error(
    monkeypatch: pytest.MonkeyPatch, own_jar: str, flag: str
) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"{flag} pyspark-shell")
    with pytest.raises(JarMissing, match="PYSPARK_SUBMIT_ARGS") as e:
        jars_of()
    assert own_jar in str(e.value)


def test_submit_arguments_with_the_jar_are_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--jars /x/stoplog_2.13-0.1.0.jar pyspark-shell")
    assert jars_of() is None
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--packages {packages()} pyspark-shell")
    assert jars_of() is None


def test_the_coordinate_has_this_packages_version() -> None:
    assert packages() == f"io.github.stoplog:stoplog_2.13:{version()}"


def test_the_jar_is_named_by_the_environment(own_jar: str) -> None:
    assert jar() == own_jar


def test_a_wrong_name_in_the_environment_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STOPLOG_JAR", "gone.jar")
    with pytest.raises(JarMissing, match=r"gone\.jar"):
        jar()


def test_the_jar_of_the_wheel_precedes_the_jar_of_the_checkout(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("STOPLOG_JAR")
    wheel, checkout = tmp_path / "wheel", tmp_path / "checkout"
    with pytest.raises(JarMissing, match="make jar"):
        find_jar(wheel, checkout)
    for folder in (checkout, wheel):
        folder.mkdir()
        (folder / "stoplog_2.13-0.1.0-tests.jar").touch()
    built = checkout / "stoplog_2.13-0.1.0.jar"
    built.touch()
    assert find_jar(wheel, checkout) == built
    carried = wheel / "stoplog_2.13-0.1.0.jar"
    carried.touch()
    assert find_jar(wheel, checkout) == carried


def test_the_latest_built_jar_is_used(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("STOPLOG_JAR")
    for age, name in enumerate(["stoplog_2.13-0.2.0-SNAPSHOT.jar", "stoplog_2.13-0.1.0.jar"]):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    assert find_jar(tmp_path / "none", tmp_path).name == "stoplog_2.13-0.2.0-SNAPSHOT.jar"
