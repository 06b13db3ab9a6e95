# SPDX-License-Identifier: Apache-2.0
"""The Delta table in the directory of a sink, read by delta-rs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from deltalake import DeltaTable

import stoplog
from servers.jars import jars
from stoplog.testing._difference import difference
from support.finished import files, value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from stoplog.inspection import CheckReport
    from support.place import Place


@dataclass(frozen=True, slots=True)
class Delta:
    """The table of the place's sink."""

    place: Place

    def options(self, **settings: str) -> dict[str, str]:
        """The options of a sink with the target `lake`."""
        target = {f"announce.lake.{key}": text for key, text in ({"create": "ifMissing"} | settings).items()}
        return {"announce.lake": "delta", "announceAtEnd": "5m"} | target

    def check(self) -> CheckReport:
        """Compares the table with the log and the files."""
        jvm = stoplog.Jvm(tuple(jars("delta").split(",")))
        return stoplog.inspect(self.place.out).check(options=self.options(), jvm=jvm)

    def version(self) -> int:
        """The newest version; -1 if there is no table."""
        found = (self.place.out / "_delta_log").glob("*.json")
        return max((int(file.stem) for file in found if file.stem.isdigit()), default=-1)

    def table(self, version: int | None = None) -> DeltaTable:
        return DeltaTable(str(self.place.out), version=version)

    def rows(self, version: int | None = None) -> list[str]:
        return self.table(version).to_pyarrow_table()["value"].to_pylist()

    def assert_each_once(self, rows: Iterable[str]) -> None:
        """The rows, and the visible files of the sink."""
        paths = sorted(uri.removeprefix("file://") for uri in self.table().file_uris())
        assert paths == sorted(str(file) for file in files(self.place.out))
        found = self._difference(rows)
        assert found.is_none, found.text(self.place.out)

    def assert_none_twice(self, rows: Iterable[str]) -> None:
        """Some of these rows, none twice."""
        if self.version() >= 0:
            found = self._difference(rows)
            assert found.has_no_surplus, found.text(self.place.out)

    def _difference(self, rows: Iterable[str]):
        return difference([(each, self.place.out) for each in self.rows()], rows, value)
