"""How a Spark session gets the jar."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from stoplog._artifact import package_jar
from stoplog._jvm import is_connect, jvm_has_jar
from stoplog._submit import default_jars, submit_jars
from stoplog._version import GROUP_AND_ARTIFACT, coordinate
from stoplog.errors import JarMissing

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def configure(builder: SparkSession.Builder) -> SparkSession.Builder:
    """Adds this package's jar to a session that is about to be built, and changes nothing else.

    Jars that the builder or `spark-defaults.conf` already name are kept. Where the jar is there by
    other means (`spark-submit --packages` or `--jars`, `spark.jars.packages` in the builder) or cannot be
    added by a client (Spark Connect, whose server needs it at its start) the builder is left as it is.

    Args:
        builder: `SparkSession.builder`, before `getOrCreate()`.

    Returns:
        The same builder.

    Raises:
        JarMissing: this installation has no jar; or Spark's JVM already runs without it; or
            `PYSPARK_SUBMIT_ARGS` sets `--jars`, against which a builder can do nothing.

    Example:
        spark = stoplog.configure(SparkSession.builder.master("local[2]")).getOrCreate()
    """
    settings = builder._options
    if "spark.remote" in settings or "SPARK_REMOTE" in os.environ or is_connect():
        return builder
    running = jvm_has_jar()
    if running is not None:
        if not running:
            raise JarMissing.in_session()
        return builder
    if GROUP_AND_ARTIFACT in str(settings.get("spark.jars.packages", "")):
        return builder
    if submit_jars() is not None:
        return _with_submit_args(builder)
    present = [each.strip() for each in str(settings.get("spark.jars") or default_jars()).split(",")]
    kept = [each for each in present if each]
    own = jar()
    return builder if own in kept else builder.config("spark.jars", ",".join([*kept, own]))


def packages() -> str:
    """The Maven coordinate of the jar that belongs to this package.

    For `spark-submit --packages`, or for a session that is to download the jar.

    >>> packages().split(":")[:2]
    ['io.github.stoplog', 'stoplog_2.13']
    """
    return coordinate()


def jar() -> str:
    """The path of the jar that belongs to this package.

    That is what the environment variable `STOPLOG_JAR` names, else the jar inside the installed wheel,
    else, in a checkout, the one that `make jar` built.

    Raises:
        JarMissing: there is none.

    Example:
        subprocess.run(["spark-submit", "--jars", stoplog.jar(), "job.py"], check=True)
    """
    return str(package_jar())


def _with_submit_args(builder: SparkSession.Builder) -> SparkSession.Builder:
    if "stoplog_2.13" in str(submit_jars()):
        return builder
    raise JarMissing.behind_submit_args(jar())
