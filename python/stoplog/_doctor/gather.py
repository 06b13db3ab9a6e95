# SPDX-License-Identifier: Apache-2.0
"""Finds the facts on this machine, without a start of Spark and without an import of pyspark."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

from stoplog._doctor.environment import (
    Absent,
    Arrow,
    Environment,
    Jar,
    Jars,
    Java,
    Origin,
    Own,
    Python,
    Spark,
    Use,
)
from stoplog._doctor.machine import machine
from stoplog._jvm.artifact import package_jar
from stoplog._jvm.installation import (
    configuration_path,
    default_settings,
    java_command,
    pyspark_package,
    spark_home,
    submit_arguments,
    submit_jars,
    submit_settings,
)
from stoplog._shared.version import version
from stoplog.errors import StoplogError

_SECONDS = 60
_CONNECT_PACKAGES = ("grpc", "grpc_status", "pandas", "pyarrow")
# Jars in Spark's own directory that are not part of Spark, or that other jars must match.
_NOTEWORTHY = (
    *("stoplog", "hadoop-aws", "hadoop-azure", "gcs-connector", "bundle"),
    *("spark-sql-kafka-0-10", "spark-avro"),
)
_MORE_SETTINGS = ("spark.driver.extraClassPath", "spark.executor.extraClassPath")


def environment(given: Mapping[str, str], paths: tuple[str, ...]) -> Environment:
    """Returns the facts of this machine.

    Args:
        given: settings of the caller's jobs, which override those of files and environment variables.
        paths: the paths that the caller will use.
    """
    settings = {**_defaults(), **submit_settings(), **given}
    spark, use = found_spark(), found_use(settings, paths)
    return Environment(
        found_own(),
        found_java(),
        spark,
        found_jars(settings, spark),
        (this_python(),) if use.remote else pythons(_worker(settings)),
        machine(settings, paths),
        use,
    )


def found_own() -> Own:
    """Returns the version of this package and its jar."""
    try:
        return Own(version(), str(package_jar()))
    except StoplogError as error:
        return Own(version(), Absent(str(error)))


def found_java() -> Java | Absent:
    """Starts Java, which prints its version."""
    try:
        command = java_command()
        done = subprocess.run(
            [command, "-version"], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except StoplogError as error:
        return Absent(str(error))
    except (OSError, subprocess.TimeoutExpired) as error:
        return Absent(f"{command} does not start: {error}.")
    # Java prints its version on the standard error, after notes about environment variables.
    found = re.search(r'version "([^"]+)"', done.stderr + done.stdout)
    if done.returncode or not found:
        said = " ".join((done.stderr or done.stdout).split())[:200]
        return Absent(f"{command} -version ended with status {done.returncode}: {said or 'no output'}.")
    return Java(command, found.group(1))


def found_spark() -> Spark | Absent:
    """Reads the versions from the names of Spark's jars, and the version of pyspark from its source."""
    try:
        home = spark_home()
    except StoplogError as error:
        return Absent(str(error))
    jars = {jar.artifact: jar for jar in _jars_of(home)}
    if "spark-core" not in jars:
        return Absent(f"There are no jars of Spark in {home / 'jars'}.")
    core = jars["spark-core"]
    scala = jars["scala-library"].version if "scala-library" in jars else core.scala
    hadoop = jars["hadoop-client-api"].version if "hadoop-client-api" in jars else ""
    return Spark(str(home), core.version, scala, hadoop, _pyspark_version())


def found_jars(settings: Mapping[str, str], spark: Spark | Absent) -> Jars:
    """Returns the jars that settings name, and the noteworthy jars in Spark's directory."""
    jars = (
        Origin.JARS if submit_jars() is None or submit_jars() != settings.get("spark.jars") else Origin.SUBMIT
    )
    named = [(jars, "spark.jars", settings.get("spark.jars", ""))]
    named += [(Origin.JARS, key, settings.get(key, "").replace(os.pathsep, ",")) for key in _MORE_SETTINGS]
    found: list[Jar] = []
    absent = []
    for origin, setting, value in named:
        for file in _words(value):
            if _is_local(file) and not Path(file.removeprefix("file://").removeprefix("file:")).is_file():
                absent.append((origin.value if setting == "spark.jars" else setting, file))
            found += _parsed(file, origin)
    for coordinate in _words(settings.get("spark.jars.packages", "")):
        found += _parsed(coordinate, Origin.PACKAGES)
    if isinstance(spark, Spark):
        found += [jar for jar in _jars_of(Path(spark.home)) if jar.artifact.startswith(_NOTEWORTHY)]
    return Jars(tuple(found), tuple(absent))


