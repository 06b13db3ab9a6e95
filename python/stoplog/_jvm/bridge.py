# SPDX-License-Identifier: Apache-2.0
"""The bridge to the JVM: the only module of this package that uses py4j.

Py4j returns a package object for an unknown class, and a later call fails with a message without the name.
Therefore the bridge checks each class before use.
"""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from stoplog._shared.version import same_release, version
from stoplog.errors import (
    ConnectUnsupported,
    InvalidOptions,
    JarMissing,
    NoSession,
    NotAStoplogQuery,
    SparkUnsupported,
    VersionMismatch,
    condition_of,
)
from stoplog.errors.base import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

_FACADE = "stoplog.FileSink"
# Set by spark-submit, whose JVM starts before Python.
_GATEWAY_PORT = "PYSPARK_GATEWAY_PORT"


def find_bridge() -> JvmBridge | None:
    """Returns the bridge of the active classic session; `None` on Spark Connect and without a session.

    Raises:
        JarMissing: the session runs without the jar.
        VersionMismatch: the session runs with the jar of another release.
    """
    # No session exists without pyspark, and the import of pyspark takes longer than all other steps.
    if "pyspark" not in sys.modules or is_connect():
        return None
    jvm = _active_jvm()
    return None if jvm is None else JvmBridge(jvm)


def require_bridge(function: str, on_connect: str) -> JvmBridge:
    """Returns the bridge, for a function that requires a classic session.

    Args:
        function: the name of the called function in an error.
        on_connect: the sentence with the alternative on Spark Connect.

    Raises:
        ConnectUnsupported: the session is a Spark Connect session.
        NoSession: no session was started.
    """
    if is_connect():
        raise ConnectUnsupported(function, on_connect)
    bridge = find_bridge()
    if bridge is None:
        raise NoSession
    return bridge


def is_connect() -> bool:
    """Returns true if this process uses Spark through Spark Connect.

    Raises:
        SparkUnsupported: Spark is too old.
    """
    import pyspark

    # The check precedes the first import of a module that older versions lack.
    if int(pyspark.__version__.partition(".")[0]) < 4:
        raise SparkUnsupported(pyspark.__version__)
    from pyspark.sql import is_remote

    return is_remote()


def jvm_has_jar() -> bool | None:
    """Returns true if the JVM of this process has the jar; `None` before the start of a JVM."""
    from pyspark import SparkContext

    if SparkContext._gateway is None and _GATEWAY_PORT not in os.environ:
        return None
    SparkContext._ensure_initialized()
    return _is_class(getattr(SparkContext._jvm, _FACADE))


