# SPDX-License-Identifier: Apache-2.0
"""Rules about the jars of jobs: whether they exist, and whether their versions belong together."""

from __future__ import annotations

from collections.abc import Iterator

from stoplog._doctor.environment import Absent, Environment, Jar, Origin, Spark, line
from stoplog._doctor.finding import Finding, problem, warning
from stoplog._jvm.artifact import ENVIRONMENT_VARIABLE
from stoplog._shared.spark_modules import PUBLISHED, newest_line
from stoplog._shared.version import ARTIFACT, SCALA_LINE, coordinate, same_release

# Modules of Spark that are not part of its distribution. A module works with its own line of Spark only.
_MODULES = (*PUBLISHED, "spark-hadoop-cloud")
_SDK = "bundle"
_HADOOP_AWS = "org.apache.hadoop:hadoop-aws"
_CLIENTS = {
    "s3a": ("hadoop-aws", _HADOOP_AWS),
    "abfs": ("hadoop-azure", "org.apache.hadoop:hadoop-azure"),
    "abfss": ("hadoop-azure", "org.apache.hadoop:hadoop-azure"),
    "wasb": ("hadoop-azure", "org.apache.hadoop:hadoop-azure"),
    "wasbs": ("hadoop-azure", "org.apache.hadoop:hadoop-azure"),
}
# Google's connector has versions of its own.
_GCS_CONNECTOR, _GCS_PACKAGE = "gcs-connector", "com.google.cloud.bigdataoss:gcs-connector:3.1.7"


def own_jar(environment: Environment) -> Iterator[Finding]:
    """This package must have a jar, unless a setting names the jar."""
    jar = environment.own.jar
    if isinstance(jar, Absent) and not _cores(environment):
        why = "A session needs the jar of stoplog when its JVM starts."
        yield problem("stoplog-jar", jar.what, why, _with_own_jar(environment.use.remote, jar.what))
    found = Jar.of(jar, Origin.JARS) if isinstance(jar, str) else None
    if found is None or not (found.is_core or found.is_connector):
        return
    if found.is_connector or found.scala != SCALA_LINE:
        why = "A session needs the jar of stoplog when its JVM starts."
        what = f"{ENVIRONMENT_VARIABLE} names {jar}, which is not the jar of stoplog for Scala {SCALA_LINE}."
        yield problem("stoplog-jar", what, why, f"unset {ENVIRONMENT_VARIABLE}")
    elif not same_release(found.version, environment.own.version):
        what = f"The Python package stoplog has version {environment.own.version}, and its jar is {jar}."
        why = "The package, the jar and the connectors refuse to work with another release."
        yield problem("stoplog-version", what, why, f"unset {ENVIRONMENT_VARIABLE}")


def absent_files(environment: Environment) -> Iterator[Finding]:
    """Each jar that a setting names must exist."""
    for setting, path in environment.jars.absent:
        yield problem(
            "jar-missing",
            f"The setting {setting} names {path}, which is not a file.",
            "Spark does not start, or starts without the classes of the jar.",
            f"Correct {path} in {setting}, or remove it.",
        )


def releases(environment: Environment) -> Iterator[Finding]:
    """The jar and the connectors must be of the release of this package."""
    for jar in environment.jars.named:
        if (jar.is_core or jar.is_connector) and not same_release(jar.version, environment.own.version):
            yield problem(
                "stoplog-version",
                f"The Python package stoplog has version {environment.own.version}, and "
                f"{jar.origin.value} has {jar.name}.",
                "The package, the jar and the connectors refuse to work with another release.",
                f"pip install stoplog=={jar.version}"
                if jar.is_core
                else f"In {jar.origin.value}, replace {jar.name} by {_named(jar, environment.own.version)}.",
            )


def several_cores(environment: Environment) -> Iterator[Finding]:
    """The class path must have one jar of stoplog."""
    cores = sorted({(jar.name, jar.origin.value) for jar in _cores(environment)})
    if len({name for name, _ in cores}) > 1:
        places = " and ".join(f"{name} ({origin})" for name, origin in cores)
        yield problem(
            "stoplog-twice",
            f"The settings name two jars of stoplog: {places}.",
            "Java loads the classes of either jar, and not always of the same.",
            f"Remove {cores[0][0]} from {cores[0][1]}.",
        )


def connectors(environment: Environment) -> Iterator[Finding]:
    """A file of a connector needs the file of the core next to it; Maven adds the core by itself."""
    for origin in (Origin.JARS, Origin.SUBMIT, Origin.HOME):
        found = [jar for jar in environment.jars.named if jar.is_connector and jar.origin is origin]
        if not found or _cores(environment):
            continue
        names = ", ".join(jar.name for jar in found)
        level = warning if origin is Origin.JARS and isinstance(environment.own.jar, str) else problem
        yield level(
            "connector",
            f"{origin.value} has {names} without the jar {ARTIFACT}.",
            "A connector extends classes of the core. Only stoplog.configure(…) adds the core by itself, and "
            "not to --jars.",
            _with_core(origin, environment),
        )