def found_use(settings: Mapping[str, str], paths: tuple[str, ...]) -> Use:
    """Returns the use of this environment."""
    remote = os.environ.get("SPARK_REMOTE", "") or settings.get("spark.remote", "")
    missing = [name for name in _CONNECT_PACKAGES if remote and find_spec(name) is None]
    return Use(
        settings,
        paths,
        remote,
        tuple(missing),
        submit_arguments() is not None,
        found_site(),
        found_driver(settings),
        found_arrow(),
    )


def found_site() -> dict[str, str]:
    """Returns the settings of `core-site.xml` in the directories of Spark's and Hadoop's configuration."""
    try:
        directories = configuration_path()
    except StoplogError:  # there is no Spark, as another rule reports
        return {}
    found: dict[str, str] = {}
    for file in (Path(each) / "core-site.xml" for each in reversed(directories)):
        try:
            root = ElementTree.parse(file).getroot()
        except (OSError, ElementTree.ParseError):  # Hadoop reports a file that is not XML
            continue
        for each in root.iter("property"):
            found[each.findtext("name", "").strip()] = each.findtext("value", "").strip()
    return found


def found_arrow() -> Arrow:
    """Returns the version of pyarrow, and the oldest version that pyspark accepts."""
    package = pyspark_package()
    file = package / "sql" / "pandas" / "utils.py" if package else None
    text = file.read_text(encoding="utf-8") if file and file.is_file() else ""
    oldest = re.search(r"minimum_pyarrow_version = ['\"]([\d.]+)", text)
    try:
        installed = metadata.version("pyarrow")
    except metadata.PackageNotFoundError:
        installed = ""
    return Arrow(installed, oldest.group(1) if oldest else "")


def this_python() -> Python:
    """Returns the Python of this process."""
    return Python(sys.executable, f"{sys.version_info.major}.{sys.version_info.minor}")


def found_driver(settings: Mapping[str, str]) -> Python | None:
    """Returns the Python that Spark's scripts start for a driver, if a setting names one."""
    command = settings.get("spark.pyspark.driver.python") or os.environ.get("PYSPARK_DRIVER_PYTHON", "")
    # Other programs, such as the server of a notebook, would start here and not end.
    return _started(command) if "python" in Path(command).name else None


def pythons(worker: str) -> tuple[Python, ...]:
    """Returns this Python, and the Python that the command of the workers starts."""
    return this_python(), _started(worker)


def _started(command: str) -> Python:
    program = "import sys; print('{}.{}'.format(*sys.version_info[:2]))"
    try:
        done = subprocess.run(
            [command, "-c", program], capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        found = done.stdout.strip() if done.returncode == 0 else ""
    except (OSError, subprocess.TimeoutExpired):
        found = ""
    return Python(command, found)


def _worker(settings: Mapping[str, str]) -> str:
    """Returns the command of the workers' Python, which PySpark chooses in this order."""
    return os.environ.get("PYSPARK_PYTHON") or settings.get("spark.pyspark.python") or "python3"


def _defaults() -> dict[str, str]:
    try:
        return default_settings()
    except StoplogError:  # there is no Spark, as another rule reports
        return {}


def _pyspark_version() -> str:
    package = pyspark_package()
    file = package / "version.py" if package else None
    text = file.read_text(encoding="utf-8") if file and file.is_file() else ""
    found = re.search(r"__version__[^=]*=\s*['\"]([^'\"]+)", text)
    return found.group(1) if found else ""


def _jars_of(home: Path) -> Iterator[Jar]:
    for file in sorted((home / "jars").glob("*.jar")):
        yield from _parsed(file.name, Origin.HOME)


def _parsed(text: str, origin: Origin) -> list[Jar]:
    jar = Jar.of(text, origin)
    return [jar] if jar else []


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _is_local(file: str) -> bool:
    return "*" not in file and (file.startswith("file:") or "://" not in file) and file.endswith(".jar")
