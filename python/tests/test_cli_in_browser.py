# SPDX-License-Identifier: Apache-2.0
"""The picture of the command line in the guide."""

from __future__ import annotations

import functools
import html
import os
import shlex
from pathlib import Path

import pytest
from browser import ABSENT, Browser, find
from made_sink import NOW, healthy

from stoplog.cli import command
from stoplog.cli.main import main
from stoplog.inspection import SinkDirectory

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "images"
COMMANDS = (
    "stoplog status events",
    "stoplog explain events part-6f1c2f3e8a4b-5.json",
    "stoplog check events",
)

# A terminal of 120 columns, which wraps longer lines.
TERMINAL = """<!DOCTYPE html><meta charset="utf-8"><title>stoplog</title><style>
body { margin: 0; background: #1a1a19 }
pre { margin: 0; padding: 20px 24px; display: inline-block; width: 120ch; white-space: pre-wrap;
  color: #e8e6df; font: 14px/1.45 "DejaVu Sans Mono", "Liberation Mono", monospace }
b { color: #7fb4e6; font-weight: normal }
</style><pre>OUTPUT</pre>"""


@pytest.mark.skipif(find() is None, reason=ABSENT)
def test_the_guide_has_a_picture_of_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With STOPLOG_PICTURES=1 the picture replaces the picture of the guide."""
    monkeypatch.chdir(tmp_path)  # the commands show the path as the user names it
    healthy(Path("events"))
    monkeypatch.setattr(command, "SinkDirectory", functools.partial(SinkDirectory, clock=lambda: NOW))
    shown = []
    for line in COMMANDS:
        assert main(shlex.split(line)[1:]) == 0
        shown.append(f"<b>$ {line}</b>\n{html.escape(capsys.readouterr().out)}")
    page = tmp_path / "terminal.html"
    page.write_text(TERMINAL.replace("OUTPUT", "\n".join(shown)), encoding="utf-8")
    picture = PICTURES / "cli.png" if os.environ.get("STOPLOG_PICTURES") else tmp_path / "cli.png"
    with Browser(str(find()), tmp_path / "profile") as browser:
        browser.open(page, 1400)
        width, height = browser.value(
            "(box => [Math.ceil(box.width), Math.ceil(box.height)])"
            "(document.querySelector('pre').getBoundingClientRect())"
        )
        browser.picture(picture, x=0, y=0, width=width, height=height)
    size = [int.from_bytes(picture.read_bytes()[at : at + 4], "big") for at in (16, 20)]  # of a PNG's header
    assert size == [width, height]
