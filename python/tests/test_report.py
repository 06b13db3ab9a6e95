# SPDX-License-Identifier: Apache-2.0
"""The page about a sink: what is on it, where it is from, and that it needs nothing else."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from made_sink import MINUTE, NOW, SETTINGS, MadeSink, healthy

from stoplog._report import figures as of_figures
from stoplog._report import report as of_page
from stoplog.cli.command import ExitCode
from stoplog.cli.main import main
from stoplog.inspection import SinkDirectory, SinkReport

SVG = "{http://www.w3.org/2000/svg}"
VOID = {"meta"}


def report(root: Path, now: int = NOW) -> SinkReport:
    return SinkDirectory(root, clock=lambda: now).report()


class Nesting(HTMLParser):
    """Every element that is begun is ended, in its turn."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def plots(html: str) -> Iterator[ElementTree.Element]:
    """The charts, without the swatches of legends."""
    for found in re.findall(r"<svg .*?</svg>", html, re.DOTALL):
        svg = ElementTree.fromstring(found)
        if svg.get("role") == "img":
            yield svg


def test_the_page_is_complete_without_other_resources(tmp_path: Path) -> None:
    healthy(tmp_path)
    html = report(tmp_path).html
    assert html.startswith("<!DOCTYPE html>\n<html lang=")
    parsed = Nesting(html)
    assert not {"script", "link", "img", "iframe", "object", "embed", "base", "form"} & set(parsed.tags)
    assert not {"src", "href", "srcset", "style", "onload"} & {name for name, _ in parsed.attributes}
    assert set(re.findall(r"https?://[^\"]*", html)) == {"http://www.w3.org/2000/svg"}
    assert "@import" not in html
    assert "url(" not in html
    assert "@media (prefers-color-scheme:dark)" in html


def verdict(html: str) -> list[str]:
    """The headline, and the problems below."""
    head = html.partition("<h2")[0]
    found = re.findall(r"<(?:p class=\"verdict [a-z]+\" role=\"status\"|li)>(.*?)</", head)
    return [unescape(words) for words in found]


def test_a_healthy_sink_needs_no_attention(tmp_path: Path) -> None:
    healthy(tmp_path)
    assert verdict(report(tmp_path).html) == ["Nothing needs attention: 4 files, 2 open parts"]


def test_open_parts_of_a_dead_query_need_attention(tmp_path: Path) -> None:
    healthy(tmp_path)
    found = verdict(report(tmp_path, now=NOW + 60 * MINUTE).html)
    assert found[0] == "1 problem needs attention"
    assert found[1].startswith(
        "2 open parts with 20 rows, and the log names no running query (the driver of run "
    )
    assert found[1].endswith(
        ": start the query, unless it waits for its first rows, or run stoplog finalize PATH."
    )


