# SPDX-License-Identifier: Apache-2.0
"""Where unfinished parts lie, by the settings that the log notes: the jar's `PartLayout`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class InBucket:
    """Beside the finished parts, between markers, as `inProgress=bucket` puts them."""

    sink_id: str
    in_progress: tuple[str, str]
    pending: tuple[str, str]

    @classmethod
    def of(cls, sink_id: str, settings: Mapping[str, str]) -> InBucket | None:
        """`None` for a sink whose parts lie in the staging directory."""
        if settings.get("inProgress") != "bucket":
            return None
        return cls(
            sink_id,
            (settings.get("inProgressPrefix", "_"), settings.get("inProgressSuffix", ".in-progress")),
            (settings.get("pendingPrefix", "_"), settings.get("pendingSuffix", ".pending")),
        )

    def pending_of(self, token: str) -> str | None:
        """Where a part lies once it is closed, from its in-progress path.

        >>> layout = InBucket("main", ("_", ".in-progress"), ("_", ".pending"))
        >>> layout.pending_of("b/_a.in-progress.main-6f1c2f3e8a4b-00112233445566aa")
        'b/_a.pending.main-6f1c2f3e8a4b-00112233445566aa'
        """
        found = self._matched(self.in_progress, token)
        return f"{found[0]}{self.pending[0]}{found[1]}{self.pending[1]}{found[2]}" if found else None

    def token_of(self, path: str) -> str | None:
        """The in-progress path of an unfinished file; `None` for any other file."""
        found = self._matched(self.in_progress, path) or self._matched(self.pending, path)
        if found is None:
            return None
        return f"{found[0]}{self.in_progress[0]}{found[1]}{self.in_progress[1]}{found[2]}"

    def finished_of(self, path: str) -> str | None:
        """The finished path of an unfinished file; `None` for any other file."""
        found = self._matched(self.in_progress, path) or self._matched(self.pending, path)
        return f"{found[0]}{found[1]}" if found else None

    def _matched(self, markers: tuple[str, str], path: str) -> tuple[str, str, str] | None:
        directory, slash, name = path.rpartition("/")
        end = rf"\.{re.escape(self.sink_id)}-[0-9a-f]{{12}}-[0-9a-f]{{16}}"
        pattern = f"{re.escape(markers[0])}(.+){re.escape(markers[1])}({end})"
        found = re.fullmatch(pattern, name, re.DOTALL)
        return (directory + slash, found.group(1), found.group(2)) if found else None
