# SPDX-License-Identifier: Apache-2.0
"""Errors of sessions and queries."""

from __future__ import annotations

from stoplog._shared.version import SPARK_LINES, coordinate, supported_pyspark, version
from stoplog.errors.base import StoplogError


class InvalidOptions(StoplogError, ValueError):
    """The jar rejected the options of a sink; the message lists all problems.

    `condition` is the jar's condition, in most cases `STOPLOG_INVALID_OPTIONS`. Without a classic session,
    options are only checked at the start of the query, which fails with the same condition.

    >>> isinstance(InvalidOptions("STOPLOG_INVALID_OPTIONS", "maxPartSize is wrong."), ValueError)
    True
    """


class NoSession(StoplogError):
    """A function that needs the JVM was called before the start of a Spark session.

    >>> "getOrCreate" in str(NoSession())
    True
    """

    def __init__(self) -> None:
        super().__init__(
            "STOPLOG_NO_SESSION",
            "There is no active Spark session. Start one first: "
            "spark = stoplog.configure(SparkSession.builder).getOrCreate()",
        )


class ConnectUnsupported(StoplogError):
    """A function that needs a JVM in this process was called on Spark Connect, which has no such JVM.

    >>> print(ConnectUnsupported("f()", "Call g() instead."))
    f() needs a classic Spark session, and this is Spark Connect. Call g() instead.
    """

    def __init__(self, function: str, instead: str) -> None:
        super().__init__(
            "STOPLOG_CONNECT_UNSUPPORTED",
            f"{function} needs a classic Spark session, and this is Spark Connect. {instead}",
        )


class JarMissing(StoplogError):
    """The stoplog jar is missing in the session, in the wheel or in the checkout.

    >>> print(JarMissing.at("/opt/gone.jar"))
    The environment variable STOPLOG_JAR names /opt/gone.jar, which is not a file. Correct or unset it.
    """

    def __init__(self, message: str) -> None:
        super().__init__("STOPLOG_JAR_MISSING", message)

    @classmethod
    def in_session(cls) -> JarMissing:
        """Creates the error for a running JVM without the jar, which must be added before the JVM starts."""
        return cls(
            "The stoplog jar is not on the class path of this Spark session, and it has to be there when "
            "Spark's JVM starts: use stoplog.configure(SparkSession.builder) in a new Python process, "
            f"or spark-submit --packages {coordinate()}"
        )

    @classmethod
    def of_connector(cls, artifact: str) -> JarMissing:
        """Creates the error for a running JVM with stoplog's jar but without a connector's jar."""
        connector = coordinate().replace("stoplog_", f"{artifact}_")
        return cls(
            f"The jar {artifact} is not on the class path of this Spark session: add {connector} to "
            "spark.jars.packages, or its file to spark.jars, in a new Python process."
        )

    @classmethod
    def of_client(cls, artifact: str, lost: str) -> JarMissing:
        """Creates the error for a connector without the client of its system, such as a driver.

        >>> "stoplog-kafka_2.13" in str(JarMissing.of_client("stoplog-kafka", "org.apache.kafka.Lost"))
        True
        """
        # The sink of write-ahead calls other connectors.
        connector = "stoplog-cassandra" if "datastax" in lost or "cassandra" in lost else artifact
        package = coordinate().replace("stoplog_", f"{connector}_")
        return cls(
            f"The jar {connector} needs further jars, which are not on the class path of this Spark session "
            f"({lost}). Set spark.jars.packages to {package}, which "
            "also loads these jars, in a new Python process."
        )

    @classmethod
    def in_package(cls, places: str) -> JarMissing:
        """Creates the error for an installation without a jar, such as a checkout without a build."""
        return cls(
            f"There is no stoplog jar in {places}. Install the wheel, or build the jar with `make jar`, "
            "or name one in the environment variable STOPLOG_JAR."
        )

    @classmethod
    def at(cls, path: str) -> JarMissing:
        """Creates the error for an environment variable `STOPLOG_JAR` with the path of a missing file."""
        return cls(
            f"The environment variable STOPLOG_JAR names {path}, which is not a file. Correct or unset it."
        )

    @classmethod
    def behind_submit_args(cls, jar: str) -> JarMissing:
        """Creates the error for `--jars` or `spark.jars` in `PYSPARK_SUBMIT_ARGS`.

        These options silently override every `spark.jars` of a builder.
        """
        return cls(
            "PYSPARK_SUBMIT_ARGS sets --jars or spark.jars, which overrides the settings of a builder. "
            f"Add the stoplog jar there: --jars …,{jar}"
        )


