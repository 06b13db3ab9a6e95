# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import importlib
import pickle
import pkgutil

import pytest

import stoplog
from stoplog import (
    ConnectUnsupported,
    InvalidOptions,
    JarMissing,
    NoSession,
    StoplogError,
    VersionMismatch,
    condition_of,
    errors,
    packages,
)


class SparkError(Exception):
    """Shaped as PySpark's: its own condition, and the JVM's cause in `_cause`."""

    def __init__(self, message: str, condition: str | None = None, cause: Exception | None = None) -> None:
        super().__init__(message)
        self._condition = condition
        self._cause = cause

    def getCondition(self) -> str | None:
        return self._condition


ERRORS = [
    NoSession(),
    InvalidOptions("STOPLOG_USER_CODE", "no such class"),
    ConnectUnsupported("f()", "Call g() instead."),
    JarMissing.in_session(),
    VersionMismatch(python="2", jar="1"),
]


@pytest.mark.parametrize("error", ERRORS, ids=lambda error: type(error).__name__)
def test_errors_keep_condition_and_message_through_pickle(error: StoplogError) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert (back.condition, str(back)) == (error.condition, str(error))
    assert condition_of(back) == error.condition


def test_invalid_options_are_a_value_error() -> None:
    with pytest.raises(ValueError, match="no such class"):
        raise ERRORS[1]


def test_a_missing_jar_names_the_command_to_type() -> None:
    message = str(JarMissing.in_session())
    assert f"spark-submit --packages {packages()}" in message
    assert "stoplog.configure(SparkSession.builder)" in message


def test_the_condition_is_found_in_the_message_of_a_failed_task() -> None:
    text = (
        "[STREAM_FAILED] Query terminated with exception: Job aborted due to stage failure: "
        "stoplog.error.StoplogException: [STOPLOG_NULL_VALUE] Column 'value' is null. SQLSTATE: 22004"
    )
    assert condition_of(SparkError(text, "STREAM_FAILED")) == "STOPLOG_NULL_VALUE"


def test_the_condition_is_found_in_causes_of_either_kind() -> None:
    inner = SparkError("[STOPLOG_FENCED] Another run took over.", "STOPLOG_FENCED")
    assert condition_of(SparkError("ended", "STREAM_FAILED", cause=inner)) == "STOPLOG_FENCED"
    outer = RuntimeError("ended")
    outer.__cause__ = inner
    assert condition_of(outer) == "STOPLOG_FENCED"


def test_an_error_of_spark_itself_has_sparks_condition() -> None:
    assert condition_of(SparkError("no table", "TABLE_OR_VIEW_NOT_FOUND")) == "TABLE_OR_VIEW_NOT_FOUND"
    assert condition_of(SparkError("nothing known")) is None


def test_a_circle_of_causes_ends() -> None:
    one, two = RuntimeError("1"), RuntimeError("2")
    one.__cause__, two.__cause__ = two, one
    assert condition_of(one) is None


def subclasses(kind: type[StoplogError]) -> set[type[StoplogError]]:
    return {kind}.union(*map(subclasses, kind.__subclasses__()))


def test_the_module_of_errors_has_every_class_that_a_caller_may_catch() -> None:
    for module in pkgutil.walk_packages(stoplog.__path__, "stoplog."):
        if not module.name.startswith(("stoplog.templates", "stoplog.testing._child")):
            importlib.import_module(module.name)
    own = {each for each in subclasses(StoplogError) if each.__module__.startswith("stoplog.")}
    assert {each.__name__ for each in own} <= set(errors.__all__)
    assert all(getattr(errors, each.__name__) is each for each in own)
