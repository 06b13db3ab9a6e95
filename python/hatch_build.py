# SPDX-License-Identifier: Apache-2.0
"""Additions to the wheel: the jar of `make jar` with its bill of materials, the README, and addresses."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

_RELATIVE_LINK = re.compile(r"(!?)(\[[^\]]*\]\()(?![a-z]+://|#)")


class RequireJar(BuildHookInterface):
    """Refuse to build a wheel without exactly one jar, and that of the wheel's own version.

    An editable install takes the jar from the checkout when it is there, and so may come before it.

    The bill of materials of the jar goes where PEP 770 has it, `.dist-info/sboms`.
    """

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        jars = Path(self.root, "python", "stoplog", "jars")
        expected = f"stoplog_2.13-{self.metadata.version}.jar"
        bill = jars / expected.replace(".jar", "-cyclonedx.json")
        found = [jar.name for jar in jars.glob("*.jar")]
        if found != [expected]:
            raise SystemExit(
                f"The wheel must carry stoplog/jars/{expected} and no other jar, but has "
                f"{', '.join(found) or 'none'}: run 'make jar' in the root of the repository."
            )
        if not bill.is_file():
            raise SystemExit(
                f"The jar's {bill.name} is missing: run 'make jar' in the root of the repository."
            )
        build_data["sbom_files"].append(str(bill.relative_to(self.root)))
        # What `stoplog error` prints; in a checkout it reads them where they are.
        checkout = Path(__file__).resolve().parents[1]
        for jar in (checkout / "scala-core", *(checkout / "connectors").glob("*")):
            for kind in ("conditions.json", "guide.json"):
                for file in (jar / "src/main/resources/error").glob(f"*-{kind}"):
                    build_data["force_include"][str(file)] = f"stoplog/conditions/{jar.name}-{kind}"


class Addresses(MetadataHookInterface):
    """The links of the package, and the README with links that work outside of the repository."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        metadata["urls"] = urls(Path(self.root, "project", "Versions.scala").read_text(encoding="utf-8"))
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_whole_links(text, metadata["urls"]["Source"], metadata["version"]),
        }


def urls(versions: str) -> dict[str, str]:
    """Returns the links of the package, from the address in the text of `project/Versions.scala`.

    >>> urls('  val home = "https://s.example"')["Issues"]
    'https://s.example/source/issues'
    """
    (home,) = re.findall(r'val home\s*=\s*"([^"]+)"', versions)
    return {
        "Homepage": home,
        "Documentation": f"{home}/docs",
        "Source": f"{home}/source",
        "Issues": f"{home}/source/issues",
        "Changelog": f"{home}/docs/CHANGELOG.html",
    }


def with_whole_links(text: str, source: str, version: str) -> str:
    """Relative links of a page in the repository's root, as links to the release of this version.

    >>> with_whole_links("[a](docs/files/source.md) ![b](b.svg)", "https://s.example", "1.2.3")
    '[a](https://s.example/blob/v1.2.3/docs/files/source.md) ![b](https://s.example/raw/v1.2.3/b.svg)'
    >>> with_whole_links("[c](https://c.example) [d](#d)", "https://s.example", "1.2.3")
    '[c](https://c.example) [d](#d)'
    """
    kind = {"": "blob", "!": "raw"}
    return _RELATIVE_LINK.sub(lambda link: f"{link[0]}{source}/{kind[link[1]]}/v{version}/", text)
