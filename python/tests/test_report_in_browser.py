# SPDX-License-Identifier: Apache-2.0
"""The report as a real browser shows it: whole, quiet, readable, in narrow windows and in the dark."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import report_cases
from browser import ABSENT, Browser, Scheme, find
from made_sink import NOW, healthy

from stoplog.inspection import SinkDirectory, SinkReport

pytestmark = pytest.mark.skipif(find() is None, reason=ABSENT)

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "images"
PICTURE = {"x": 0, "y": 0, "width": 1000, "height": 900}
WIDTHS = (1200, 900, 400)
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
TEXT_CONTRAST, SHAPE_CONTRAST = 4.5, 3.0  # of WCAG 2, level AA

# What a notebook's page says of all tables and lists in its outputs, by rules as strong as JupyterLab's.
NOTEBOOK = """<!DOCTYPE html><meta charset="utf-8"><title>a notebook</title><style>
body { margin: 0; background: #fff; color: #000 }
.rendered { padding: 8px; overflow: auto }
.rendered table { border-collapse: collapse; border-spacing: 0; table-layout: fixed; margin-left: auto }
.rendered td, .rendered th, .rendered tr {
  text-align: right; vertical-align: middle; padding: .5em; border: none }
.rendered tbody tr:nth-child(odd) { background: #fff }
.rendered tbody tr:nth-child(even) { background: #f5f5f5 }
.rendered ul { padding-left: 2em } .rendered svg { max-width: 100% }
</style><div class="rendered">OUTPUT</div>"""

# Pairs of what can be read, and of what lies behind it.
CONTRASTS = """(() => {
  const parts = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => {
    const [r, g, b] = parts(colour)
      .map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = element => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if ((parts(colour)[3] ?? 1) > 0) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const contrast = (element, colour) => {
    const [a, b] = [light(colour), light(behind(element))].sort((x, y) => y - x);
    return [element.textContent.slice(0, 40) || element.getAttribute('class'), (a + 0.05) / (b + 0.05)];
  };
  const all = selector => [...document.querySelectorAll('.stoplog ' + selector)];
  return {
    text: all('h1, .stoplog h2, .stoplog p, .stoplog caption, .stoplog th, .stoplog td, .stoplog li')
      .map(each => contrast(each, getComputedStyle(each).color))
      .concat(all('svg text').map(each => contrast(each, getComputedStyle(each).fill))),
    shapes: all('rect').map(each => contrast(each, getComputedStyle(each).fill)),
  };
})()"""

# Of each plot, the words on it as rectangles of the window.
WORDS = """[...document.querySelectorAll('.stoplog svg[role=img]')].map(svg =>
  [...svg.querySelectorAll('text')].filter(each => getComputedStyle(each).display !== 'none')
  .map(each => { const at = each.getBoundingClientRect();
    return {said: each.textContent, left: at.left, right: at.right, top: at.top, bottom: at.bottom}; }))"""

Case = Callable[[Path], object]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(find() or "", tmp_path_factory.mktemp("profile")) as opened:
        yield opened


def report(root: Path) -> SinkReport:
    return SinkDirectory(root, clock=lambda: NOW).report()


@pytest.mark.parametrize("case", report_cases.CASES, ids=lambda case: case.__name__)
def test_the_page_fits_the_window_and_is_legible(browser: Browser, tmp_path: Path, case: Case) -> None:
    case(tmp_path / "events")
    page = report(tmp_path / "events").save(tmp_path / "page.html")
    for width in WIDTHS:
        for scheme in SCHEMES:
            browser.open(page, width, scheme)
            assert (browser.complaints, browser.requests) == ([], [])
            assert overflow(browser) <= 0, (width, scheme)
            assert dim(browser) == [], (width, scheme)
            assert colliding(browser, width) == []
            assert sizes_of_words(browser) >= 9.5, width


@pytest.mark.parametrize("width", [1440, 1200, 900, 768])
def test_tables_next_to_plots_are_complete(browser: Browser, tmp_path: Path, width: int) -> None:
    report_cases.usual(tmp_path / "events")
    browser.open(report(tmp_path / "events").save(tmp_path / "page.html"), width)
    cut = browser.value(
        "[...document.querySelectorAll('.stoplog .pair>.scroll')]"
        ".filter(each => each.scrollWidth > each.clientWidth).map(each => each.textContent.slice(0, 40))"
    )
    assert cut == []


def test_the_page_follows_the_colour_scheme_of_the_system(browser: Browser, tmp_path: Path) -> None:
    healthy(tmp_path / "events")
    page = report(tmp_path / "events").save(tmp_path / "page.html")
    background = "getComputedStyle(document.querySelector('.stoplog')).backgroundColor"
    seen = []
    for scheme in SCHEMES:
        browser.open(page, 1200, scheme)
        seen.append(browser.value(background))
        assert browser.value(
            "document.querySelector('.stoplog').getBoundingClientRect().bottom >= innerHeight"
        )
    assert seen == ["rgb(252, 252, 251)", "rgb(26, 26, 25)"]


@pytest.mark.parametrize("shown", ["report", "status", "check"])
def test_the_report_is_legible_with_the_styles_of_a_notebook(
    browser: Browser, tmp_path: Path, shown: str
) -> None:
    report_cases.usual(tmp_path / "events")
    directory = SinkDirectory(tmp_path / "events", clock=lambda: NOW)
    page = tmp_path / "notebook.html"
    page.write_text(NOTEBOOK.replace("OUTPUT", getattr(directory, shown)()._repr_html_()), encoding="utf-8")
    for scheme in SCHEMES:
        browser.open(page, 700, scheme)
        assert (browser.complaints, browser.requests) == ([], [])
        assert overflow(browser) <= 0
        assert dim(browser) == []
        assert browser.value("getComputedStyle(document.querySelector('.stoplog td')).textAlign") == "left"


def test_the_guide_has_a_picture_of_the_report(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With STOPLOG_PICTURES=1 the picture replaces the picture of the guide."""
    monkeypatch.chdir(tmp_path)  # the page shows the path as the user names it
    report_cases.usual(Path("events"))
    picture = PICTURES / "report.png" if os.environ.get("STOPLOG_PICTURES") else tmp_path / "report.png"
    browser.open(report(Path("events")).save(tmp_path / "page.html"), PICTURE["width"])
    browser.picture(picture, **PICTURE)
    size = [int.from_bytes(picture.read_bytes()[at : at + 4], "big") for at in (16, 20)]  # of a PNG's header
    assert size == [PICTURE["width"], PICTURE["height"]]


def overflow(browser: Browser) -> Any:
    """By how much the page is wider than its window."""
    return browser.value("document.documentElement.scrollWidth - innerWidth")


def dim(browser: Browser) -> list[Any]:
    """What stands out too little from what is behind it."""
    found = browser.value(CONTRASTS)
    return [each for each in found["text"] if each[1] < TEXT_CONTRAST] + [
        each for each in found["shapes"] if each[1] < SHAPE_CONTRAST
    ]


def colliding(browser: Browser, width: int) -> list[Any]:
    """Words of plots that are cut off by the window, or lie on one another."""
    plots = browser.value(WORDS)
    cut = [word for words in plots for word in words if word["left"] < 0 or word["right"] > width]
    return cut + [
        (one["said"], other["said"])
        for words in plots
        for at, one in enumerate(words)
        for other in words[at + 1 :]
        if min(one["right"], other["right"]) > max(one["left"], other["left"])
        and min(one["bottom"], other["bottom"]) > max(one["top"], other["top"])
    ]


def sizes_of_words(browser: Browser) -> float:
    """How many pixels high the smallest letters of plots are drawn."""
    drawn = browser.value(
        "[...document.querySelectorAll('.stoplog svg[role=img] text')].map("
        "each => parseFloat(getComputedStyle(each).fontSize) * each.getScreenCTM().a)"
    )
    return min(drawn, default=100.0)
