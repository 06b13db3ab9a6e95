# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

# Beside the tests, whatever the directory that pytest was started in.
sys.path.insert(0, str(Path(__file__).parent))

from servers.jars import jars
from support.jobs import QUICK_JVM
from support.place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

# The plugin of the wheel, also where a checkout is tested that is not installed.
pytest_plugins = ["stoplog.testing.plugin"]


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    """One session for all tests that kill nothing. A failed task is tried again, up to four times."""
    from pyspark.sql import SparkSession

    import stoplog

    builder = (
        SparkSession.builder.master("local[2,4]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.jars", jars())
        .config("spark.driver.extraJavaOptions", QUICK_JVM)
        # One task for each input file.
        .config("spark.sql.files.openCostInBytes", "128m")
    )
    session = stoplog.configure(builder).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Empty directories for one query."""
    return Place(tmp_path / "query")
