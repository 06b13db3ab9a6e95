# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import zipfile
from pathlib import Path

import check_jar

PROVIDED_SPARK = ("org.apache.spark", "spark-sql_2.13", "provided")


def jar(folder: Path, version: str, padding_bytes: int = 0, classes: tuple[str, ...] = ()) -> Path:
    path = folder / "stoplog.jar"
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("stoplog/FileSink.class", *classes):
            archive.writestr(name, b"")
        archive.writestr("stoplog/version.properties", f"version={version}\nspark=4.2.0\n")
        archive.writestr("padding", bytes(padding_bytes))
    return path


def pom(folder: Path, *dependencies: tuple[str, str, str]) -> Path:
    listed = "".join(
        f"<dependency><groupId>{g}</groupId><artifactId>{a}</artifactId><scope>{s}</scope></dependency>"
        for g, a, s in dependencies
    )
    path = folder / "stoplog.pom"
    path.write_text(
        f'<project xmlns="http://maven.apache.org/POM/4.0.0"><dependencies>{listed}</dependencies></project>'
    )
    return path


def test_a_thin_jar_on_a_provided_spark_is_accepted(tmp_path: Path) -> None:
    assert check_jar.main(jar(tmp_path, "1.2.3"), pom(tmp_path, PROVIDED_SPARK), "1.2.3") == []


def test_every_broken_promise_is_named_at_once(tmp_path: Path) -> None:
    bundled = ("META-INF/versions/17/com/fasterxml/jackson/core/Base64Variant.class",)
    fat = jar(tmp_path, "1.2.2", padding_bytes=check_jar.MAX_JAR_BYTES, classes=bundled)
    listed = pom(tmp_path, ("org.scala-lang", "scala-library", "compile"), PROVIDED_SPARK)
    size, foreign, version, dependency = check_jar.main(fat, listed, "1.2.3")
    assert f"over {check_jar.MAX_JAR_BYTES}" in size
    assert f"bundles {bundled[0]}" in foreign
    assert "says version 1.2.2, Python says 1.2.3" in version
    assert "depends on scala-library" in dependency
