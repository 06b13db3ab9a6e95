# SPDX-License-Identifier: Apache-2.0
"""What an index of packages shows of the wheel, and a Maven repository of the jars."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from importlib import metadata

from steps import ROOT

MAVEN = "{http://maven.apache.org/POM/4.0.0}"
VERSION = metadata.version("stoplog")


def test_the_page_of_the_wheel_is_the_readme_with_absolute_links() -> None:
    page = str(metadata.metadata("stoplog").json["description"])
    assert page.startswith("# stoplog")
    links = re.findall(r"\]\(([^)]+)\)", page)
    assert f"{urls()['Source']}/blob/v{VERSION}/docs/correctness/guarantees.md" in links
    assert f"{urls()['Source']}/raw/v{VERSION}/docs/images/file-sizes.svg" in links
    assert [link for link in links if not link.startswith(("https://", "#"))] == []


def test_wheel_and_jar_name_the_same_addresses() -> None:
    folder = ROOT / "build" / "repo" / "io" / "github" / "stoplog" / "stoplog_2.13" / VERSION
    pom = ElementTree.parse(folder / f"stoplog_2.13-{VERSION}.pom").getroot()
    assert pom.findtext(f"{MAVEN}url") == urls()["Homepage"]
    assert pom.findtext(f"{MAVEN}scm/{MAVEN}url") == urls()["Source"]
    assert pom.findtext(f"{MAVEN}organization/{MAVEN}name") == "stoplog"
    assert pom.find(f"{MAVEN}developers/{MAVEN}developer") is not None


def test_the_package_has_no_required_dependency() -> None:
    needed = metadata.requires("stoplog") or []
    assert [each for each in needed if "extra ==" not in each] == []


def urls() -> dict[str, str]:
    pairs = metadata.metadata("stoplog").get_all("Project-URL") or []
    return dict(pair.split(", ", 1) for pair in pairs)
