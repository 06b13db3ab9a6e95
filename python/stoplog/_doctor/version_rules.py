# SPDX-License-Identifier: Apache-2.0
"""Rules about the versions of Java, Spark, Scala, Hadoop and Python."""

from __future__ import annotations

from collections.abc import Iterator

from stoplog._doctor.environment import Absent, Environment, Java, Spark, line, numbers
from stoplog._doctor.finding import Finding, problem, warning
from stoplog._shared.version import (
    OLDEST_JAVA,
    OLDEST_PYTHON,
    OLDEST_S3_HADOOP,
    SCALA_LINE,
    SPARK_LINES,
    supported_pyspark,
)

_FIRST_LINE, _LAST_LINE = SPARK_LINES.split(" to ")
_SPARK = f"pip install '{supported_pyspark()}'"
# Delta Kernel needs the Parquet of this line.
_FIRST_LINE_OF_DELTA = "4.1"
# Spark prefers this setting to the environment variable.
_DRIVER_SETTING = "spark.pyspark.driver.python"
# Java removed the security manager, whose methods older releases of Hadoop call at the start of each session.
_WITHOUT_SECURITY_MANAGER, _ITS_HADOOP = 24, "3.5.0"


def java(environment: Environment) -> Iterator[Finding]:
    """Java must start, and must not be older or newer than Spark supports."""
    found = environment.java
    if isinstance(found, Absent):
        why = "Spark runs in a JVM, and no session starts without Java."
        yield problem("java", found.what, why, _java_to_use(environment))
    elif found.release < OLDEST_JAVA:
        what = f"{found.command} is Java {found.version}."
        why = f"Spark {_FIRST_LINE} and later, and the jar of stoplog, need Java {OLDEST_JAVA} or later."
        yield problem("java", what, why, _java_to_use(environment))
    elif found.release >= _WITHOUT_SECURITY_MANAGER and _is_older(environment.spark, _ITS_HADOOP):
        what = f"{found.command} is Java {found.version}, and Spark has Hadoop {_hadoop(environment)}."
        why = f"Hadoop before {_ITS_HADOOP} calls methods that Java {_WITHOUT_SECURITY_MANAGER} removed."
        yield problem("java", what, why, _java_to_use(environment))


def spark(environment: Environment) -> Iterator[Finding]:
    """Spark must be of a supported line, and the package pyspark of the same line."""
    found = environment.spark
    if isinstance(found, Absent):
        why = "A sink of stoplog runs in Spark."
        yield problem("spark", found.what, why, _SPARK)
        return
    supported = f"This release of stoplog supports Spark {SPARK_LINES}."
    if numbers(found.version)[:2] < numbers(_FIRST_LINE):
        yield problem("spark", f"Spark in {found.home} has version {found.version}.", supported, _SPARK)
    elif numbers(found.version)[:2] > numbers(_LAST_LINE):
        what = f"Spark in {found.home} has version {found.version}, which is newer than all tested versions."
        yield warning("spark", what, supported, f"pip install 'pyspark~={_LAST_LINE}.0'")
    if found.package and line(found.package) != line(found.version):
        yield problem(
            "pyspark",
            f"The Python package pyspark has version {found.package}, and Spark in {found.home} has version "
            f"{found.version}.",
            "The package calls methods of the JVM that exist only in its own version.",
            f"pip install pyspark=={found.version}",
        )


def scala(environment: Environment) -> Iterator[Finding]:
    """All jars of Scala must have the Scala version of Spark."""
    found = environment.spark
    if isinstance(found, Spark) and line(found.scala) != SCALA_LINE:
        yield problem(
            "scala",
            f"Spark in {found.home} has Scala {found.scala}.",
            f"The jars of stoplog need Scala {SCALA_LINE}: classes of one version do not load in another.",
            _SPARK,
        )
    for jar in environment.jars.named:
        if jar.scala and jar.scala != SCALA_LINE:
            yield problem(
                "scala",
                f"The setting {jar.origin.value} names {jar.name}, a jar for Scala {jar.scala}.",
                f"Spark {_FIRST_LINE} and later, and the jars of stoplog, have Scala {SCALA_LINE}.",
                f"In {jar.origin.value}, replace {jar.artifact}_{jar.scala} by {jar.artifact}_{SCALA_LINE}.",
            )


def hadoop(environment: Environment) -> Iterator[Finding]:
    """A sink on S3 needs a Hadoop with conditional writes."""
    found, schemes = environment.spark, environment.use.scheme_of_each()
    if "s3a" in schemes and _is_older(found, OLDEST_S3_HADOOP):
        yield problem(
            "hadoop",
            f"Spark has Hadoop {_hadoop(environment)}, and {schemes['s3a']} is a path or a setting of S3.",
            f"A sink on S3 needs conditional writes, which Hadoop has since {OLDEST_S3_HADOOP} (Spark 4.1).",
            f"pip install 'pyspark~={_LAST_LINE}.0'",
        )


