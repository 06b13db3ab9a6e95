# SPDX-License-Identifier: Apache-2.0
"""What the wheel has besides Python: the jar of `make jar`, in stoplog/jars, and its bill of materials."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class RequireJar(BuildHookInterface):
    """Refuse to build a wheel without exactly one jar, and that of the wheel's own version.

    The bill of materials of the jar goes where PEP 770 has it, `.dist-info/sboms`.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        jars = Path(self.root, "stoplog", "jars")
        expected = f"stoplog_2.13-{self.metadata.version}.jar"
        bill = jars / expected.replace(".jar", "-cyclonedx.json")
        found = [jar.name for jar in jars.glob("*.jar")]
        if found != [expected]:
            raise SystemExit(
                f"The wheel must carry stoplog/jars/{expected} and no other jar, but has "
                f"{', '.join(found) or 'none'}: run 'make wheel' in the root of the repository."
            )
        if not bill.is_file():
            raise SystemExit(
                f"The jar's {bill.name} is missing: run 'make wheel' in the root of the repository."
            )
        build_data["sbom_files"].append(str(bill.relative_to(self.root)))
