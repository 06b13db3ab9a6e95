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
    submit_settings,
)
from stoplog._shared.version import ARTIFACT, GROUP_AND_ARTIFACT, coordinate
from stoplog.errors import JarMissing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import SparkSession


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Adds this package's jar to the builder of a session, without other changes.

    Jars of the builder or of `spark-defaults.conf` are kept. The builder is not changed if the session
    already has the jar by `spark.jars` or `spark.jars.packages`, from the builder, `spark-submit` or
    `spark-defaults.conf`. The builder is also not changed on Spark Connect, whose server needs the jar at
    its start.

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
        UserWarning: `spark.jars.packages` is set, and a cluster as master. If `spark.jars` is also set, Spark
            does not send the downloaded packages to executors.

    Example:
        spark = stoplog.configure(SparkSession.builder.master("local[2]")).getOrCreate()
    """
    if not hasattr(builder, "_options"):
        kind = type(builder).__name__
        raise TypeError(f"configure needs SparkSession.builder before getOrCreate(), and got a {kind}")
    if _is_running(builder):
        return builder
    settings = {**default_settings(), **submit_settings(), **builder._options}
    if _is_provided(settings):
        return builder
    if submit_jars() is not None:
        raise JarMissing.behind_submit_args(jar())
    kept = [each.strip() for each in str(settings.get("spark.jars", "")).split(",") if each.strip()]
    own = jar()
    if own in kept:
        return builder
    _warn_of_packages({**settings, "spark.jars": own})
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


def _is_running(builder: SparkSession.Builder) -> bool:
    """Returns whether the JVM already runs, with the jar, or elsewhere."""
    remote = str(builder._options.get("spark.remote") or os.environ.get("SPARK_REMOTE", ""))
    # For any other remote, such as local[2], this process starts the server with the builder's jars.
    if remote.startswith("sc://") or is_connect():
        return True
    running = jvm_has_jar()
    if running is False:
        raise JarMissing.in_session()
    return running is True


def _is_provided(settings: Mapping[str, object]) -> bool:
    # spark-submit reads PYSPARK_SUBMIT_ARGS after the settings of a builder.
    downloaded = f"{settings.get('spark.jars.packages')} {os.environ.get(SUBMIT_ARGS)}"
    named = f"{settings.get('spark.jars')} {submit_jars()}"
    return GROUP_AND_ARTIFACT in downloaded or ARTIFACT in named


def _warn_of_packages(settings: Mapping[str, object]) -> None:
    if executors_lack_packages(settings):
        warnings.warn(
            "Spark does not pass spark.jars.packages to executors if spark.jars is also set. "
            f"Add the coordinate {packages()} to spark.jars.packages instead of calling stoplog.configure.",
            stacklevel=3,
        )
