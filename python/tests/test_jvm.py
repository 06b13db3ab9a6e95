# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from typing import Any, cast

import pytest
from fakes import JavaObject
from py4j.java_gateway import JavaPackage

from stoplog import (
    FileSink,
    InvalidOptions,
    JarMissing,
    NoSession,
    NotAStoplogQuery,
    SparkUnsupported,
    VersionMismatch,
    await_finished,
)
from stoplog._jvm import bridge
from stoplog._jvm.bridge import is_connect
from stoplog._shared.version import version

JVM_TRACE = "\n\nJVM stacktrace:\nstoplog.error.StoplogArgumentException\n\tat stoplog.FileSink"


class JavaMap(dict[str, str]):
    def put(self, key: str, value: str) -> None:
        self[key] = value


class Facade:
    """The jar's side of the bridge."""

    def __init__(self, version: str) -> None:
        self._version = version

    def version(self) -> str:
        return self._version

    def fromOptions(self, options: JavaMap) -> None:
        if "bogus" in options:
            raise RuntimeError(f"[STOPLOG_INVALID_OPTIONS] There is no option bogus.{JVM_TRACE}")
        if "broken" in options:
            raise RuntimeError("connection lost")
        if "lost" in options:
            raise RuntimeError(
                f"An error.\n: java.lang.NoClassDefFoundError: {options['lost']}\n\tat stoplog.X"
            )

    def awaitFinished(self, query: object, timeout_millis: int) -> JavaObject:
        if query == "other":
            raise RuntimeError(f"[STOPLOG_NOT_A_STOPLOG_QUERY] The query other.{JVM_TRACE}")
        if query == "broken":
            raise RuntimeError("connection lost")
        in_time = (query, timeout_millis) == ("java query", 2500)
        return JavaObject(inTime=in_time, openParts=0, rows=0, bytes=0)

    def refuseOther(self, query: object) -> None:
        if query == "other":
            raise RuntimeError(f"[STOPLOG_NOT_A_STOPLOG_QUERY] The query other.{JVM_TRACE}")

    def optionKeys(self) -> list[str]:
        return ["path", "format"]


def jvm_with(facade: object) -> Any:
    names = {"stoplog.FileSink": facade, "java.util.HashMap": JavaMap}
    return type("Jvm", (), {"__getattr__": lambda _, name: names[name]})()


def start_session(monkeypatch: pytest.MonkeyPatch, facade: object) -> None:
    pytest.importorskip("pyspark")
    monkeypatch.setattr(bridge, "is_connect", lambda: False)
    monkeypatch.setattr(bridge, "_active_jvm", lambda: jvm_with(facade))


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> None:
    start_session(monkeypatch, Facade(version()))


@pytest.fixture
def connect(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "is_connect", lambda: True)


class Query:
    runId = "run-1"
    name = None

    def __init__(self, java: str = "java query") -> None:
        self._jsq = java


QUERY: Any = Query()


@pytest.mark.usefixtures("session")
def test_valid_options_are_kept_unchanged() -> None:
    sink = FileSink.for_row_format("/data/out", "json").build()
    assert sink.options() == {"path": "/data/out", "format": "json"}


@pytest.mark.usefixtures("session")
def test_rejected_options_raise_an_error_with_the_condition_and_without_java_frames() -> None:
    with pytest.raises(InvalidOptions) as e:
        FileSink.for_row_format("/data/out", "json").with_option("bogus", 1).build()
    assert e.value.condition == "STOPLOG_INVALID_OPTIONS"
    assert str(e.value) == "[STOPLOG_INVALID_OPTIONS] There is no option bogus."
    assert e.value.__suppress_context__


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize(
    ("lost", "connector"),
    [
        ("org/apache/kafka/common/KafkaException", "stoplog_2.13"),
        ("com/datastax/oss/driver/api/core/CqlSession", "stoplog-cassandra_2.13"),
    ],
)
def test_a_connector_without_its_client_names_the_package(lost: str, connector: str) -> None:
    with pytest.raises(JarMissing) as e:
        FileSink.for_row_format("/data/out", "json").with_option("lost", lost).build()
    assert lost.replace("/", ".") in str(e.value)
    assert f"io.github.stoplog:{connector}:{version()}" in str(e.value)


@pytest.mark.usefixtures("session")
def test_a_failure_outside_of_the_jar_is_raised_unchanged() -> None:
    with pytest.raises(RuntimeError, match="connection lost"):
        FileSink.for_row_format("/data/out", "json").with_option("broken", 1).build()


def test_a_session_without_the_jar_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    start_session(monkeypatch, JavaPackage("stoplog.FileSink", None))
    with pytest.raises(JarMissing, match="--packages"):
        FileSink.for_row_format("/data/out", "json").build()


def test_a_jar_of_another_release_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    start_session(monkeypatch, Facade("99.0.0"))
    with pytest.raises(VersionMismatch, match=r"pip install stoplog==99\.0\.0"):
        FileSink.for_row_format("/data/out", "json").build()


@pytest.mark.usefixtures("session")
def test_await_finished_passes_the_timeout_in_milliseconds() -> None:
    assert await_finished(QUERY, timeout=2.5)
    assert not await_finished(QUERY, timeout=1)


@pytest.mark.usefixtures("session")
def test_await_finished_refuses_a_query_of_another_sink_and_passes_other_failures_on() -> None:
    with pytest.raises(NotAStoplogQuery, match="run-1"):
        await_finished(cast("Any", Query("other")))
    with pytest.raises(RuntimeError, match="connection lost"):
        await_finished(cast("Any", Query("broken")))


@pytest.mark.usefixtures("session")
def test_the_owner_of_a_query_is_known_without_its_storage() -> None:
    found = bridge.require_bridge("stoplog.stop_after_batch()", "")
    found.refuse_other(cast("Any", Query("broken")))
    with pytest.raises(NotAStoplogQuery, match="run-1"):
        found.refuse_other(cast("Any", Query("other")))


def test_await_finished_rejects_a_negative_timeout() -> None:
    with pytest.raises(ValueError, match="-1"):
        await_finished(QUERY, timeout=-1)


@pytest.mark.usefixtures("connect")
def test_on_connect_a_sink_is_built_and_not_validated() -> None:
    sink = FileSink.for_row_format("/data/out", "json").with_option("bogus", 1).build()
    assert sink.options()["bogus"] == "1"


def test_await_finished_needs_a_session(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge, "is_connect", lambda: False)
    monkeypatch.setattr(bridge, "_active_jvm", lambda: None)
    with pytest.raises(NoSession):
        await_finished(QUERY)


@pytest.mark.usefixtures("session")
def test_option_keys_are_read_from_the_jar() -> None:
    assert bridge.require_bridge("f()", "").option_keys("stoplog.FileSink", "stoplog") == {"path", "format"}


def test_an_old_spark_is_rejected_with_the_required_versions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyspark.__version__", "3.5.7")
    with pytest.raises(SparkUnsupported, match=r"needs Spark 4\.0 to 4\.3, found 3\.5\.7") as raised:
        is_connect()
    assert raised.value.condition == "STOPLOG_SPARK_UNSUPPORTED"
