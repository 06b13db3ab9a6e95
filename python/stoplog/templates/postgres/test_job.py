# SPDX-License-Identifier: Apache-2.0
"""The job is killed while it writes to a real database. The table has the newest version of each customer."""

from __future__ import annotations

import os

import job
import pytest
import settings

from stoplog.testing import Step

pytestmark = pytest.mark.skipif("DATABASE_URL" not in os.environ, reason="DATABASE_URL names no database")
CONF = {"spark.jars.packages": settings.PACKAGES}


def changes(number):
    return [{"id": key, "name": f" version {number} ", "version": number} for key in range(100)]


def table():
    properties = {"user": settings.USER, "password": settings.PASSWORD, "driver": "org.postgresql.Driver"}
    return job.session().read.jdbc(settings.URL, settings.TABLE, properties=properties).collect()


def test_each_customer_has_the_newest_version_after_a_crash(stoplog_pipeline):
    pipeline = stoplog_pipeline(job.build, conf=CONF)
    pipeline.feed(changes(9))
    pipeline.kill_at(Step.JDBC_BATCH_SENT)
    pipeline.feed(changes(4))
    pipeline.run()
    found = table()
    assert len(found) == 100
    assert {(row.name, row.version) for row in found} == {("version 9", 9)}
