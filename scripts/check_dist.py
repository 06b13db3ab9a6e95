# SPDX-License-Identifier: Apache-2.0
"""Refuse a release that lacks something, or whose parts do not belong together.

usage: check_dist.py DIST VERSION       (in the environment of python/requirements/dist.txt)
"""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import connectors

GROUP = "io.github.stoplog"
ARTIFACTS = (
    "stoplog_2.13",
    "stoplog-laws_2.13",
    *(f"stoplog-{id}_2.13" for id in connectors.ids()),
)
MAVEN = "{http://maven.apache.org/POM/4.0.0}"
JARS = (".jar", "-sources.jar", "-javadoc.jar")
FILES = (*JARS, ".pom", "-cyclonedx.json")
LICENSE = "META-INF/LICENSE"
OWN = ("stoplog/", "error/stoplog-", "META-INF/")


@dataclass(frozen=True, slots=True)
class Artifact:
    """One artifact of the Maven repository under `repo`."""

    repository: Path
    name: str
    version: str

    def file(self, end: str) -> Path:
        """The file whose name ends so."""
        folder = self.repository / GROUP.replace(".", "/") / self.name / self.version
        return folder / f"{self.name}-{self.version}{end}"

    @property
    def purl(self) -> str:
        return f"pkg:maven/{GROUP}/{self.name}@{self.version}"


def main(dist: Path, version: str) -> list[str]:
    """Return everything that is wrong as a sentence; nothing when all is well."""
    artifacts = [Artifact(dist / "repo", name, version) for name in ARTIFACTS]
    missing = [problem for artifact in artifacts for problem in missing_files(artifact)]
    if missing:
        return missing
    problems = [problem for artifact in artifacts for problem in of_artifact(artifact)]
    return [*problems, *strangers(dist / "repo", artifacts), *of_wheels(dist, artifacts[0])]


def missing_files(artifact: Artifact) -> list[str]:
    return [f"{artifact.file(end).name} is missing." for end in FILES if not artifact.file(end).is_file()]


def of_artifact(artifact: Artifact) -> Iterator[str]:
    for end in JARS:
        if LICENSE not in names(artifact.file(end)):
            yield f"{artifact.file(end).name} has no {LICENSE}."
    foreign = [name for name in names(artifact.file(".jar")) if not name.startswith(OWN)]
    if foreign:
        yield f"{artifact.file('.jar').name} bundles {foreign[0]}, of which no bill of materials tells."
    text = artifact.file("-cyclonedx.json").read_text(encoding="utf-8")
    yield from (f"{artifact.file('-cyclonedx.json').name}: {why}" for why in of_bill(artifact, text))


def of_bill(artifact: Artifact, text: str) -> Iterator[str]:
    """A bill is valid by its schema, of this artifact, and has all that the POM asks for."""
    yield from invalid(text)
    bill = json.loads(text)
    told = bill["metadata"]["component"]["purl"]
    if told != artifact.purl:
        yield f"it is of {told}."
    listed = {component["purl"].partition("?")[0] for component in bill["components"]}
    for needed in required(artifact.file(".pom")):
        if needed not in listed:
            yield f"it does not list {needed}, which the POM asks for."


def invalid(text: str) -> Iterable[str]:
    """What the schema of CycloneDX has against a document."""
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    version = SchemaVersion.from_version(json.loads(text)["specVersion"])
    error = JsonStrictValidator(version).validate_str(text)
    return [f"it is not valid: {error}"] if error else []


def required(pom: Path) -> Iterator[str]:
    """What comes with an artifact, as package URLs."""
    for dependency in ElementTree.parse(pom).iter(f"{MAVEN}dependency"):
        if dependency.findtext(f"{MAVEN}scope", "compile") in ("compile", "runtime"):
            group, name, version = (
                dependency.findtext(f"{MAVEN}{key}") for key in ("groupId", "artifactId", "version")
            )
            yield f"pkg:maven/{group}/{name}@{version}"


def strangers(repository: Path, artifacts: list[Artifact]) -> list[str]:
    """Files that would be published unasked."""
    expected = {artifact.file(end) for artifact in artifacts for end in FILES}
    found = {
        file for file in repository.rglob("*") if file.is_file() and file.suffix not in (".md5", ".sha1")
    }
    return [
        f"{file.relative_to(repository)} does not belong to the release." for file in sorted(found - expected)
    ]


def of_wheels(dist: Path, core: Artifact) -> Iterator[str]:
    """One wheel, whose jar and whose bill of it are those of the repository, byte by byte."""
    wheels = sorted(dist.glob("*.whl"))
    if [wheel.name for wheel in wheels] != [f"stoplog-{core.version}-py3-none-any.whl"]:
        yield f"{dist} has {len(wheels)} wheels, not the one of version {core.version}."
        return
    of_jar, of_bill = core.file(".jar"), core.file("-cyclonedx.json")
    carried = {
        f"stoplog/jars/{of_jar.name}": of_jar,
        f"stoplog-{core.version}.dist-info/sboms/{of_bill.name}": of_bill,
    }
    with zipfile.ZipFile(wheels[0]) as wheel:
        for name, file in carried.items():
            if name not in wheel.namelist():
                yield f"{wheels[0].name} lacks {name}."
            elif wheel.read(name) != file.read_bytes():
                yield f"{name} in {wheels[0].name} is another than in the repository."


def names(archive: Path) -> list[str]:
    """Of the files in it."""
    with zipfile.ZipFile(archive) as opened:
        return [name for name in opened.namelist() if not name.endswith("/")]


if __name__ == "__main__":
    problems = main(Path(sys.argv[1]), sys.argv[2])
    sys.exit("\n".join(problems) or None)
