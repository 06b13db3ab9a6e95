# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import licence_headers

CONTENTS = {
    "A.scala": "package a\n",
    "build.sbt": 'name := "a"\n',
    "B.java": "class B {}\n",
    "c.py": '"""Words."""\n',
    "empty.py": "",
    "run": "#!/usr/bin/env bash\nset -eu\n",
    "ignored.md": "# Words\n",
    "data": "no program\n",
}
SOURCES = ("A.scala", "B.java", "build.sbt", "c.py", "empty.py", "run")


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in CONTENTS.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "link.py").symlink_to("c.py")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    monkeypatch.setattr(licence_headers, "ROOT", tmp_path)
    return tmp_path


def test_a_check_names_each_source_without_the_line_and_changes_none(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert licence_headers.main(["--check"]) == 1
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == sorted(SOURCES)
    assert {name: (repository / name).read_text() for name in CONTENTS} == CONTENTS


def test_every_source_gets_the_licence_line_once(repository: Path) -> None:
    assert licence_headers.main([]) == 0
    once = {name: (repository / name).read_text() for name in CONTENTS}
    assert all(once[name].count(licence_headers.SPDX) == 1 for name in SOURCES)
    assert once["A.scala"].startswith("// SPDX-License-Identifier: Apache-2.0\npackage a")
    assert once["run"].splitlines()[:2] == ["#!/usr/bin/env bash", f"# {licence_headers.SPDX}"]
    assert [once[name] for name in ("ignored.md", "data")] == [CONTENTS["ignored.md"], CONTENTS["data"]]
    assert licence_headers.main(["--check"]) == 0
    assert licence_headers.main([]) == 0
    assert {name: (repository / name).read_text() for name in CONTENTS} == once
