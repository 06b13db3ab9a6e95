# SPDX-License-Identifier: Apache-2.0
"""The licences of what a release needs, by its bills of materials."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

import licences
from steps import ROOT


def dist(folder: Path, *components: dict[str, object]) -> Path:
    """A release of one jar, with a bill of materials of these components."""
    jars = folder / "repo"
    jars.mkdir()
    with zipfile.ZipFile(jars / "sink.jar", "w") as jar:
        jar.writestr("META-INF/LICENSE", (ROOT / licences.OWN).read_bytes())
    bill = {"metadata": {"component": {"group": "own"}}, "components": components}
    (jars / "sink-cyclonedx.json").write_text(json.dumps(bill))
    return folder


def component(licence: str, group: str = "other") -> dict[str, object]:
    return {"group": group, "name": "library", "version": "1", "licenses": [{"license": {"name": licence}}]}


@pytest.mark.parametrize("licence", ["MIT", "MIT License", "CC0", "Apache 2.0"])
def test_common_names_of_licences_are_accepted(tmp_path: Path, licence: str) -> None:
    assert licences.main(dist(tmp_path, component(licence))) == 0


def test_other_licences_are_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert licences.main(dist(tmp_path, component("AGPL-3.0"))) == 1
    assert "other:library 1: AGPL-3.0: nobody has accepted this licence." in capsys.readouterr().out


def test_artifacts_of_the_release_are_omitted(tmp_path: Path) -> None:
    """Bills of connectors name the core, without a licence."""
    own = component("", group="own") | {"licenses": []}
    assert licences.main(dist(tmp_path, own)) == 0


def test_a_jar_without_the_licence_is_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = dist(tmp_path)
    with zipfile.ZipFile(folder / "repo" / "bare.jar", "w") as jar:
        jar.writestr("A.class", b"")
    assert licences.main(folder) == 1
    assert "bare.jar lacks the licence of the project." in capsys.readouterr().out
