# SPDX-License-Identifier: Apache-2.0
"""The checks of a release, on small ones made here: each thing that is wrong is named."""

from __future__ import annotations

import json
import subprocess
import zipfile
from pathlib import Path

import pytest

import check_dist
import check_reproducible
import checksums

VERSION = "1.2.3"
KAFKA = ("org.apache.kafka", "kafka-clients", "3.9.2")


@pytest.fixture
def dist(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A whole one. The schema is `make dist`'s own affair: its environment has it, this one has not."""
    monkeypatch.setattr(check_dist, "invalid", lambda text: [])
    for name in check_dist.ARTIFACTS:
        artifact = check_dist.Artifact(tmp_path / "repo", name, VERSION)
        artifact.file(".jar").parent.mkdir(parents=True)
        for end in check_dist.JARS:
            archive(artifact.file(end), {check_dist.LICENSE: b"", "stoplog/A.class": b"a", "stoplog/": b""})
        artifact.file(".pom").write_text(pom(KAFKA))
        artifact.file("-cyclonedx.json").write_text(bill(artifact.purl, KAFKA))
    core = check_dist.Artifact(tmp_path / "repo", check_dist.ARTIFACTS[0], VERSION)
    of_jar, of_bill = core.file(".jar"), core.file("-cyclonedx.json")
    archive(
        tmp_path / f"stoplog-{VERSION}-py3-none-any.whl",
        {
            f"stoplog/jars/{of_jar.name}": of_jar.read_bytes(),
            f"stoplog-{VERSION}.dist-info/sboms/{of_bill.name}": of_bill.read_bytes(),
        },
    )
    return tmp_path


def archive(path: Path, members: dict[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as opened:
        for name, content in members.items():
            opened.writestr(zipfile.ZipInfo(name), content)


def pom(*needed: tuple[str, str, str]) -> str:
    listed = "".join(
        f"<dependency><groupId>{g}</groupId><artifactId>{a}</artifactId><version>{v}</version></dependency>"
        for g, a, v in needed
    )
    provided = (
        "<dependency><groupId>g</groupId><artifactId>a</artifactId><scope>provided</scope></dependency>"
    )
    return (
        f'<project xmlns="{check_dist.MAVEN[1:-1]}"><dependencies>{listed}{provided}</dependencies></project>'
    )


def bill(purl: str, *listed: tuple[str, str, str]) -> str:
    components = [{"purl": f"pkg:maven/{g}/{a}@{v}?type=bundle"} for g, a, v in listed]
    return json.dumps({"metadata": {"component": {"purl": purl}}, "components": components})


def artifact_of(dist: Path, name: str) -> check_dist.Artifact:
    return check_dist.Artifact(dist / "repo", name, VERSION)


def test_a_whole_release_is_accepted(dist: Path) -> None:
    assert check_dist.main(dist, VERSION) == []


def test_a_missing_file_is_named(dist: Path) -> None:
    artifact_of(dist, "stoplog-wal_2.13").file("-javadoc.jar").unlink()
    assert check_dist.main(dist, VERSION) == ["stoplog-wal_2.13-1.2.3-javadoc.jar is missing."]


def test_bundled_classes_and_unexpected_files_are_named(dist: Path) -> None:
    kafka = artifact_of(dist, "stoplog-kafka_2.13")
    archive(kafka.file(".jar"), {check_dist.LICENSE: b"", "org/apache/kafka/A.class": b"a"})
    kafka.file("-tests.jar").write_bytes(b"")
    bundles, stranger = check_dist.main(dist, VERSION)
    assert "bundles org/apache/kafka/A.class" in bundles
    assert "stoplog-kafka_2.13-1.2.3-tests.jar does not belong to the release." in stranger


def test_a_wrong_bill_of_materials_is_named(dist: Path) -> None:
    jdbc = artifact_of(dist, "stoplog-jdbc_2.13")
    jdbc.file("-cyclonedx.json").write_text(bill("pkg:maven/io.github.stoplog/other@1.2.3"))
    other, unlisted = check_dist.main(dist, VERSION)
    assert (
        other == "stoplog-jdbc_2.13-1.2.3-cyclonedx.json: it is of pkg:maven/io.github.stoplog/other@1.2.3."
    )
    assert "does not list pkg:maven/org.apache.kafka/kafka-clients@3.9.2" in unlisted


def test_a_wheel_with_another_jar_is_named(dist: Path) -> None:
    core = artifact_of(dist, "stoplog_2.13")
    archive(core.file(".jar"), {check_dist.LICENSE: b"", "stoplog/B.class": b"b"})
    (problem,) = check_dist.main(dist, VERSION)
    assert "stoplog/jars/stoplog_2.13-1.2.3.jar in stoplog-1.2.3-py3-none-any.whl is another" in problem


def test_sha256sum_accepts_the_checksums(dist: Path) -> None:
    sums = checksums.write(dist)
    assert checksums.write(dist).read_text() == sums.read_text()
    subprocess.run(["sha256sum", "--quiet", "--check", sums.name], cwd=dist, check=True)
    assert len(sums.read_text().splitlines()) == len(check_dist.ARTIFACTS) * len(check_dist.FILES) + 1


def test_differences_of_two_builds_are_named_with_archive_entries(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for folder, content in ((one, b"1"), (other, b"2")):
        folder.mkdir()
        (folder / "same").write_bytes(b"same")
        archive(folder / "a.jar", {"A.class": content, "B.class": b"b"})
    (one / "only").touch()
    assert check_reproducible.differences(one, other) == [
        "a.jar differs in 1 members: A.class.",
        "only differs.",
    ]
    assert check_reproducible.differences(one, one) == []
