# SPDX-License-Identifier: Apache-2.0
"""The notebooks of examples/ run from the first cell to the last, as a user runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")  # not in the environments of other Spark lines
nbclient = pytest.importorskip("nbclient")

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.long
def test_the_first_steps_find_every_row_once_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setenv("TZ", "UTC")
    notebook = nbformat.read(EXAMPLES / "first-steps.ipynb", as_version=4)
    ran = nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute(cwd=str(tmp_path))
    reported = printed(ran)
    assert "of them twice" in reported
    assert reported.splitlines()[-1] == "60,000 rows in 12 files, 0 of them twice"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.ipynb")), ids=lambda path: path.name)
def test_notebooks_are_kept_without_outputs(path: Path) -> None:
    cells = nbformat.read(path, as_version=4).cells
    assert [
        cell.id for cell in cells if cell.cell_type == "code" and (cell.outputs or cell.execution_count)
    ] == []


def printed(notebook: nbformat.NotebookNode) -> str:
    """What its cells have written to standard output."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return "".join(
        output.text for output in outputs if output.output_type == "stream" and output.name == "stdout"
    )
