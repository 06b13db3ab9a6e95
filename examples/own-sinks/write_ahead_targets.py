# SPDX-License-Identifier: Apache-2.0
"""Targets of write-ahead sinks: standard output, a REST API, and the notes of sent chunks in SQLite."""

from __future__ import annotations

import json
import os
import sqlite3
import urllib.request
import uuid

import stoplog


class Printed(stoplog.WriteAheadTarget):
    """Prints rows to the standard error of the process that sends them."""

    def send_values(self, batch, epoch, time):
        for row in batch.to_pylist():
            print(f"epoch {epoch}: {row}")
        return True


class RestApi(stoplog.WriteAheadTarget):
    """Posts the rows of a batch as JSON. The key of a request is the same each time its rows are sent.

    The server needs a header with a secret, which each process reads from an environment variable.
    """

    def __init__(self, url, variable="SHOP_API_TOKEN"):
        self.url = self.target = url
        self.variable = variable

    def send_values(self, batch, epoch, time):
        body = json.dumps(batch.to_pylist(), default=str).encode()
        key = str(uuid.uuid5(uuid.NAMESPACE_URL, f"{self.url} {epoch} {body!r}"))
        headers = {
            "Content-Type": "application/json",
            "Idempotency-Key": key,
            "Authorization": f"Bearer {os.environ.get(self.variable, '')}",
        }
        request = urllib.request.Request(self.url, body, headers)
        with urllib.request.urlopen(request, timeout=30) as response:
            return 200 <= response.status < 300


class SqliteNotes(stoplog.CheckpointCommitter):
    """Notes sent chunks in a table of SQLite, which driver and executors share."""

    def __init__(self, database):
        self.database = database

    def open(self):
        self.connection = sqlite3.connect(self.database, timeout=60, isolation_level=None)
        self.connection.execute(
            "CREATE TABLE IF NOT EXISTS sent "
            "(query TEXT, name TEXT, epoch INTEGER, PRIMARY KEY (query, name))"
        )

    def is_committed(self, chunk):
        found = self.connection.execute(
            "SELECT 1 FROM sent WHERE query = ? AND name = ?", [chunk.query, chunk.name]
        )
        return found.fetchone() is not None

    def commit(self, chunk):
        row = [chunk.query, chunk.name, chunk.epoch or 0]
        self.connection.execute("INSERT OR IGNORE INTO sent VALUES (?, ?, ?)", row)

    def forget_before(self, query, epoch):
        self.connection.execute("DELETE FROM sent WHERE query = ? AND epoch < ?", [query, epoch])

    def close(self):
        self.connection.close()