def delta(environment: Environment) -> Iterator[Finding]:
    """The connector of Delta tables needs the Parquet of Spark 4.1."""
    found, jars = environment.spark, environment.jars.of("stoplog-delta")
    if isinstance(found, Spark) and jars and numbers(found.version)[:2] < numbers(_FIRST_LINE_OF_DELTA):
        yield problem(
            "delta",
            f"Spark has version {found.version}, and {jars[0].origin.value} has {jars[0].name}.",
            f"Delta Kernel needs the Parquet of Spark {_FIRST_LINE_OF_DELTA}. Otherwise no such sink starts.",
            f"pip install '{supported_pyspark(_FIRST_LINE_OF_DELTA)}'",
        )


def driver_python(environment: Environment) -> Iterator[Finding]:
    """The Python that Spark's scripts start for a driver must be able to import this package."""
    found, settings, own = environment.use.driver, environment.use.settings, environment.pythons[0].command
    if found is not None and found.version and numbers(found.version) < numbers(OLDEST_PYTHON):
        repair = f"{_DRIVER_SETTING} {own}"
        yield problem(
            "python",
            f"The Python of drivers is {found.version} ({found.command}).",
            f"The package stoplog needs Python {OLDEST_PYTHON} or later.",
            repair if _DRIVER_SETTING in settings else f"export PYSPARK_DRIVER_PYTHON={own}",
        )


def pyarrow(environment: Environment) -> Iterator[Finding]:
    """Functions and sinks in Python need pyarrow, in a version that pyspark accepts."""
    found = environment.use.arrow
    if found is None or environment.use.remote:  # the rule for Connect reports its packages
        return
    why = "stoplog.async_map, and sinks and functions in Python, exchange rows with Spark by pyarrow."
    if not found.version:
        yield warning("pyarrow", "The Python package pyarrow is not installed.", why, _arrow(found.oldest))
    elif found.oldest and numbers(found.version) < numbers(found.oldest):
        what = f"The Python package pyarrow has version {found.version}, and pyspark needs {found.oldest}."
        yield warning("pyarrow", what, why, _arrow(found.oldest))


def _arrow(oldest: str) -> str:
    return f"pip install 'pyarrow>={oldest}'" if oldest else "pip install pyarrow"


def python(environment: Environment) -> Iterator[Finding]:
    """The Python of the workers must start, and must have the version of the driver's Python."""
    driver, *workers = environment.pythons
    for worker in workers:
        if not worker.version:
            yield warning(
                "python",
                f"The Python of Spark's workers does not start: {worker.command}.",
                "Spark starts this Python for functions in Python, such as stoplog.async_map.",
                f"export PYSPARK_PYTHON={driver.command}",
            )
        elif worker.version != driver.version:
            yield warning(
                "python",
                f"The driver runs Python {driver.version}, and Spark's workers run Python {worker.version} "
                f"({worker.command}).",
                "Spark refuses functions in Python, such as stoplog.async_map, if the versions differ.",
                f"export PYSPARK_PYTHON={driver.command}",
            )


def connect(environment: Environment) -> Iterator[Finding]:
    """A client of Spark Connect needs packages that pyspark does not install."""
    missing = environment.use.missing_packages
    if missing:
        yield problem(
            "connect",
            f"SPARK_REMOTE is {environment.use.remote}, without the packages {', '.join(missing)}.",
            "The client of Spark Connect imports these packages.",
            "pip install 'pyspark[connect]'",
        )


def _java_to_use(environment: Environment) -> str:
    """Returns the line that chooses an installed Java, the oldest that works, or that installs Java."""
    newest = _WITHOUT_SECURITY_MANAGER if _is_older(environment.spark, _ITS_HADOOP) else 1_000
    usable = [each for each in environment.machine.javas if OLDEST_JAVA <= each.release < newest]
    if usable:
        home = min(usable, key=_release).command.removesuffix("/bin/java")
        return f"export JAVA_HOME={home}"
    return f"sudo apt-get install openjdk-{OLDEST_JAVA}-jre-headless"


def _release(java: Java) -> int:
    return java.release


def _is_older(found: Spark | Absent, hadoop: str) -> bool:
    return isinstance(found, Spark) and bool(found.hadoop) and numbers(found.hadoop) < numbers(hadoop)


def _hadoop(environment: Environment) -> str:
    return environment.spark.hadoop if isinstance(environment.spark, Spark) else ""
