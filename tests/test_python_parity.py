"""Holds the Python package and the jar together, in a session that has the jar."""

from __future__ import annotations

import pytest

from stoplog import FileSink, InvalidOptions
from stoplog._jvm import require_door
from stoplog._options import KEYS


@pytest.mark.usefixtures("spark")
def test_python_and_the_jar_know_the_same_options() -> None:
    assert require_door("this test", "").option_keys() == KEYS


@pytest.mark.usefixtures("spark")
def test_the_jar_refuses_all_that_is_wrong_at_once_and_by_name() -> None:
    builder = (
        FileSink.for_row_format("/data/out", "json")
        .with_option("maxPartSize", "many")
        .with_option("sinkIdd", "clicks")
    )
    with pytest.raises(InvalidOptions, match=r"(?s)maxPartSize.*sinkIdd|sinkIdd.*maxPartSize") as error:
        builder.build()
    assert error.value.condition == "STOPLOG_INVALID_OPTIONS"
    assert "JVM stacktrace" not in str(error.value)
