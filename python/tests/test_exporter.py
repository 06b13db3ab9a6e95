# SPDX-License-Identifier: Apache-2.0
"""`stoplog exporter`: what Prometheus reads of sinks."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from made_sink import MINUTE, NOW, SETTINGS, MadeSink, healthy
from prometheus_client.parser import text_string_to_metric_families

from stoplog._exporter.collector import SinkCollector
from stoplog.cli.command import ExitCode
from stoplog.cli.main import main

Samples = dict[tuple[str, ...], float]
EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "monitoring"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stoplog.cli.commands.exporter.now_millis", lambda: NOW)


def samples(text: str) -> Samples:
    """The samples of a page by their names and the values of their labels, except for `path`."""
    return {
        (each.name, *(value for label, value in sorted(each.labels.items()) if label != "path")): each.value
        for family in text_string_to_metric_families(text)
        for each in family.samples
    }


def exported(file: Path, *paths: Path) -> Samples:
    assert main(["exporter", *map(str, paths), "--textfile", str(file)]) == ExitCode.OK
    return samples(file.read_text("utf-8"))


@pytest.mark.usefixtures("clock")
def test_a_text_file_has_the_figures_of_a_sink(tmp_path: Path) -> None:
    healthy(tmp_path / "events")
    found = exported(tmp_path / "stoplog.prom", tmp_path / "events")
    assert found == {
        ("stoplog_path_readable",): 1,
        ("stoplog_log_readable", "main"): 1,
        ("stoplog_open_parts", "main"): 2,
        ("stoplog_open_bytes", "main"): 260,
        ("stoplog_open_rows", "main"): 20,
        ("stoplog_pending_parts", "main"): 0,
        ("stoplog_oldest_invisible_row_timestamp_seconds", "main"): (NOW - 4 * MINUTE) / 1000,
        ("stoplog_last_record_timestamp_seconds", "main"): (NOW - 2 * MINUTE) / 1000,
        ("stoplog_last_epoch", "main"): 3,
        ("stoplog_records_total", "main"): 6,
        ("stoplog_retained_records", "claim", "main"): 1,
        ("stoplog_retained_records", "epoch", "main"): 4,
        ("stoplog_retained_records", "roll", "main"): 0,
        ("stoplog_retained_records", "compact", "main"): 1,
        ("stoplog_retained_records", "release", "main"): 0,
        ("stoplog_driver_state", "main", "alive"): 1,
        ("stoplog_driver_state", "main", "dead"): 0,
        ("stoplog_driver_state", "main", "silent"): 0,
        ("stoplog_driver_state", "main", "released"): 0,
        ("stoplog_driver_hanging", "main"): 0,
    }
    assert {file.name for file in tmp_path.iterdir()} == {"events", "stoplog.prom"}, "no other file is left"


@pytest.mark.usefixtures("clock")
def test_a_sink_without_invisible_rows_has_no_oldest_row(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path / "out")
    sink.record("claim")
    sink.record("epoch", [sink.finished("", 0, 100)])
    sink.record("release")
    found = exported(tmp_path / "one.prom", sink.root)
    assert ("stoplog_oldest_invisible_row_timestamp_seconds", "main") not in found
    assert (found["stoplog_open_parts", "main"], found["stoplog_driver_state", "main", "released"]) == (0, 1)


@pytest.mark.usefixtures("clock")
def test_a_driver_without_heartbeats_hangs_if_its_process_exists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stoplog._inspect.liveness.is_here", lambda _: True)
    sink = MadeSink(tmp_path / "out", settings={**SETTINGS, "driver": "node-1 boot/pid:[1] 17 5 20000"})
    sink.record("claim", at_millis=NOW - MINUTE)
    found = exported(tmp_path / "one.prom", sink.root)
    assert (found["stoplog_driver_state", "main", "alive"], found["stoplog_driver_hanging", "main"]) == (1, 1)


@pytest.mark.usefixtures("clock")
def test_a_decided_part_is_invisible_until_its_record_is_carried_out(tmp_path: Path) -> None:
    sink = MadeSink(tmp_path / "out")
    sink.record("claim")
    sink.record("epoch", [sink.pending_part("", 0, 100)], marked=False)
    found = exported(tmp_path / "one.prom", sink.root)
    assert found["stoplog_pending_parts", "main"] == 1
    oldest = found["stoplog_oldest_invisible_row_timestamp_seconds", "main"]
    assert oldest == (NOW - 30 * MINUTE) / 1000


@pytest.mark.usefixtures("clock")
def test_targets_of_announcements_have_their_lag_and_their_failures(tmp_path: Path) -> None:
    sink = healthy(tmp_path / "out")
    for file in (f"hook/{3:020d}", f"hook/{4:020d}", f"hook/{4:020d}.failed", f"lake/{6:020d}", "lake/draft"):
        sink.write(f"_stoplog/main/announced/{file}", b"{}")
    found = exported(tmp_path / "one.prom", sink.root)
    assert {key[2]: value for key, value in found.items() if "lag" in key[0]} == {"hook": 2, "lake": 0}
    assert {key[2]: value for key, value in found.items() if "failing" in key[0]} == {"hook": 1, "lake": 0}


@pytest.mark.usefixtures("clock")
def test_an_unreadable_path_or_log_is_a_sample_and_hides_no_other_sink(tmp_path: Path) -> None:
    healthy(tmp_path / "good")
    torn = healthy(tmp_path / "torn")
    torn.record_path(torn.seq - 1).write_bytes(b"{")
    file = tmp_path / "all.prom"
    exported(file, tmp_path / "gone", tmp_path / "torn", tmp_path / "good")
    text = file.read_text("utf-8")
    assert f'stoplog_path_readable{{path="{tmp_path}/gone"}} 0.0' in text
    assert f'stoplog_log_readable{{path="{tmp_path}/torn",sink_id="main"}} 0.0' in text
    assert f'stoplog_log_readable{{path="{tmp_path}/good",sink_id="main"}} 1.0' in text
    assert f'stoplog_open_parts{{path="{tmp_path}/good",sink_id="main"}} 2.0' in text


def test_a_new_log_replaces_the_remembered_records(tmp_path: Path) -> None:
    sink = healthy(tmp_path / "out")
    collector = SinkCollector.of([str(sink.root)], {}, lambda: NOW)

    def kinds() -> dict[str, float]:
        families = {each.name: each for each in collector.collect()}
        kept = families["stoplog_retained_records"].samples
        return {each.labels["kind"]: each.value for each in kept if each.value}

    assert kinds() == {"claim": 1, "epoch": 4, "compact": 1}
    shutil.rmtree(sink.own)
    anew = MadeSink(sink.root)
    anew.record("claim")
    anew.record("release", at_millis=NOW - MINUTE)
    assert kinds() == {"claim": 1, "release": 1}
    shutil.rmtree(sink.own)
    assert kinds() == {}


@pytest.mark.parametrize("lost", ["_stoplog", "_stoplog/main/log/0"])
def test_a_log_without_the_records_of_the_last_scrape_is_unreadable(lost: str, tmp_path: Path) -> None:
    sink = healthy(tmp_path / "out")
    job = MadeSink(sink.root, "batch-17", settings={}, query="batch-17")
    job.record("epoch")
    collector = SinkCollector.of([str(sink.root)], {}, lambda: NOW)

    def readable() -> dict[str, float]:
        families = {each.name: each for each in collector.collect()}
        return {each.labels["sink_id"]: each.value for each in families["stoplog_log_readable"].samples}

    assert readable() == {"main": 1, "batch-17": 1}
    shutil.rmtree(job.own)
    for path in sink.root.glob(f"{lost}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert readable() == {"main": 0}
    assert readable() == {"main": 0}
    MadeSink(sink.root).record("claim")
    assert readable() == {"main": 1}


@pytest.mark.usefixtures("clock")
def test_bytes_of_a_name_outside_utf_8_are_escaped(tmp_path: Path) -> None:
    root = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    sink = healthy(root)
    sink.write(os.fsdecode(b"_stoplog/main/announced/t\xff/") + f"{3:020d}", b"{}")
    file = tmp_path / "one.prom"
    found = exported(file, root)
    assert found["stoplog_path_readable",] == 1
    assert found["stoplog_announcement_lag_records", "main", "t\\udcff"] == 3
    assert "caf\\\\udce9" in file.read_text("utf-8")


@pytest.mark.usefixtures("clock")
def test_a_label_has_no_password(tmp_path: Path) -> None:
    file = tmp_path / "one.prom"
    assert main(["exporter", "memory://me:hunter2@host/events", "--textfile", str(file)]) == ExitCode.OK
    assert 'stoplog_path_readable{path="memory://me:…@host/events"} 0.0' in file.read_text("utf-8")


@pytest.mark.usefixtures("clock")
def test_paths_with_equal_labels_are_numbered(tmp_path: Path) -> None:
    paths = [healthy(tmp_path / name / "out").root for name in ("token=a", "token=b", "other")]
    file = tmp_path / "one.prom"
    exported(file, *paths, paths[0])
    text = file.read_text("utf-8")
    labels = re.findall(r'stoplog_path_readable{path="(.*)"} 1.0', text)
    assert labels == [f"{tmp_path}/token=…", f"{tmp_path}/token=… #2", f"{tmp_path}/other/out"]
    for label in labels:
        assert f'stoplog_open_parts{{path="{label}",sink_id="main"}} 2.0' in text


@pytest.mark.usefixtures("clock")
def test_sinks_and_targets_with_equal_labels_are_numbered(tmp_path: Path) -> None:
    for sink_id in ("main-token=a", "main-token=b"):
        sink = MadeSink(tmp_path / "out", sink_id)
        sink.record("claim")
        for target in ("token=a", "token=b"):
            sink.write(f"_stoplog/{sink_id}/announced/{target}/{0:020d}", b"{}")
    found = exported(tmp_path / "one.prom", tmp_path / "out")
    lags = [key[1:] for key in found if key[0] == "stoplog_announcement_lag_records"]
    numbered = ("", " #2")
    assert lags == [(f"main-token=…{sink}", f"token=…{target}") for sink in numbered for target in numbered]


def test_a_sink_keeps_its_label_if_another_sink_with_an_equal_label_appears(tmp_path: Path) -> None:
    def seconds(collector: SinkCollector) -> dict[str, float]:
        metrics = {metric.name: metric for metric in collector.collect()}
        return {each.labels["sink_id"]: each.value for each in metrics["stoplog_records"].samples}

    later = MadeSink(tmp_path / "out", "token=b")
    later.record("claim")
    later.record("release")
    collector = SinkCollector.of([str(tmp_path / "out")], {}, lambda: 0)
    assert seconds(collector) == {"token=…": 2.0}
    MadeSink(tmp_path / "out", "token=a").record("claim")
    assert seconds(collector) == {"token=…": 2.0, "token=… #2": 1.0}


def test_a_scrape_over_http_reads_the_present_log(tmp_path: Path) -> None:
    sink = healthy(tmp_path / "events")
    process = subprocess.Popen(
        [sys.executable, "-m", "stoplog", "exporter", str(sink.root), "--port", "0"],
        stderr=subprocess.PIPE,
        text=True,
        # A shell starts background jobs with SIGINT ignored, and each child inherits this.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[-1]
        for records in (6, 7):
            with urllib.request.urlopen(address) as page:
                assert samples(page.read().decode())["stoplog_records_total", "main"] == records
            sink.record("release")
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 128 + signal.SIGINT


def test_mistakes_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["exporter", str(tmp_path), "--textfile", str(tmp_path / "no" / "x")]) == ExitCode.FAILED
    assert "STOPLOG_CANNOT_WRITE" in capsys.readouterr().err
    for wrong in (["--port", "70000"], ["--port", "x"], [], ["--port", "1", "--textfile", "x"]):
        with pytest.raises(SystemExit):
            main(["exporter", str(tmp_path), *wrong])


def test_without_its_package_the_command_names_the_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "prometheus_client", None)
    assert main(["exporter", str(tmp_path), "--port", "0"]) == ExitCode.FAILED
    assert "pip install 'stoplog[exporter]'" in capsys.readouterr().err


def test_every_metric_has_a_unit_in_its_name_and_a_help(tmp_path: Path) -> None:
    healthy(tmp_path / "events")
    file = tmp_path / "all.prom"
    exported(file, tmp_path / "events")
    for family in text_string_to_metric_families(file.read_text("utf-8")):
        assert family.documentation.endswith("."), family.name
        assert re.fullmatch(r"stoplog_[a-z_]+", family.name), family.name
        assert not re.search("millis|_ms|minutes|_mb", family.name), family.name
