# SPDX-License-Identifier: Apache-2.0
"""The guide in a real browser: no page is cut in any window, and the keyboard alone finds and opens pages."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from steps import ROOT

sys.path.append(str(ROOT / "python" / "tests"))
from browser import ABSENT, Browser, find

if TYPE_CHECKING:
    from browser import Scheme

MKDOCS = ROOT / ".venv-docs" / "bin" / "mkdocs"
WIDTHS = (390, 768, 1280, 1440)
DESKTOP = 1280
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
PAGES_OF_A_SAMPLE = 12
PATIENCE_MILLIS = 20_000
# Files that pages link to are not pages.
REPOSITORY = "/repository/"

# Elements whose content is wider than they are. In a narrow window a reader scrolls code and tables.
CUT = """(canScroll => [...document.querySelectorAll(
    '.md-content pre code, .md-content .md-typeset__scrollwrap, .md-content img')]
  .filter(each => each.clientWidth > 0 && each.scrollWidth - each.clientWidth > 1)
  .filter(each => !(canScroll && ['auto', 'scroll'].includes(getComputedStyle(each).overflowX)))
  .map(each => [each.tagName, each.scrollWidth - each.clientWidth, each.textContent.trim().slice(0, 60)]))"""
TOO_WIDE = "document.documentElement.scrollWidth - innerWidth"
# The theme moves its menus when the window changes.
AT_REST = """new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() =>
  Promise.allSettled(document.getAnimations().map(each => each.finished)).then(() => done(true)))))"""
# Returns the first result of the search as soon as there is one.
FIRST_RESULT = f"""new Promise((found, failed) => {{
  const until = Date.now() + {PATIENCE_MILLIS};
  const look = () => {{
    const first = document.querySelector('.md-search-result__link');
    if (first) found(first.href);
    else if (Date.now() > until) failed(new Error('no result'));
    else requestAnimationFrame(look);
  }};
  look();
}})"""

pytestmark = [
    pytest.mark.skipif(find() is None, reason=ABSENT),
    pytest.mark.skipif(not MKDOCS.exists(), reason="`make docs` installs what builds the guide"),
]


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None: ...


@pytest.fixture(scope="module")
def guide(tmp_path_factory: pytest.TempPathFactory) -> Path:
    site = tmp_path_factory.mktemp("guide")
    command = [str(MKDOCS), "build", "--strict", "--quiet", "--site-dir", str(site)]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=True)
    return site


@pytest.fixture(scope="module")
def address(guide: Path) -> Iterator[str]:
    """The search needs a server: browsers start no worker from a file."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(guide))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(find() or "", tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def pages(guide: Path) -> list[str]:
    every = sorted(
        page.relative_to(guide).as_posix()
        for page in guide.rglob("*.html")
        if "decisions/0" not in page.as_posix() and REPOSITORY not in page.as_posix()
    )
    return every if os.environ.get("STOPLOG_LONG") == "1" else every[:: len(every) // PAGES_OF_A_SAMPLE]


def test_no_code_and_no_table_is_cut(browser: Browser, guide: Path, address: str) -> None:
    cut = {}
    for page in pages(guide):
        browser.open(f"{address}/{page}", WIDTHS[0])
        assert browser.complaints == [], page
        for scheme in SCHEMES:
            for width in WIDTHS:
                browser.show(width, scheme)
                browser.value(AT_REST)
                found = browser.value(f"{CUT}({str(width < DESKTOP).lower()})")
                if found or browser.value(TOO_WIDE) > 0:
                    cut[page, width, scheme] = found
    assert cut == {}


def test_the_keyboard_alone_finds_and_opens_a_page(browser: Browser, address: str) -> None:
    browser.open(f"{address}/index.html", DESKTOP)
    browser.press("f", "f")  # a key of the theme: the cursor goes to the search
    for letter in "dead letter":
        browser.press(letter, letter)
    assert browser.value(FIRST_RESULT).split("?")[0].endswith("/recipes/dead-letter.html")
    browser.press("Enter")
    opened = f"""new Promise((found, failed) => {{
      const until = Date.now() + {PATIENCE_MILLIS};
      const look = () => location.pathname.endsWith('/recipes/dead-letter.html') ? found(true)
        : Date.now() > until ? failed(new Error(location.pathname)) : requestAnimationFrame(look);
      look();
    }})"""
    assert browser.value(opened)
    assert browser.complaints == []
