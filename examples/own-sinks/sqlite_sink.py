# SPDX-License-Identifier: Apache-2.0
"""Rows of several columns in a table of SQLite, all outputs of an epoch in one transaction."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import stoplog
from stoplog import CommitOutcome, Prepared, Staged


class SqliteSink(stoplog.TwoPhaseSink):
    """Appends rows to an existing table. Driver and executors share the directory of the database.

    Tasks write their rows to files next to the database. A commit inserts the rows of these files, and their
    names into the table `committed_outputs`, in one transaction: so no output is inserted twice.
    """

    def __init__(self, database: str, table: str) -> None:
        self.database, self.table = database, table
        self.target = f"the table {table} of {Path(database).name}"

    def writer(self, task):
        return RowsWriter(_staging(self.database) / f"{task.id}.json")

    def committer(self):
        return SqliteCommitter(self.database, self.table)


class RowsWriter(stoplog.TwoPhaseWriter):
    def __init__(self, file):
        file.parent.mkdir(parents=True, exist_ok=True)
        self.file, self.rows = file, []

    def write(self, batch):
        self.rows += batch.to_pylist()

    def prepare(self):
        with self.file.open("x", encoding="utf-8") as out:
            json.dump(self.rows, out, default=str)
            out.flush()
            os.fsync(out.fileno())
        return [Prepared(self.file.name.encode(), len(self.rows), self.file.stat().st_size)]


class SqliteCommitter(stoplog.TwoPhaseCommitter):
    def __init__(self, database, table):
        self.table, self.staging = table, _staging(database)
        self.connection = sqlite3.connect(database, timeout=60, isolation_level=None)
        self.connection.execute("CREATE TABLE IF NOT EXISTS committed_outputs (name TEXT PRIMARY KEY)")

    def commit(self, prepared):
        return self.commit_all([prepared])[0]

    def commit_all(self, prepared):
        names = [each.token.decode() for each in prepared]
        with closing(self.connection.cursor()) as cursor:
            cursor.execute("BEGIN IMMEDIATE")  # one committer at a time, in whichever process
            try:
                outcomes = [self._insert(cursor, name) for name in names]
                cursor.execute("COMMIT")
            except BaseException:
                cursor.execute("ROLLBACK")
                raise
        for name in names:
            (self.staging / name).unlink(missing_ok=True)
        return outcomes

    def _insert(self, cursor, name):
        cursor.execute("INSERT OR IGNORE INTO committed_outputs VALUES (?)", [name])
        if cursor.rowcount == 0:
            return CommitOutcome.ALREADY_COMMITTED
        if not (self.staging / name).exists():
            cursor.execute("DELETE FROM committed_outputs WHERE name = ?", [name])
            return CommitOutcome.LOST
        for row in json.loads((self.staging / name).read_text()):
            columns = ", ".join(f'"{column}"' for column in row)
            values = ", ".join("?" * len(row))
            cursor.execute(f"INSERT INTO {self.table} ({columns}) VALUES ({values})", list(row.values()))
        return CommitOutcome.COMMITTED

    def staged(self):
        return [Staged(file.name.encode(), file.stat().st_mtime) for file in self.staging.glob("*.json")]

    def abort(self, prepared):
        (self.staging / prepared.token.decode()).unlink(missing_ok=True)

    def close(self):
        self.connection.close()


def _staging(database):
    return Path(f"{database}.staging")
