"""What the wheel must carry besides Python: the jar that `make jar` leaves in stoplog/jars."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class RequireJar(BuildHookInterface):
    """Refuse to build a wheel without exactly one jar, and that of the wheel's own version."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        expected = f"stoplog_2.13-{self.metadata.version}.jar"
        found = [jar.name for jar in Path(self.root, "stoplog", "jars").glob("*.jar")]
        if found != [expected]:
            raise SystemExit(
                f"The wheel must carry stoplog/jars/{expected} and no other jar, but has "
                f"{', '.join(found) or 'none'}: run 'make wheel' in the root of the repository."
            )
