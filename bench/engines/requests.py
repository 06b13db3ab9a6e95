# SPDX-License-Identifier: Apache-2.0
"""What each contender asks an S3 server for, in commits of few rows; and whether each row is there once."""

from __future__ import annotations

import shutil
import sys
import urllib.request
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit

from bench.engines.counting import counting
from bench.engines.exactly_once import delta_files, require_each_once
from bench.engines.iceberg import live_files
from bench.engines.paths import class_path
from bench.engines.plan import Contender, Engine, Job, Plan
from bench.engines.spark_sinks import environment, settings
from bench.engines.worker import worker
from tests.servers.starting import BUCKET, Server, s3mock

_XML = "{http://s3.amazonaws.com/doc/2006-03-01/}"


@dataclass(frozen=True, slots=True)
class RequestCount:
    """The requests of a whole job, and what it leaves: objects with rows, and others."""

    contender: Contender
    commits: int
    requests: Mapping[str, int]
    objects: int
    other_objects: int

    @property
    def per_commit(self) -> float:
        return sum(self.requests.values()) / self.commits


def asked(contenders: Sequence[Contender], plan: Plan, folder: Path) -> list[RequestCount]:
    """Each contender once: what is counted does not depend on the machine."""
    with s3mock(folder / "s3") as server, counting(server.http.removesuffix(f"/{BUCKET}")) as counted:
        found: dict[str, RequestCount] = {}
        for engine in dict.fromkeys(each.engine for each in contenders):
            place = folder / engine
            conf, environment = client(engine, server, counted.endpoint, place)
            with worker(engine, place, conf, environment) as process:
                for contender in (each for each in contenders if each.engine == engine):
                    out = f"{'s3' if engine == 'Flink' else 's3a'}://{BUCKET}/{contender.word}"
                    state = str((place / contender.word).absolute())
                    job = plan.requests().at(out, state)
                    counted.taken()
                    ran = process.run(contender, job)
                    requests = counted.taken()
                    objects, others = checked(contender, job, server)
                    found[contender.name] = RequestCount(contender, ran.commits, requests, objects, others)
                    print(f"S3: {contender.name}: {dict(requests)}", file=sys.stderr)
    return [found[each.name] for each in contenders]


def client(
    engine: Engine, server: Server, endpoint: str, place: Path
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Settings and environment variables of a worker whose tables are on the server."""
    if engine == "Flink":
        plugins = place / "plugins"
        (plugins / "s3").mkdir(parents=True)
        for jar in class_path("flinkS3").split(":"):
            shutil.copy(jar, plugins / "s3")
        conf = {
            "s3.endpoint": endpoint,
            "s3.path.style.access": "true",
            "s3.access-key": BUCKET,
            "s3.secret-key": BUCKET,
        }
        return conf, {"FLINK_PLUGINS_DIR": str(plugins)}
    own = settings(engine)
    s3a = class_path("icebergS3").replace(":", ",") if engine == "Iceberg" else server.conf["spark.jars"]
    jars = ",".join([s3a, *([own["spark.jars"]] if "spark.jars" in own else [])])
    conf = {**server.conf, **own, "spark.jars": jars, "spark.hadoop.fs.s3a.endpoint": endpoint}
    return conf, environment(engine)


def checked(contender: Contender, job: Job, server: Server) -> tuple[int, int]:
    """How many objects hold the rows, and how many others there are; raises if that is not each row once."""
    keys = listed(server, contender.word)
    if contender.engine == "Delta":
        options = {
            "AWS_ENDPOINT_URL": server.http.removesuffix(f"/{BUCKET}"),
            "AWS_ACCESS_KEY_ID": BUCKET,
            "AWS_SECRET_ACCESS_KEY": BUCKET,
            "AWS_REGION": "us-east-1",
            "AWS_ALLOW_HTTP": "true",
        }
        own = [key_of(uri) for uri in delta_files(job.out.replace("s3a://", "s3://"), options)]
    elif contender.engine == "Iceberg":
        uris = live_files(job.out, lambda uri: fetched(f"{server.http}/{quote(key_of(uri))}"))
        own = [key_of(uri) for uri in uris]
    else:
        own = [key for key in keys if key.count("/") == 1 and key.split("/")[1][:1] not in {"", ".", "_"}]
    require_each_once(contender, [fetched(f"{server.http}/{quote(key)}") for key in own], job.all_rows)
    return len(own), len(keys) - len(own)


def key_of(uri: str) -> str:
    return urlsplit(uri).path.lstrip("/")


def listed(server: Server, prefix: str) -> list[str]:
    keys: list[str] = []
    token = ""
    while True:
        more = f"&continuation-token={quote(token, safe='')}" if token else ""
        page = ET.fromstring(fetched(f"{server.http}?list-type=2&prefix={prefix}/{more}"))
        keys += [str(key.text) for key in page.iter(f"{_XML}Key")]
        token = page.findtext(f"{_XML}NextContinuationToken") or ""
        if not token:
            return keys


def fetched(url: str) -> bytes:
    with urllib.request.urlopen(url) as answer:
        content: bytes = answer.read()
        return content
