# SPDX-License-Identifier: Apache-2.0
"""The bridge to the JVM: no other module of this package knows py4j.

Py4j answers an unknown class with a package object, and fails later with a message that names neither;
so a class is looked at before it is used.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from stoplog._version import same_release, version
from stoplog.errors import (
    ConnectUnsupported,
    InvalidOptions,
    JarMissing,
    NoSession,
    SparkUnsupported,
    VersionMismatch,
    condition_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_FACADE = "stoplog.FileSink"
# Set by spark-submit, whose JVM runs before Python does.
_GATEWAY_PORT = "PYSPARK_GATEWAY_PORT"
_STACK_TRACE = "\n\nJVM stacktrace:"


def find_bridge() -> JvmBridge | None:
    """The bridge of the active classic session, or `None` on Spark Connect and without a session.

    Raises:
        JarMissing: the session runs without the jar.
        VersionMismatch: the session runs with the jar of another release.
    """
    # No session can be without pyspark, whose import takes longer than all the rest.
    if "pyspark" not in sys.modules or is_connect():
        return None
    jvm = _active_jvm()
    return None if jvm is None else JvmBridge(jvm)


def require_bridge(function: str, on_connect: str) -> JvmBridge:
    """The bridge, for a function that cannot do without.

    Args:
        function: the name of the called function in an error.
        on_connect: the sentence that says what to do on Spark Connect.

    Raises:
        ConnectUnsupported: this is Spark Connect.
        NoSession: no session was started.
    """
    if is_connect():
        raise ConnectUnsupported(function, on_connect)
    bridge = find_bridge()
    if bridge is None:
        raise NoSession
    return bridge


def is_connect() -> bool:
    """True if this process talks to Spark through Spark Connect.

    Raises:
        SparkUnsupported: Spark is too old.
    """
    import pyspark

    # Before the first import of what older versions do not have.
    if int(pyspark.__version__.partition(".")[0]) < 4:
        raise SparkUnsupported(pyspark.__version__)
    from pyspark.sql import is_remote

    return is_remote()


def jvm_has_jar() -> bool | None:
    """True if the JVM of this process has the jar; `None` when no JVM runs yet."""
    from pyspark import SparkContext

    if SparkContext._gateway is None and _GATEWAY_PORT not in os.environ:
        return None
    SparkContext._ensure_initialized()
    return _is_class(getattr(SparkContext._jvm, _FACADE))


class JvmBridge:
    """The bridge to a classic session's JVM. Answers of type `Any` are objects of the jar.

    Args:
        jvm: py4j's view of the JVM.

    Raises:
        JarMissing: its class path lacks the jar.
        VersionMismatch: its jar is of another release than this package.
    """

    __slots__ = ("_facade", "_jvm")

    def __init__(self, jvm: Any) -> None:
        self._jvm = jvm
        self._facade = getattr(jvm, _FACADE)
        if not _is_class(self._facade):
            raise JarMissing.in_session()
        jar_version = str(self._facade.version())
        if not same_release(version(), jar_version):
            raise VersionMismatch(python=version(), jar=jar_version)

    def validate(self, facade: str, artifact: str, options: Mapping[str, str]) -> None:
        """Has a facade parse the options.

        Args:
            facade: the class of the jar that knows the options.
            artifact: the name of the facade's jar.
            options: of the facade's sink or source.

        Raises:
            InvalidOptions: the jar refused some options; the message lists all of them.
            JarMissing: the session runs without the facade's jar.
        """
        found = self._found(facade, artifact)
        with _refusals():
            found.fromOptions(self._java_map(options))

    def ask_connector(
        self, facade: str, artifact: str, method: str, *arguments: str | Mapping[str, str]
    ) -> object:
        """The answer of a static method of a connector's facade.

        Raises:
            InvalidOptions: it refused, by name.
            JarMissing: the session runs without the connector's jar.
        """
        found = self._found(facade, artifact)
        with _refusals():
            java = [each if isinstance(each, str) else self._java_map(each) for each in arguments]
            return getattr(found, method)(*java)

    def await_finished(self, run_id: str, timeout_millis: int) -> bool:
        """True if the run's finalizing was over within the timeout."""
        return bool(self._facade.awaitFinished(run_id, timeout_millis))

    def final_metrics(self, run_id: str) -> Mapping[str, str]:
        """The numbers of a run that is over; none of one that is not, or is no sink's."""
        found = self._facade.finalMetrics(run_id)
        return {str(key): str(found.get(key)) for key in found.keySet()}

    def stop_after_batch(self, query: StreamingQuery, timeout_millis: int, at_stop: str) -> str:
        """Stops a query between two of its batches; how it was stopped, by the jar's name of it."""
        stopped = self._stopping.afterBatch(_java(query), timeout_millis, self._at_stop(at_stop))
        return str(stopped.toString())

    def stop_on_shutdown(
        self, query: StreamingQuery, timeout_millis: int, at_stop: str
    ) -> Callable[[], None]:
        """Does so when the JVM is asked to end. What it returns undoes that."""
        hook = self._stopping.onShutdown(_java(query), timeout_millis, self._at_stop(at_stop))
        return lambda: hook.close()

    def stop_on_marker(
        self, query: StreamingQuery, marker: str, every_millis: int, timeout_millis: int, at_stop: str
    ) -> Callable[[], None]:
        """Does so when there is such a file. What it returns undoes that."""
        open_at_stop = self._at_stop(at_stop)
        watch = self._stopping.onMarker(_java(query), marker, every_millis, timeout_millis, open_at_stop)
        return lambda: watch.close()

    @property
    def _stopping(self) -> Any:
        return getattr(self._jvm, "stoplog.GracefulStop")

    def _at_stop(self, word: str) -> Any:
        return getattr(self._jvm, "stoplog.OpenAtStop").of(word)

    def preflight(self, df: DataFrame, options: Mapping[str, str]) -> Any:
        """The jar's `stoplog.preflight.Preflight` of a query that writes these rows."""
        rows: Any = df
        return self._facade.checkOf(rows._jdf, self._java_map(options))

    def planned_merges(self, spark: SparkSession, path: str, options: Mapping[str, str]) -> Any:
        """The jar's list of the merges that the batch command would make."""
        return self._compaction(spark, path, options).planAsList()

    def run_merges(self, spark: SparkSession, path: str, options: Mapping[str, str]) -> Any:
        """Runs the batch command; answers the jar's list of the merges that it has made."""
        return self._compaction(spark, path, options).runAsList()

    def _compaction(self, spark: SparkSession, path: str, options: Mapping[str, str]) -> Any:
        session: Any = spark
        return self._facade.compactDirectoryOf(session._jsparkSession, path, self._java_map(options))

    def _java_map(self, options: Mapping[str, str]) -> Any:
        java_map = getattr(self._jvm, "java.util.HashMap")()
        for key, value in options.items():
            java_map.put(key, value)
        return java_map

    def option_keys(self, facade: str, artifact: str) -> frozenset[str]:
        """The keys in the registry of a facade."""
        return frozenset(str(key) for key in self._found(facade, artifact).optionKeys())

    def _found(self, facade: str, artifact: str) -> Any:
        found = getattr(self._jvm, facade)
        if not _is_class(found):
            raise JarMissing.of_connector(artifact)
        return found


@contextmanager
def _refusals() -> Iterator[None]:
    """Turns a refusal of the jar that has a name into an error of this package."""
    try:
        yield
    except Exception as error:
        condition = condition_of(error)
        if condition is None or not condition.startswith("STOPLOG_"):
            raise
        raise InvalidOptions(condition, _message(error)) from None


def _java(query: StreamingQuery) -> Any:
    classic: Any = query
    return classic._jsq


def _active_jvm() -> Any:
    from pyspark import SparkContext

    # Not SparkSession.getActiveSession(), which is empty in a thread that did not start the session.
    return None if SparkContext._active_spark_context is None else SparkContext._jvm


def _is_class(found: object) -> bool:
    # By import_module, because py4j has no types.
    return not isinstance(found, import_module("py4j.java_gateway").JavaPackage)


def _message(error: Exception) -> str:
    return str(error).partition(_STACK_TRACE)[0]
