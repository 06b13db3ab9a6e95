# SPDX-License-Identifier: Apache-2.0
"""Built-in targets of announcements with systems that Scala tests do not have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from support.jobs import Job

if TYPE_CHECKING:
    from support.place import Place


def test_partitions_are_in_a_hive_metastore(place: Place) -> None:
    store = f"jdbc:derby:;databaseName={place.root}/metastore;create=true"
    job = Job(
        path=str(place.out),
        conf={
            "spark.sql.catalogImplementation": "hive",
            "spark.sql.warehouse.dir": f"{place.root}/warehouse",
            "spark.hadoop.javax.jdo.option.ConnectionURL": store,
            "spark.hadoop.datanucleus.schema.autoCreateAll": "true",
            "spark.hadoop.hive.metastore.schema.verification": "false",
        },
    )
    seen = "0:2026-01-31 1:2026-02-01 2:2026-01-31 3:2026-02-01"
    # Another process sees the partitions in the metastore.
    for mode in ("append", "read"):
        outcome = Job(path=job.path, conf=job.conf, mode=mode).run("metastore_job.py")
        assert outcome.code == 0
        assert outcome.printed.splitlines() == [f"of_spark {seen}", f"of_hive {seen}"]
