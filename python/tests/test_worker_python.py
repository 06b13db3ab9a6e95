# SPDX-License-Identifier: Apache-2.0
"""The Python of Spark's workers, as far as the driver can tell it."""

from __future__ import annotations

import sys
import warnings
from types import SimpleNamespace
from typing import Any

import pytest

from stoplog._async.worker_python import warn_of_other_python


def rows(master: str, python: str) -> Any:
    context = SimpleNamespace(master=master, pythonExec=python)
    return SimpleNamespace(sparkSession=SimpleNamespace(_sc=context))


def test_workers_of_another_python_cause_a_warning() -> None:
    with pytest.warns(UserWarning, match=r"workers are /other/bin/python3, .* Set .* PYSPARK_PYTHON"):
        warn_of_other_python(rows("local[2]", "/other/bin/python3"))


@pytest.mark.parametrize(
    "df",
    [
        rows("local[2]", sys.executable),
        rows("spark://host:7077", "/other/bin/python3"),
        SimpleNamespace(sparkSession=SimpleNamespace()),
    ],
    ids=["this Python", "a cluster", "Spark Connect"],
)
def test_no_warning_is_given_elsewhere(df: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_of_other_python(df)
