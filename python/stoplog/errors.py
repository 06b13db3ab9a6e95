"""What can go wrong between Python and the jar; every message says what to do about it.

A mistake in an option is not among these: the jar reports all of them at once, as an
`IllegalArgumentException` of PySpark whose condition is `STOPLOG_INVALID_OPTIONS`.
"""

from __future__ import annotations

from stoplog._version import coordinate


class StoplogError(RuntimeError):
    """The base of this package's own errors, so that one `except` catches them all.

    >>> issubclass(JarMissingError, StoplogError)
    True
    """


class NoSessionError(StoplogError):
    """A function that has to ask the JVM was called before any Spark session was started.

    >>> "getOrCreate" in str(NoSessionError())
    True
    """

    def __init__(self) -> None:
        super().__init__(
            "There is no active Spark session. Start one first:\n"
            "  spark = stoplog.configure(SparkSession.builder).getOrCreate()"
        )


class ConnectNotSupportedError(StoplogError):
    """A function that needs a JVM in this process was called on Spark Connect, which has none.

    >>> str(ConnectNotSupportedError("f()", "Do g() instead.")).splitlines()[-1]
    'Do g() instead.'
    """

    def __init__(self, function: str, instead: str) -> None:
        super().__init__(
            f"{function} calls the JVM of a classic session, and this is a Spark Connect session.\n{instead}"
        )


class JarMissingError(StoplogError):
    """The running session, or this installation, lacks the stoplog jar.

    >>> "spark-submit --packages io.github.stoplog:stoplog_2.13:" in str(JarMissingError.in_session())
    True
    """

    @classmethod
    def in_session(cls) -> JarMissingError:
        """The session runs without the jar, which can only be added before its JVM starts."""
        return cls(
            "The stoplog jar is not on the class path of this Spark session. "
            "It has to be there when Spark starts, so stop this session and use one of:\n"
            f"  spark-submit --packages {coordinate()} your_job.py\n"
            "  spark = stoplog.configure(SparkSession.builder).getOrCreate()"
        )

    @classmethod
    def in_package(cls, folder: str) -> JarMissingError:
        """The installed package carries no jar, as in a source tree that was not built."""
        return cls(
            f"This installation of stoplog carries no jar: there is none in {folder}. "
            "Install the wheel, or let Spark download the jar:\n"
            '  stoplog.configure(SparkSession.builder, mode="packages")\n'
            "or, in a source tree, build it and name it in the environment variable STOPLOG_JAR."
        )

    @classmethod
    def at(cls, path: str) -> JarMissingError:
        """The environment variable `STOPLOG_JAR` names a file that does not exist."""
        return cls(f"The environment variable STOPLOG_JAR names {path}, which is not a file.")


class VersionMismatchError(StoplogError):
    """The session's jar and this Python package come from different releases.

    >>> str(VersionMismatchError(python="0.2.0", jar="0.1.0")).splitlines()[0]
    'The Python package stoplog is version 0.2.0, but the jar in this Spark session is version 0.1.0.'
    """

    def __init__(self, *, python: str, jar: str) -> None:
        super().__init__(
            f"The Python package stoplog is version {python}, "
            f"but the jar in this Spark session is version {jar}.\n"
            "Make them equal, one of:\n"
            f"  pip install stoplog=={jar}\n"
            f"  spark-submit --packages {coordinate()} your_job.py"
        )
