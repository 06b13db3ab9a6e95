# SPDX-License-Identifier: Apache-2.0
"""Where Java and Spark are on this machine, and which settings Spark reads there at its start."""

from __future__ import annotations

import os
import re
import shlex
import shutil
from collections.abc import Mapping
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

from stoplog.errors import ToolFailed

SUBMIT_ARGS = "PYSPARK_SUBMIT_ARGS"
"""The environment variable with a Python process's arguments for spark-submit."""

_DEFAULT = re.compile(r"\s*(?P<key>[^\s=:#!][^\s=:]*)\s*[=:\s]\s*(?P<value>.*?)\s*")
_SETTINGS_OF_FLAGS = {"--jars": "spark.jars", "--packages": "spark.jars.packages", "--master": "spark.master"}


def java_command() -> str:
    """Returns the command of Java, which Spark's scripts find in the same way.

    Raises:
        ToolFailed: there is no Java, or `JAVA_HOME` names a directory without one.
    """
    home = os.environ.get("JAVA_HOME")
    if home:
        java = Path(home) / "bin" / "java"
        if not java.is_file():
            raise ToolFailed("STOPLOG_TOOL_INCOMPLETE", f"JAVA_HOME is {home}, which has no bin/java.")
        return str(java)
    found = shutil.which("java")
    if not found:
        raise ToolFailed(
            "STOPLOG_TOOL_INCOMPLETE",
            "Java was not found. Install Java 17 or later, or set JAVA_HOME to its directory.",
        )
    return found


def spark_home() -> Path:
    """Returns the directory of Spark, without an import of pyspark.

    Raises:
        ToolFailed: there is no Spark.
    """
    home = os.environ.get("SPARK_HOME")
    if home:
        return Path(home)
    package = pyspark_package()
    if package is None:
        raise ToolFailed(
            "STOPLOG_TOOL_INCOMPLETE",
            "This command needs the jars of Spark. Install pyspark in this environment, or set SPARK_HOME.",
        )
    return package


def spark_jars() -> Path:
    """Returns the directory of Spark's jars.

    Raises:
        ToolFailed: there is no Spark, or its directory has no jars.
    """
    jars = spark_home() / "jars"
    if not any(jars.glob("hadoop-client-*.jar")):
        raise ToolFailed(
            "STOPLOG_TOOL_INCOMPLETE",
            f"There are no jars of Spark in {jars}. Install pyspark, or set SPARK_HOME to its directory.",
        )
    return jars


def pyspark_package() -> Path | None:
    """Returns the directory of the package pyspark, or `None`."""
    found = find_spec("pyspark")
    return Path(found.origin).parent if found and found.origin else None


def defaults_file() -> Path:
    """Returns the path of `spark-defaults.conf`, which may not exist.

    Raises:
        ToolFailed: there is no Spark, and no `SPARK_CONF_DIR`.
    """
    directory = os.environ.get("SPARK_CONF_DIR")
    return (Path(directory) if directory else spark_home() / "conf") / "spark-defaults.conf"


def configuration_path() -> list[str]:
    """Returns the directories of settings that spark-submit adds to the class path.

    Hadoop's default file system is in one of them: without it, a path without a scheme is a local path.

    Raises:
        ToolFailed: there is no Spark, and no `SPARK_CONF_DIR`.
    """
    own = defaults_file().parent
    named = [os.environ.get(name) for name in ("HADOOP_CONF_DIR", "YARN_CONF_DIR")]
    return [*([str(own)] if own.is_dir() else []), *filter(None, named)]


def default_settings() -> dict[str, str]:
    """Returns the settings of `spark-defaults.conf`.

    Raises:
        ToolFailed: there is no Spark, and no `SPARK_CONF_DIR`.
    """
    file = defaults_file()
    return properties(file.read_text(encoding="utf-8", errors="replace")) if file.is_file() else {}


def properties(text: str) -> dict[str, str]:
    r"""Parses the text of a `spark-defaults.conf`.

    >>> properties("# x y\nspark.jars  a.jar,b.jar\nspark.master=local")
    {'spark.jars': 'a.jar,b.jar', 'spark.master': 'local'}
    """
    matches = (_DEFAULT.fullmatch(line) for line in text.splitlines())
    return {match["key"]: match["value"] for match in matches if match}


def submit_settings() -> dict[str, str]:
    """Returns the settings in `PYSPARK_SUBMIT_ARGS`: `--conf`, `--jars`, `--packages` and `--master`."""
    # If a flag is repeated, spark-submit uses the last.
    found: dict[str, str] = {}
    for flag, value in _flags():
        if flag == "--conf":
            key, _, text = value.partition("=")
            found[key] = text
        elif flag in _SETTINGS_OF_FLAGS:
            found[_SETTINGS_OF_FLAGS[flag]] = value
    return found


def submit_jars() -> str | None:
    """Returns the `--jars` or the setting `spark.jars` of `PYSPARK_SUBMIT_ARGS`, or `None`."""
    return submit_settings().get("spark.jars")


def executors_lack_packages(settings: Mapping[str, object]) -> bool:
    """Returns true if the executors of a cluster get no `spark.jars.packages`, because `spark.jars` is set.

    >>> executors_lack_packages({"spark.master": "yarn", "spark.jars": "a", "spark.jars.packages": "b"})
    True
    """
    # Local executors run in the driver's JVM, whose class path has all packages.
    master = str(settings.get("spark.master", "local"))
    is_local = master == "local" or master.startswith("local[")
    return bool(settings.get("spark.jars")) and "spark.jars.packages" in settings and not is_local


def submit_arguments() -> list[str] | None:
    """Returns the words of `PYSPARK_SUBMIT_ARGS`, or `None` if a quotation mark has no pair."""
    try:
        return shlex.split(os.environ.get(SUBMIT_ARGS, ""))
    except ValueError:
        return None


def _flags() -> list[tuple[str, str]]:
    words = submit_arguments() or []
    joined = [word.partition("=")[::2] for word in words if re.match(r"--[a-z-]+=", word)]
    return [*((flag, value) for flag, value in pairwise(words) if flag.startswith("--")), *joined]