def modules(environment: Environment) -> Iterator[Finding]:
    """A module of Spark must be of Spark's own line."""
    spark = environment.spark
    for jar in environment.jars.named:
        if isinstance(spark, Spark) and jar.artifact in _MODULES and line(jar.version) != line(spark.version):
            yield problem(
                "spark-module",
                f"Spark has version {spark.version}, and {jar.origin.value} has {jar.name}.",
                "A module calls internal methods of Spark, which differ between lines.",
                _with_module(jar, spark),
            )


def _with_module(jar: Jar, spark: Spark) -> str:
    """Returns the line that names a published module, or that installs a line of Spark with a module."""
    published = PUBLISHED.get(jar.artifact, {})
    module = f"{jar.artifact}_{SCALA_LINE}"
    if line(spark.version) in published:
        return f"In {jar.origin.value}, replace {jar.name} by {module}:{published[line(spark.version)]}."
    if published:
        return f"pip install 'pyspark~={newest_line(jar.artifact)}.0'"
    return f"In {jar.origin.value}, replace {jar.name} by a {module} of Spark {line(spark.version)}."


def file_systems(environment: Environment) -> Iterator[Finding]:
    """Each object store needs its client, in the version of Spark's Hadoop."""
    spark = environment.spark
    if not isinstance(spark, Spark) or environment.use.remote:
        return
    schemes = environment.use.scheme_of_each()
    for client, maven in dict.fromkeys(_CLIENTS.values()):
        place = next((schemes[each] for each in schemes if _CLIENTS.get(each) == (client, maven)), None)
        found = environment.jars.of(client)
        if place is not None and not found:
            yield problem(
                client,
                f"{place} needs {client}, and no setting names this jar.",
                "Spark has Hadoop without the clients of object stores.",
                f"spark.jars.packages {_with_package(environment, f'{maven}:{spark.hadoop}')}",
            )
        for jar in found:
            if spark.hadoop and jar.version != spark.hadoop:
                yield problem(
                    client,
                    f"Spark has Hadoop {spark.hadoop}, and {jar.origin.value} has {jar.name}.",
                    "The client calls internal methods of Hadoop, which differ between versions.",
                    f"In {jar.origin.value}, replace {jar.name} by {client}:{spark.hadoop}.",
                )
        yield from _sdk(environment, found, spark)
    yield from _gcs(environment, schemes.get("gs"))


def _sdk(environment: Environment, clients: list[Jar], spark: Spark) -> Iterator[Finding]:
    alone = [jar for jar in clients if jar.artifact == "hadoop-aws" and jar.origin is not Origin.PACKAGES]
    if alone and not environment.jars.of(_SDK):
        yield problem(
            "aws-sdk",
            f"{alone[0].origin.value} has {alone[0].name} without the bundle of the AWS SDK.",
            "S3A calls the AWS SDK, software.amazon.awssdk:bundle. Maven adds the bundle; a file does not.",
            f"spark.jars.packages {_with_package(environment, f'{_HADOOP_AWS}:{spark.hadoop}')}",
        )


def _gcs(environment: Environment, place: str | None) -> Iterator[Finding]:
    # A file of the connector may have no version in its name, and a platform may have it on its class path.
    named = any(_GCS_CONNECTOR in value for value in environment.use.settings.values())
    found = any(jar.artifact.startswith(_GCS_CONNECTOR) for jar in environment.jars.named)
    if place is not None and not (named or found or "fs.gs.impl" in environment.use.site):
        yield problem(
            _GCS_CONNECTOR,
            f"{place} needs {_GCS_CONNECTOR}, and no setting names this jar.",
            "Spark has Hadoop without the clients of object stores.",
            f"spark.jars.packages {_with_package(environment, _GCS_PACKAGE)}",
        )


def _with_own_jar(remote: str, what: str) -> str:
    if remote:
        return f"$SPARK_HOME/sbin/start-connect-server.sh --packages {coordinate()}"
    if ENVIRONMENT_VARIABLE in what:
        return f"unset {ENVIRONMENT_VARIABLE}"
    return "pip install --force-reinstall stoplog"


def _cores(environment: Environment) -> list[Jar]:
    return [jar for jar in environment.jars.named if jar.is_core]


def _named(jar: Jar, version: str) -> str:
    return f"{jar.artifact}_{SCALA_LINE}:{version}"


def _with_package(environment: Environment, coordinate: str) -> str:
    named = environment.use.settings.get("spark.jars.packages", "")
    return f"{named},{coordinate}" if named else coordinate


def _with_core(origin: Origin, environment: Environment) -> str:
    own = environment.own.jar
    core = own if isinstance(own, str) else f"{ARTIFACT}-{environment.own.version}.jar"
    if origin is Origin.HOME:
        return f"cp {core} $SPARK_HOME/jars/"
    named = environment.use.settings.get("spark.jars", "")
    if origin is Origin.SUBMIT:
        return f'export PYSPARK_SUBMIT_ARGS="--jars {named},{core} pyspark-shell"'
    return f"spark.jars {named},{core}"
