# SPDX-License-Identifier: Apache-2.0
"""The command line beside Spark: it tells what Spark's views tell, and is at peace with a query at work."""

from __future__ import annotations

import getpass
import io
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote
from urllib.request import Request, urlopen

import pyarrow.fs
import pytest

import stoplog
from servers import hdfs, s3mock
from stoplog.errors import CannotRead
from stoplog.inspection import Severity, SinkDirectory
from support.streams import Stream
from support.wait import until

# The maker of directories lies with the tests that need no Spark.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python" / "tests"))

from made_sink import NOW, healthy

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from support.place import Place

BY_NUMBER = {"format": "text", "bucketBy": "concat('b', substring(value, 5, 1))"}


def test_the_inspection_agrees_with_the_views(spark: SparkSession, place: Place) -> None:
    place.feed(files=6)
    Stream(spark, place, BY_NUMBER).run(
        maxRecordsPerPart="40", inactivityInterval="3 h", finalizeOnTermination="never"
    )
    directory = stoplog.inspect(place.out)
    status = directory.status()
    opened = {
        (row.bucket, row.name, row.bytes, row.records, row.unfinished_path)
        for row in stoplog.open_parts(spark, place.out).collect()
    }
    assert opened == {
        (part.bucket, part.name, part.size_bytes, part.records, part.unfinished_path) for part in status.open
    }
    for row in stoplog.parts(spark, place.out).where("state = 'published'").collect():
        found = directory.explain(f"{row.bucket}/{row.name}")
        assert (found.state.value, found.epoch) == ("finished", row.epoch)
    for row in stoplog.epochs(spark, place.out).where("kind = 'epoch'").collect():
        record = directory.epoch(row.epoch).record
        assert (record.seq, record.run, len(record.publish)) == (row.seq, row.run, row.published_parts)
        assert len(record.state.open) == row.open_parts
    assert status.rolling is not None
    assert (status.rolling.max_records, status.rolling.inactivity_millis) == (40, 3 * 3_600_000)
    assert directory.check().findings == ()


def test_open_bytes_are_equal_in_all_reports(spark: SparkSession, place: Place) -> None:
    """Parquet keeps rows beside a part until they fill a row group."""
    place.feed(files=4)
    query = Stream(spark, place, {"format": "parquet", "bucketAssigner": "basePath"}).run(
        finalizeOnTermination="never"
    )
    recorded = sum(part.size_bytes for part in stoplog.inspect(place.out).status().open)
    assert recorded > 0
    assert [each.metrics.open_bytes for each in stoplog.progress(query)] == [recorded]
    assert sum(row.bytes for row in stoplog.open_parts(spark, place.out).collect()) == recorded
    newest = stoplog.epochs(spark, place.out).where("kind = 'epoch'").orderBy("seq").tail(1)[0]
    assert newest.open_bytes == recorded


def test_following_a_query_ends_with_all_rows(spark: SparkSession, place: Place) -> None:
    place.feed(files=4)
    stream = Stream(spark, place, {"format": "parquet", "bucketAssigner": "basePath"})
    out = io.StringIO()
    following = stoplog.follow(stream.start({"availableNow": True}), every=0.1, out=out, background=True)
    assert following.join(300)
    last = out.getvalue().splitlines()[-1]
    assert "open 0 parts, 0 B" in last
    assert last.endswith(" 400 rows")


def test_a_query_of_sparks_sink_is_not_followed(spark: SparkSession, place: Place) -> None:
    place.feed()
    rows = spark.readStream.text(str(place.input))
    query = rows.writeStream.format("noop").trigger(availableNow=True).start()
    query.awaitTermination()
    with pytest.raises(stoplog.NotAStoplogQuery):
        stoplog.follow(query, out=io.StringIO())


def test_commands_of_a_sink_work_after_a_directory_compaction(spark: SparkSession, place: Place) -> None:
    place.feed(files=4)
    stream = Stream(spark, place, {"format": "parquet", "bucketAssigner": "basePath"})
    stream.run(rollingPolicy="onCheckpoint")
    place.feed(files=2)
    stream.run(rollingPolicy="onCheckpoint")
    merged = {name for merge in stoplog.compact(spark, place.out).run() for name in merge.names}
    assert merged
    directory = stoplog.inspect(place.out)
    assert directory.status().sink.sink_id == "main"
    assert "main" in directory.report().html
    (query_id,) = [sink.query_id for sink in directory.sinks() if sink.sink_id == "main"]
    assert directory.newest_record().record.state.query_id == query_id
    shown = {row.name: row.state for row in stoplog.parts(spark, place.out).collect()}
    assert {name for name, state in shown.items() if state == "replaced"} == merged
    assert {directory.explain(name).state.value for name in merged} == {"replaced"}