class SparkUnsupported(StoplogError):
    """The Spark of this process is too old.

    >>> "needs Spark 4.0 to 4.3, found 3.5.7" in str(SparkUnsupported("3.5.7"))
    True
    """

    def __init__(self, found: str) -> None:
        super().__init__(
            "STOPLOG_SPARK_UNSUPPORTED",
            f"stoplog {version()} needs Spark {SPARK_LINES}, found {found}. "
            f"Install one of these: pip install '{supported_pyspark()}'",
        )


class StartRefused(StoplogError):
    """A query did not start, because the sink or the source refused.

    `start()` and `toTable()` of the writer that `write_stream` returns raise this class, in a classic session
    and on Spark Connect. `condition` names the reason, and `__cause__` is Spark's own exception. A refusal
    that the query finds in its first micro-batch ends the query instead: `awaitTermination` raises Spark's
    exception, whose name `stoplog.condition_of` returns.

    >>> StartRefused("STOPLOG_SCHEMA_CHANGED", "The type of a column has changed.").condition
    'STOPLOG_SCHEMA_CHANGED'
    """


class NotAStoplogQuery(StoplogError):
    """The query writes to another sink, or has no progress that shows its sink.

    >>> print(NotAStoplogQuery("clicks"))
    The query clicks does not write to a sink of stoplog, so stoplog does not know whether its rows are \
visible. Use the query that sink.write_stream(…).start() returned, or a query of format('stoplog').
    """

    def __init__(self, query: str) -> None:
        super().__init__(
            "STOPLOG_NOT_A_STOPLOG_QUERY",
            f"The query {query} does not write to a sink of stoplog, so stoplog does not know whether its "
            "rows are visible. Use the query that sink.write_stream(…).start() returned, or a query of "
            "format('stoplog').",
        )


class NotFinished(StoplogError):
    """A query has ended, and readers do not see all of its rows.

    >>> print(NotFinished("clicks", open_parts=2, rows=10))
    The query clicks has ended, and readers do not see 10 of its rows in 2 open parts. The driver's log \
has the cause. The next run publishes the rows, unless finalizeOnTermination is never.
    """

    def __init__(self, query: str, open_parts: int, rows: int) -> None:
        super().__init__(
            "STOPLOG_NOT_FINISHED",
            f"The query {query} has ended, and readers do not see {rows:,} of its rows in {open_parts:,} "
            "open parts. The driver's log has the cause. The next run publishes the rows, unless "
            "finalizeOnTermination is never.",
        )


class VersionMismatch(StoplogError):
    """The session's jar and this Python package are from different releases.

    >>> print(VersionMismatch(python="0.2.0", jar="0.1.0"))
    The Python package stoplog is version 0.2.0, but the jar in this Spark session is version 0.1.0. \
Make them equal: pip install stoplog==0.1.0
    """

    def __init__(self, *, python: str, jar: str) -> None:
        super().__init__(
            "STOPLOG_VERSION_MISMATCH",
            f"The Python package stoplog is version {python}, "
            f"but the jar in this Spark session is version {jar}. "
            f"Make them equal: pip install stoplog=={jar}",
        )


class ToolFailed(StoplogError):
    """A tool of the jar rejected the request, or failed. `condition` is the jar's.

    Raised by `stoplog.administer`, its plans, and commands that need Java or Spark.

    >>> ToolFailed("STOPLOG_TOOL_INCOMPLETE", "There is no java.").condition
    'STOPLOG_TOOL_INCOMPLETE'
    """
