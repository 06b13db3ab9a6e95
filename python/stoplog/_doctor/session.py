# SPDX-License-Identifier: Apache-2.0
"""Finds the facts of a running session, classic or Connect, with expressions of SQL that call Java."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from stoplog._doctor.environment import (
    Absent,
    Environment,
    Jar,
    Jars,
    Java,
    Locale,
    Machine,
    Origin,
    Own,
    Spark,
    Use,
)
from stoplog._doctor.gather import found_arrow, found_jars, found_own, found_site, pythons, this_python
from stoplog._doctor.machine import machine
from stoplog._jvm.bridge import is_connect
from stoplog._shared.version import ARTIFACT, version
from stoplog.errors import JarMissing, SparkUnsupported

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession


def environment_of(spark: SparkSession, paths: tuple[str, ...]) -> Environment:
    """Returns the facts of a session. On Connect, the facts of the server, as far as SQL finds them.

    Args:
        paths: the paths that the caller will use.
    """
    settings = {str(row[0]): str(row[1]) for row in spark.sql("SET").collect()}
    remote = "of this session" if _is_remote() else ""
    own = _static(spark, "stoplog.FileSink", "version")
    found = Spark(
        "this session",
        spark.version,
        _static(spark, "scala.util.Properties", "versionNumberString"),
        _static(spark, "org.apache.hadoop.util.VersionInfo", "getVersion"),
        _package(),
    )
    return Environment(
        Own(version(), found_own().jar if own else Absent(str(JarMissing.in_session()))),
        Java(_property(spark, "java.home") + "/bin/java", _property(spark, "java.version")),
        found,
        _jars(settings, own, remote),
        (this_python(),) if remote else pythons(_worker(spark)),
        _machine(spark, settings, paths, remote),
        Use(settings, paths, remote)
        if remote
        else Use(settings, paths, site=found_site(), arrow=found_arrow()),
    )


def _is_remote() -> bool:
    try:
        return is_connect()
    except SparkUnsupported:  # a rule reports the version
        return False


def _jars(settings: Mapping[str, str], own: str, remote: str) -> Jars:
    found = Jars() if remote else found_jars(settings, Absent(""))
    if not own or any(jar.is_core for jar in found.named):
        return found
    artifact, _, scala = ARTIFACT.rpartition("_")
    return Jars((*found.named, Jar(artifact, scala, own, Origin.SESSION)), found.absent)


def _machine(
    spark: SparkSession, settings: Mapping[str, str], paths: tuple[str, ...], remote: str
) -> Machine:
    characters = _property(spark, "sun.jnu.encoding")
    if remote:  # the limits and the disks of the server are out of reach
        return Machine(Locale("that of the server", characters or "UTF-8"), sys.maxsize, "", {}, 0, ())
    found = machine(settings, paths)
    locale = Locale(found.locale.name, characters or found.locale.characters)
    return Machine(
        locale,
        found.open_files,
        found.time_zone,
        found.unknown_zones,
        found.seconds_behind,
        found.directories,
    )


def _property(spark: SparkSession, name: str) -> str:
    return _static(spark, "java.lang.System", "getProperty", name)


def _static(spark: SparkSession, java_class: str, method: str, *arguments: str) -> str:
    """Calls a static method of Java; an empty text if the class is absent or the call is not allowed."""
    quoted = ", ".join(f"'{each}'" for each in (java_class, method, *arguments))
    try:
        rows: list[Any] = spark.sql(f"SELECT reflect({quoted})").collect()
    except Exception:  # each version of Spark, and each platform, has another error for it
        return ""
    return str(rows[0][0] or "")


def _worker(spark: SparkSession) -> str:
    return str(spark.sparkContext.pythonExec)


def _package() -> str:
    import pyspark

    return str(pyspark.__version__)