class JvmBridge:
    """The bridge to a classic session's JVM. Results of type `Any` are objects of the jar.

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
        """Parses the options with a facade of the jar.

        Args:
            facade: the class of the jar that defines the options.
            artifact: the name of the facade's jar.
            options: the options of the facade's sink or source.

        Raises:
            InvalidOptions: the jar rejected some options; the message lists all of them.
            JarMissing: the session runs without the facade's jar.
        """
        found = self._found(facade, artifact)
        with _refusals(artifact):
            found.fromOptions(self._java_map(options))

    def ask_connector(
        self, facade: str, artifact: str, method: str, *arguments: str | Mapping[str, str]
    ) -> object:
        """Calls a static method of a connector's facade, and returns the result.

        Raises:
            InvalidOptions: the facade rejected the call, with a named condition.
            JarMissing: the session runs without the connector's jar.
        """
        found = self._found(facade, artifact)
        with _refusals(artifact):
            java = [each if isinstance(each, str) else self._java_map(each) for each in arguments]
            return getattr(found, method)(*java)

    def await_finished(self, query: StreamingQuery, timeout_millis: int) -> Any:
        """Returns the jar's `stoplog.Finished` of a query.

        Raises:
            NotAStoplogQuery: the query writes to another sink.
        """
        with _other_queries(query):
            return self._facade.awaitFinished(_java(query), timeout_millis)

    def refuse_other(self, query: StreamingQuery) -> None:
        """Rejects a query of another sink. Reads no storage, which may hang.

        Raises:
            NotAStoplogQuery: the query writes to another sink.
        """
        with _other_queries(query):
            self._facade.refuseOther(_java(query))

    def final_metrics(self, run_id: str) -> Mapping[str, str]:
        """Returns the final metrics of an ended run; an empty map for a running run or one without a sink."""
        found = self._facade.finalMetrics(run_id)
        return {str(key): str(found.get(key)) for key in found.keySet()}

    def stop_after_batch(self, query: StreamingQuery, timeout_millis: int, at_stop: str) -> str:
        """Stops a query between two batches. Returns the outcome, by the name of the jar's type."""
        stopped = self._stopping.afterBatch(_java(query), timeout_millis, self._at_stop(at_stop))
        return str(stopped.toString())

    def stop_on_shutdown(
        self, query: StreamingQuery, timeout_millis: int, at_stop: str
    ) -> Callable[[], None]:
        """Stops a query when the JVM shuts down. The returned function removes the hook."""
        hook = self._stopping.onShutdown(_java(query), timeout_millis, self._at_stop(at_stop))
        return lambda: hook.close()

    def stop_on_marker(
        self, query: StreamingQuery, marker: str, every_millis: int, timeout_millis: int, at_stop: str
    ) -> Callable[[], None]:
        """Stops a query when the marker file exists. The returned function ends the watch."""
        open_at_stop = self._at_stop(at_stop)
        watch = self._stopping.onMarker(_java(query), marker, every_millis, timeout_millis, open_at_stop)
        return lambda: watch.close()

    @property
    def _stopping(self) -> Any:
        return getattr(self._jvm, "stoplog.GracefulStop")

    def _at_stop(self, word: str) -> Any:
        return getattr(self._jvm, "stoplog.OpenAtStop").of(word)

    def preflight(self, df: DataFrame, options: Mapping[str, str]) -> Any:
        """Returns the jar's `stoplog.preflight.Preflight` of a query that writes these rows."""
        rows: Any = df
        return self._facade.checkOf(rows._jdf, self._java_map(options))

    def planned_merges(self, spark: SparkSession, path: str, options: Mapping[str, str]) -> Any:
        """Returns the jar's list of the compactions that the batch command would make."""
        return self._compaction(spark, path, options).planAsList()

    def run_merges(self, spark: SparkSession, path: str, options: Mapping[str, str]) -> Any:
        """Runs the batch command; returns the jar's list of the completed and the failed compactions."""
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
        """Returns the option keys in the registry of a facade."""
        return frozenset(str(key) for key in self._found(facade, artifact).optionKeys())

    def _found(self, facade: str, artifact: str) -> Any:
        found = getattr(self._jvm, facade)
        if not _is_class(found):
            raise JarMissing.of_connector(artifact)
        return found


@contextmanager
def _refusals(artifact: str) -> Iterator[None]:
    """Converts rejections by the jar with a named condition to errors of this package.

    A connector whose client is missing fails with an error of the JVM, before it can reject anything.
    """
    try:
        yield
    except Exception as error:
        condition = condition_of(error)
        lost = re.search(r"java\.lang\.NoClassDefFoundError: ([^\n]+)", str(error))
        if lost and condition is None:
            raise JarMissing.of_client(artifact, lost[1].replace("/", ".")) from None
        if condition is None or not condition.startswith("STOPLOG_"):
            raise
        raise InvalidOptions(condition, text_of(error)) from None


@contextmanager
def _other_queries(query: StreamingQuery) -> Iterator[None]:
    """Converts the rejection of a query of another sink."""
    try:
        yield
    except Exception as error:
        if condition_of(error) == "STOPLOG_NOT_A_STOPLOG_QUERY":
            raise NotAStoplogQuery(str(query.name or query.runId)) from None
        raise


def _java(query: StreamingQuery) -> Any:
    classic: Any = query
    return classic._jsq


def _active_jvm() -> Any:
    from pyspark import SparkContext

    # Not SparkSession.getActiveSession(), which is empty in threads that did not start the session.
    return None if SparkContext._active_spark_context is None else SparkContext._jvm


def _is_class(found: object) -> bool:
    # Uses import_module because py4j has no types.
    return not isinstance(found, import_module("py4j.java_gateway").JavaPackage)
