# SPDX-License-Identifier: Apache-2.0
"""The built-in targets of announcements, with real receivers."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from support.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from servers import KafkaBroker
    from support.place import Place

SECRET = "not-in-any-option"


def test_a_sink_announces_each_file_to_all_targets(
    spark: SparkSession, broker: KafkaBroker, place: Place
) -> None:
    out, secret = place.out, place.root / "secret"
    secret.write_text(SECRET)
    topic = broker.create("announced")
    database = f"jdbc:derby:{place.root}/warehouse;create=true"
    spark.sql(f"CREATE TABLE announced (id BIGINT, n INT) USING json PARTITIONED BY (n) LOCATION '{out}'")
    try:
        with webhook() as (url, requests):
            options = {
                "announce.hook": "webhook",
                "announce.hook.url": url,
                "announce.hook.secret": f"file:{secret}",
                "announce.bus": "kafka",
                "announce.bus.kafka.bootstrap.servers": broker.servers,
                "announce.bus.topic": topic,
                "announce.warehouse": "jdbc",
                "announce.warehouse.url": database,
                "announce.warehouse.dbtable": "announced_files",
                "announce.lake": "catalog",
                "announce.lake.table": "announced",
                "announce.lake.partitions": "all",
                "announceAtEnd": "5m",
            }
            for first in (0, 40):
                rows = spark.range(first, first + 40).selectExpr("id", "CAST(id % 2 AS INT) AS n")
                writer = rows.write.format("stoplog").mode("append").options(format="json", **options)
                writer.partitionBy("n").save(str(out))
        visible = sorted(str(file.relative_to(out)) for file in out.glob("n=*/*.json"))
        assert visible
        for request in requests:
            assert is_signed(request)
        assert files(request["body"]["data"] for request in requests) == visible
        assert files(json.loads(value) for value in broker.committed(topic)) == visible
        table = spark.read.format("jdbc").options(url=database, dbtable="announced_files").load()
        assert sorted(row.FILE_PATH for row in table.where("CHANGE_KIND = 'added'").collect()) == visible
        assert spark.table("announced").count() == 80
    finally:
        spark.sql("DROP TABLE announced")


def test_partitions_are_in_a_hive_metastore(place: Place) -> None:
    store = f"jdbc:derby:;databaseName={place.root}/metastore;create=true"
    conf = {
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.warehouse.dir": f"{place.root}/warehouse",
        "spark.hadoop.javax.jdo.option.ConnectionURL": store,
        "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
        "spark.hadoop.hive.metastore.schema.verification": "false",
    }
    seen = "0:2026-01-31 1:2026-02-01 2:2026-01-31 3:2026-02-01"
    # Another process sees the partitions in the metastore.
    for mode in ("append", "read"):
        outcome = Job(path=str(place.out), conf=conf, mode=mode).run("metastore_job.py")
        assert outcome.code == 0
        assert outcome.printed.splitlines() == [f"of_spark {seen}", f"of_hive {seen}"]


def files(payloads: Iterator[dict[str, Any]]) -> list[str]:
    return sorted(file["path"] for payload in payloads for file in payload["files"])


def is_signed(request: dict[str, Any]) -> bool:
    signed = f"{request['webhook-id']}.{request['webhook-timestamp']}.{request['text']}".encode()
    digest = base64.b64encode(hmac.new(SECRET.encode(), signed, hashlib.sha256).digest()).decode()
    return hmac.compare_digest(request["webhook-signature"], f"v1,{digest}")


@contextmanager
def webhook() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A receiver on this machine: its URL, and the requests that have arrived."""
    requests: list[dict[str, Any]] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["content-length"])).decode()
            headers = {name.lower(): value for name, value in self.headers.items()}
            requests.append(headers | {"text": text, "body": json.loads(text)})
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Prints nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/", requests
    finally:
        server.shutdown()
        server.server_close()
