# SPDX-License-Identifier: Apache-2.0
"""Adds the jar to Spark sessions."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING

from stoplog._jvm.artifact import package_jar
from stoplog._jvm.bridge import is_connect, jvm_has_jar
from stoplog._jvm.installation import (
    SUBMIT_ARGS,
    default_settings,
    executors_lack_packages,
    submit_jars,
)
from stoplog._shared.version import ARTIFACT, GROUP_AND_ARTIFACT, coordinate
from stoplog.errors import JarMissing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Adds this package's jar to the builder of a session, without other changes.

    Jars of the builder or of `spark-defaults.conf` are kept. The builder is not changed if the session
    already has the jar (`spark-submit --packages` or `--jars`, `spark.jars.packages`). The builder is also
    not changed on Spark Connect, whose server needs the jar at its start.

    Args:
        builder: `SparkSession.builder` with all other settings, before `getOrCreate()`.

    Returns:
        The same builder.

    Raises:
        TypeError: the argument is not a builder, such as an existing session.
        SparkUnsupported: Spark is older than 4.0.
        JarMissing: this installation has no jar; or Spark's JVM already runs without the jar; or
            `PYSPARK_SUBMIT_ARGS` sets `--jars`, which a builder cannot override.

    Warns:
        UserWarning: the builder sets `spark.jars.packages` and a cluster as master. If `spark.jars` is also
            set, Spark does not send the downloaded packages to executors.

    Example:
        spark = stoplog.configure(SparkSession.builder.master("local[2]")).getOrCreate()
    """
    if not hasattr(builder, "_options"):
        kind = type(builder).__name__
        raise TypeError(f"configure needs SparkSession.builder before getOrCreate(), and got a {kind}")
    if _is_provided(builder):
        return builder
    if submit_jars() is not None:
        raise JarMissing.behind_submit_args(jar())
    named = str(builder._options.get("spark.jars") or default_settings().get("spark.jars", "")).split(",")
    kept = [each.strip() for each in named if each.strip()]
    own = jar()
    if own in kept:
        return builder
    _warn_of_packages(builder)
    return builder.config("spark.jars", ",".join([*kept, own]))


def packages() -> str:
    """Returns the Maven coordinate of this package's jar.

    For `spark-submit --packages`, or for a session that downloads the jar.

    >>> packages().split(":")[:2]
    ['io.github.stoplog', 'stoplog_2.13']
    """
    return coordinate()


def jar() -> str:
    """Returns the path of this package's jar.

    The path is the value of the environment variable `STOPLOG_JAR`, else the jar in the installed wheel,
    else, in a checkout, the jar of `make jar`.

    Raises:
        JarMissing: the jar does not exist.

    Example:
        subprocess.run(["spark-submit", "--jars", stoplog.jar(), "job.py"], check=True)
    """
    return str(package_jar())


def _is_provided(builder: SparkSession.Builder) -> bool:
    remote = str(builder._options.get("spark.remote") or os.environ.get("SPARK_REMOTE", ""))
    # For any other remote, such as local[2], this process starts the server with the builder's jars.
    if remote.startswith("sc://") or is_connect():
        return True
    running = jvm_has_jar()
    if running is False:
        raise JarMissing.in_session()
    packages_anywhere = f"{builder._options.get('spark.jars.packages')} {os.environ.get(SUBMIT_ARGS)}"
    return running is True or GROUP_AND_ARTIFACT in packages_anywhere or ARTIFACT in (submit_jars() or "")


def _warn_of_packages(builder: SparkSession.Builder) -> None:
    if executors_lack_packages({**builder._options, "spark.jars": jar()}):
        warnings.warn(
            "Spark does not pass spark.jars.packages to executors if spark.jars is also set. "
            f"Add the coordinate {packages()} to spark.jars.packages instead of calling stoplog.configure.",
            stacklevel=3,
        )