def test_a_view_of_a_missing_path_is_rejected(spark: SparkSession, tmp_path: Path) -> None:
    for view in (stoplog.parts, stoplog.epochs, stoplog.open_parts, stoplog.incomplete_buckets):
        with pytest.raises(Exception, match="nope") as raised:
            view(spark, tmp_path / "nope").collect()
        assert stoplog.condition_of(raised.value) == "STOPLOG_SINK_UNKNOWN"


def test_a_query_at_work_is_never_reported_as_damage(spark: SparkSession, place: Place) -> None:
    """Epochs, rolls by the clock, publishing and trimming go on while the directory is looked at."""
    options = {"maxRecordsPerPart": "30", "bucketCheckInterval": "20ms", "inactivityInterval": "50ms"}
    place.feed(files=16)
    query = Stream(spark, place, BY_NUMBER).start(**options)
    directory = stoplog.inspect(place.out)
    looks = []

    def looked() -> bool:
        report = directory.check()
        assert [one for one in report.findings if one.severity is not Severity.INFO] == []
        directory.status("main")
        looks.append(report.records)
        return query.lastProgress is not None and query.lastProgress.batchId >= 7

    try:
        until("the first record", lambda: any(place.records()))
        until("eight epochs", looked)
        assert looks
    finally:
        query.stop()
    assert stoplog.await_finished(query, timeout=300).in_time
    assert len(looks) > 2
    assert directory.check().is_healthy


def test_a_directory_on_s3_is_read_as_on_a_disk(tmp_path: Path) -> None:
    sink = healthy(tmp_path / "events")
    with s3mock(tmp_path / "server") as server:
        options = {
            "access_key": server.conf["spark.hadoop.fs.s3a.access.key"],
            "secret_key": server.conf["spark.hadoop.fs.s3a.secret.key"],
            "endpoint_override": server.conf["spark.hadoop.fs.s3a.endpoint"],
            "region": "us-east-1",
        }
        # A busy machine is slower than the client's own second.
        limits = {"connect_timeout": 60, "request_timeout": 60}
        remote = pyarrow.fs.S3FileSystem(**options, **limits)
        options |= {limit: str(seconds) for limit, seconds in limits.items()}
        root = f"{server.root}/events"
        bucket = root.split("://")[1]
        pyarrow.fs.copy_files(str(sink.root), bucket, destination_filesystem=remote)

        def both() -> list[SinkDirectory]:
            return [SinkDirectory(sink.root, clock=clock), SinkDirectory(root, options, clock=clock)]

        local, on_s3 = both()
        assert on_s3.sinks() == local.sinks()
        assert on_s3.status().open == local.status().open
        assert [(b.bucket, b.finished, b.finished_bytes) for b in on_s3.status().buckets] == [
            (b.bucket, b.finished, b.finished_bytes) for b in local.status().buckets
        ]
        assert on_s3.newest_record() == local.newest_record()
        assert on_s3.explain(sink.name(5)) == local.explain(sink.name(5))
        assert on_s3.check().findings == local.check().findings == ()
        remote.delete_file(f"{bucket}/{sink.staged_path('day=3', 5)}")
        (sink.root / sink.staged_path("day=3", 5)).unlink()
        assert on_s3.check().findings == local.check().findings != ()


@pytest.mark.long
def test_a_directory_on_hdfs_is_read_by_http(tmp_path: Path) -> None:
    sink = healthy(tmp_path / "events")
    with hdfs(tmp_path / "server") as server:
        address = server.http.removeprefix("http://").removesuffix("/webhdfs/v1")
        root = f"webhdfs://{address}/events"
        for file in sorted(path for path in sink.root.rglob("*") if path.is_file()):
            created(f"{server.http}/events/{quote(str(file.relative_to(sink.root)))}", file.read_bytes())
        local = SinkDirectory(sink.root, clock=clock)
        remote = SinkDirectory(root, {"user": getpass.getuser()}, clock=clock)
        assert remote.sinks() == local.sinks()
        assert remote.status().open == local.status().open
        assert remote.newest_record() == local.newest_record()
        assert remote.check().findings == local.check().findings == ()
        assert stoplog.inspect(f"{root}/day=2").sinks() == []
        with pytest.raises(CannotRead, match="the directory does not exist"):
            stoplog.inspect(f"{root}/gone").sinks()
    with pytest.raises(CannotRead, match="refused"):
        remote.sinks()


def created(url: str, content: bytes) -> None:
    """A file, by the two steps of WebHDFS."""
    where = Request(f"{url}?op=CREATE&user.name={getpass.getuser()}&noredirect=true", method="PUT")
    with urlopen(where, timeout=60) as answer:
        target = json.load(answer)["Location"]
    with urlopen(Request(target, data=content, method="PUT"), timeout=60):
        pass


def clock() -> int:
    return NOW
