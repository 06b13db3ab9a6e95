# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

# The servers and the support of the tests, in whichever directory pytest was started.
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from servers import cassandra, kafka
from servers.databases import postgres
from servers.jars import jars
from support import jvm, order, passed, tried
from support.place import Place

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession
    from xdist.remote import Producer
    from xdist.scheduler import Scheduling

    from servers import Cassandra, KafkaBroker
    from servers.databases import Database

# The plugin of the wheel, also where a checkout is tested that is not installed.
pytest_plugins = ["pytest_stoplog"]


def pytest_configure(config: pytest.Config) -> None:
    if not config.option.collectonly:
        jvm.prepare()
        passed.record(config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    passed.deselect(config, items)
    order.longest_first(items)
    tried.report(items)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> Scheduling:
    """Whatever `--dist` says; `--dist loadgroup` of pytest-xdist 3.8 does not see groups under pytest 9.2."""
    from xdist.scheduler import LoadScopeScheduling

    class ByGroup(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return order.group(nodeid)

    config.option.loadscopereorder = False  # it would begin with the largest groups, not with the longest
    return ByGroup(config, log)


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
        # One task for each input file.
        .config("spark.sql.files.openCostInBytes", "128m")
    )
    session = stoplog.configure(builder).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KafkaBroker]:
    with kafka(tmp_path_factory.mktemp("broker")) as running:
        yield running


@pytest.fixture(scope="session")
def database(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    with postgres(tmp_path_factory.mktemp("postgres")) as server:
        yield server


@pytest.fixture(scope="session")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cassandra]:
    """With the keyspace `e2e`."""
    with cassandra(tmp_path_factory.mktemp("cassandra")) as running:
        running.cql(
            "CREATE KEYSPACE e2e WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"
        )
        yield running


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Empty directories for one query."""
    return Place(tmp_path / "query")