def test_a_hanging_driver_needs_attention(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stoplog._inspect.liveness.is_here", lambda _: True)
    sink = MadeSink(tmp_path, settings={**SETTINGS, "driver": "node-1 boot/pid:[1] 17 5 20000"})
    sink.record("claim", at_millis=NOW)
    assert verdict(report(tmp_path, NOW + MINUTE - 1).html) == [
        "Nothing needs attention: 0 files, 0 open parts"
    ]
    found = verdict(report(tmp_path, NOW + MINUTE).html)
    assert found[0] == "1 problem needs attention"
    assert found[1].startswith(f"The process of the driver of run {sink.run}, 17 on node-1, exists, ")
    assert found[1].endswith(". Read the log of the driver, and restart the query.")


def test_torn_records_and_failed_targets_need_attention(tmp_path: Path) -> None:
    healthy(tmp_path)
    (tmp_path / "_stoplog" / "main" / "log" / f"{1:020d}.commit").write_bytes(b"torn")
    failed = tmp_path / "_stoplog" / "main" / "announced" / "hook" / f"{3:020d}.failed"
    failed.parent.mkdir(parents=True)
    failed.write_text(json.dumps({"reason": "HTTP 503", "at": NOW - 2 * MINUTE}))
    assert verdict(report(tmp_path).html) == [
        "2 problems need attention",
        "The log has 1 record that cannot be read: stoplog check PATH names them.",
        "The announcement target hook fails since 2m, 6 records waiting: HTTP 503",
    ]


def test_every_plot_has_a_title_a_description_and_a_table(tmp_path: Path) -> None:
    healthy(tmp_path)
    html = report(tmp_path).html
    found = list(plots(html))
    titles = [svg.findtext(f"{SVG}title") for svg in found]
    assert titles == [
        "Finished files by size",
        "Published parts over time, by roll reason",
        "Finished files by the time of their last byte",
        "Parts by visibility delay",
    ]
    assert all("The highest is" in str(svg.findtext(f"{SVG}desc")) for svg in found)
    for title in titles:
        assert f"<caption>{title}</caption>" in html


def test_bars_are_proportional_to_the_counts_and_inside_the_plot(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    for number, size in enumerate((100, 100, 100, 300)):
        sink.record("epoch", [sink.finished("b", number, size)])
    sizes = next(plots(report(tmp_path).html))
    heights = [float(str(bar.get("height"))) for bar in sizes.iter(f"{SVG}rect")]
    assert heights[0] == pytest.approx(3 * heights[1], rel=0.01)
    for bar in sizes.iter(f"{SVG}rect"):
        x, y, width, height = (float(str(bar.get(name))) for name in ("x", "y", "width", "height"))
        assert 0 <= x <= x + width <= 680
        assert 0 <= y <= y + height <= 240


def test_reasons_and_delays_are_from_the_log_and_sizes_from_the_listing(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    sink.write(f"old/{sink.name(90)}", b"x" * 5000, 40 * MINUTE)
    at = NOW - 10 * MINUTE
    sink.record(
        "epoch",
        [{**sink.finished("b", 0, 100), "openedAtMillis": at - MINUTE, "reason": "age"}],
        at_millis=at,
    )
    sink.record("roll", [{**sink.finished("b", 1, 60), "openedAtMillis": at}], at_millis=at + 2 * MINUTE)
    sink.record("epoch", at_millis=at + 3 * MINUTE)
    figures = report(tmp_path).figures
    assert (figures.log.read, figures.log.kept, figures.log.parts, figures.log.rows) == (3, 3, 2, 20)
    assert figures.log.reasons == {"age": 1, "size": 1}
    # The marks were made today, by the clock of this machine: as in a copied directory, they do not count.
    waits = (figures.log.delays.median_millis, figures.log.delays.longest_millis)
    assert waits == (3 * MINUTE, 3 * MINUTE)
    assert (figures.listing.files, figures.listing.bytes, figures.listing.largest_bytes) == (3, 5160, 5000)
    html = report(tmp_path).html
    assert "From the log: the 3 retained records" in html
    assert "From the listing: 3 files, 5 KiB." in html


def test_the_time_of_a_mark_is_the_time_of_publication(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    at = NOW - 10 * MINUTE
    seq = sink.record("epoch", [{**sink.finished("b", 0, 100), "openedAtMillis": at}], at_millis=at + MINUTE)
    os.utime(sink.mark_path(seq), (0, (at + 4 * MINUTE) / 1000))
    assert report(tmp_path).figures.log.delays.longest_millis == 4 * MINUTE


def test_compacted_and_pending_parts_do_not_count_as_published(tmp_path: Path) -> None:
    sink = healthy(tmp_path)
    before = report(tmp_path).figures.log
    assert (before.parts, before.merged) == (5, 1)
    assert before.delays.parts == 5
    sink.record("roll", [sink.pending_part("day=3", 6, 10, "age")], marked=False)
    assert report(tmp_path).figures.log.parts == 5
    sink.mark_path(6).touch()
    assert report(tmp_path).figures.log.parts == 6


def test_a_reason_of_a_custom_policy_is_drawn_as_others_and_listed_in_the_table(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    own, end = (
        {**sink.finished("b", number, 10), "reason": word} for number, word in enumerate(("mine", "end"))
    )
    sink.record("epoch", [own, end])
    html = report(tmp_path).html
    assert "(end 1, others 1)" in html
    assert '<th scope="col" class="number">mine</th>' in html
    assert html.count('class="s8"') == 2  # the legend and the bar


def test_a_limited_part_of_a_log_is_read_and_the_page_mentions_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sink = MadeSink(tmp_path)
    for number in range(5):
        sink.record("epoch", [sink.finished("b", number, 10)])
    monkeypatch.setattr(of_figures, "READ_BYTES", 2 * sink.record_path(4).stat().st_size)
    assert report(tmp_path).figures.log.parts == 2
    assert "the newest 2 of the 5 retained records" in report(tmp_path).html
    monkeypatch.setattr(of_figures, "READ_BYTES", 1)
    assert report(tmp_path).figures.log.read == 1


def test_an_old_torn_record_is_left_out(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    for number in range(4):
        sink.record("epoch", [sink.finished("b", number, 10)])
    sink.record_path(1).write_bytes(b"{")
    assert report(tmp_path).figures.log.unreadable == 1
    assert re.search(r"written from [^.]*\. Unreadable: 1 record;", report(tmp_path).html)
    sink.record_path(2).write_bytes(b"{")
    assert "Unreadable: 2 records;" in report(tmp_path).html


def test_names_are_escaped(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path)
    nasty = "<img src=x onerror=alert(1)> & \"'\x01"
    sink.record(
        "epoch",
        [{**sink.finished(nasty, 0, 10), "reason": "<b>why</b>"}],
        [sink.open_part(nasty, 1, 10)],
    )
    # A name of bytes that are no UTF-8, as a file system may have it.
    (tmp_path / os.fsdecode(b"caf\xe9")).mkdir()
    (tmp_path / os.fsdecode(b"caf\xe9") / sink.name(2)).write_bytes(b"x")
    found = report(tmp_path)
    parsed = Nesting(found.html)
    assert not {"img", "b"} & set(parsed.tags)
    assert list(plots(found.html))
    assert "&lt;b&gt;why&lt;/b&gt;" in found.html
    assert "caf\ufffd" in found.save(tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_page_of_an_unused_sink_mentions_the_missing_figures(tmp_path: Path) -> None:
    MadeSink(tmp_path).record("claim")
    html = report(tmp_path).html
    Nesting(html)
    assert list(plots(html)) == []
    assert "there is no finished file yet" in html
    assert "no part is open" in html
    (tmp_path / "_stoplog" / "main" / "log" / f"{0:020d}.commit").unlink()
    assert "nothing, because no record is readable" in report(tmp_path).html


def test_a_sink_of_a_connector_has_no_listing(tmp_path: Path) -> None:
    MadeSink(tmp_path, "kafka", settings={"content": ""}).record("claim")
    (tmp_path / "data.json").write_bytes(b"{}")
    assert report(tmp_path).html.count("This sink writes to another system") == 2


def test_long_tables_are_truncated_with_the_command_for_all_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_page, "LIMIT", 1)
    healthy(tmp_path)
    html = report(tmp_path).html
    assert "… and 1 more: stoplog status PATH --limit 0" in html
    assert "… and 3 more: stoplog status PATH --limit 0" in html


def test_a_notebook_shows_the_report_without_other_styles(tmp_path: Path) -> None:
    healthy(tmp_path)
    shown = report(tmp_path)._repr_html_()
    Nesting(shown)
    assert "<body" not in shown
    (style,) = re.findall(r"<style>(.*?)</style>", shown, re.DOTALL)
    rules = re.sub(r"@(?:media|container) [^{]*\{(.*?\})\}", r"\1", style)
    assert all(
        one.strip().startswith(".stoplog")
        for selectors in re.findall(r"([^{}]+)\{[^}]*\}", rules)
        for one in selectors.split(",")
    )
    assert repr(report(tmp_path)) == f"SinkReport({str(tmp_path)!r}, 'main')"


def test_the_command_writes_a_file_or_prints_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("stoplog.inspection.now_millis", lambda: NOW)
    healthy(tmp_path / "events")
    page = tmp_path / "page.html"
    assert main(["report", str(tmp_path / "events"), "--out", str(page)]) == ExitCode.OK
    assert capsys.readouterr().out == f"Wrote {page}, {page.stat().st_size:,} bytes. Open it in a browser.\n"
    assert main(["report", str(tmp_path / "events")]) == ExitCode.OK
    assert capsys.readouterr().out == page.read_text(encoding="utf-8")
    assert main(["report", str(tmp_path / "events"), "--out", str(page), "--output", "json"]) == ExitCode.OK
    answer = json.loads(capsys.readouterr().out)["report"]
    assert (answer["out"], answer["log"]["parts"], answer["listing"]["files"]) == (str(page), 5, 4)
    gone = str(tmp_path / "gone" / "page.html")
    assert main(["report", str(tmp_path / "events"), "--out", gone]) == ExitCode.FAILED
    assert "[STOPLOG_CANNOT_WRITE]" in capsys.readouterr().err


def test_the_page_of_the_documentation_matches_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    healthy(tmp_path / "events")
    page = (Path(__file__).resolve().parents[2] / "docs" / "operate" / "report.md").read_text(
        encoding="utf-8"
    )
    for example in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(compile(example, "report.md", "exec"), {})
    html = (tmp_path / "report.html").read_text(encoding="utf-8")
    sections = re.findall(r"^\| ([A-Z][^|]*) \| [A-Z]", page, re.MULTILINE)
    assert re.findall(r"<h2>(.*?)</h2>", html) == sections[1:]
    assert f"up to {of_figures.READ_BYTES // 1024**2} MiB" in page
    assert f"end after {of_page.LIMIT} rows" in page


def test_a_report_shows_no_secret_of_the_address(tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    healthy(tmp_path / "events")
    memory = fsspec.filesystem("memory")
    memory.put(str(tmp_path / "events"), "/me:hunter2@x/events", recursive=True)
    try:
        report = SinkDirectory("memory://me:hunter2@x/events", clock=lambda: NOW).report()
        assert "hunter2" not in report.html
        assert "memory://me:…@x/events" in report.html
    finally:
        memory.rm("/me:hunter2@x", recursive=True)
