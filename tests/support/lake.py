# SPDX-License-Identifier: Apache-2.0
"""An Iceberg table in a Hadoop catalog, read by pyiceberg."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlparse

from pyiceberg.table import StaticTable

import stoplog
from servers.jars import jars
from stoplog.testing._difference import difference
from support.finished import files, value

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyiceberg.table.snapshots import Snapshot

    from stoplog.inspection import CheckReport
    from support.place import Place

NAME = "db.events"
_SUFFIX = ".metadata.json"


@dataclass(frozen=True, slots=True)
class Lake:
    """The table of the place's sink."""

    place: Place

    @property
    def catalog(self) -> dict[str, str]:
        """The properties of the catalog by Iceberg's names."""
        return {"type": "hadoop", "warehouse": str(self._warehouse)}

    def options(self, **settings: str) -> dict[str, str]:
        """The options of a sink with the target `lake`."""
        own = {f"catalog.{key}": text for key, text in self.catalog.items()}
        all_settings = own | {"table": NAME, "create": "ifMissing"} | settings
        target = {f"announce.lake.{key}": text for key, text in all_settings.items()}
        return {"announce.lake": "iceberg", "announceAtEnd": "5m"} | target

    def check(self) -> CheckReport:
        """Compares the table with the log and the files."""
        jvm = stoplog.Jvm(tuple(jars("iceberg").split(",")))
        return stoplog.inspect(self.place.out).check(options=self.options(), jvm=jvm)

    def version(self) -> int:
        """The number of the newest metadata file; 0 if there is no table."""
        found = (self._warehouse / "db" / "events" / "metadata").glob(f"v*{_SUFFIX}")
        return max((int(file.name[1 : -len(_SUFFIX)]) for file in found), default=0)

    def table(self) -> StaticTable:
        # After a kill, Hadoop's hint of the version may be old.
        newest = f"v{self.version()}{_SUFFIX}"
        return StaticTable.from_metadata(str(self._warehouse / "db" / "events" / "metadata" / newest))

    def snapshots(self) -> list[Snapshot]:
        return list(self.table().metadata.snapshots)

    def files(self) -> list[str]:
        """The paths of all data files of the newest snapshot, in order."""
        return sorted(self.table().inspect.data_files()["file_path"].to_pylist())

    def assert_each_once(self, rows: Iterable[str]) -> None:
        """The rows, and the visible files of the sink."""
        paths = [urlparse(file).path for file in self.files()]
        assert paths == sorted(str(file) for file in files(self.place.out))
        found = self._difference(rows)
        assert found.is_none, found.text(self._warehouse)

    def assert_none_twice(self, rows: Iterable[str]) -> None:
        """Some of these rows, none twice."""
        if self.version():
            found = self._difference(rows)
            assert found.has_no_surplus, found.text(self._warehouse)

    def _difference(self, rows: Iterable[str]):
        values = self.table().scan().to_arrow()["value"].to_pylist()
        return difference([(each, self._warehouse) for each in values], rows, value)

    @property
    def _warehouse(self) -> Path:
        return self.place.root / "warehouse"
