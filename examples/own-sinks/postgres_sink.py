# SPDX-License-Identifier: Apache-2.0
"""Rows in a table of PostgreSQL, each task's rows in one prepared transaction of the database."""

from __future__ import annotations

import time

import psycopg
from psycopg import errors, sql

import stoplog
from stoplog import CommitOutcome, Prepared, Staged


class PostgresSink(stoplog.TwoPhaseSink):
    """Appends rows to an existing table with columns of the same names.

    The server needs `max_prepared_transactions` above the number of tasks, and the database needs the table
    `CREATE TABLE stoplog_outputs (name text PRIMARY KEY)`. A password is in `PGPASSWORD` or in `~/.pgpass`
    of the driver and the executors, and not in `dsn`.
    """

    def __init__(self, dsn: str, table: str) -> None:
        self.dsn, self.table = dsn, table
        self.target = f"the table {table}"
        self.prefix = f"stoplog {table} "

    def writer(self, task):
        return RowsWriter(self.dsn, self.table, self.prefix + task.id)

    def committer(self):
        return PostgresCommitter(self.dsn, self.prefix)


class RowsWriter(stoplog.TwoPhaseWriter):
    """Copies rows in a transaction, which the server rolls back if the task ends before `prepare`."""

    def __init__(self, dsn, table, name):
        self.connection = psycopg.connect(dsn)
        self.table, self.name, self.rows = sql.Identifier(*table.split(".")), name, 0

    def write(self, batch):
        columns = sql.SQL(", ").join(map(sql.Identifier, batch.schema.names))
        into = sql.SQL("COPY {} ({}) FROM STDIN").format(self.table, columns)
        with self.connection.cursor() as cursor, cursor.copy(into) as copy:
            for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
                copy.write_row(row)
        self.rows += batch.num_rows

    def prepare(self):
        # The row is visible together with the others: a repeated commit finds that nothing is lost.
        self.connection.execute("INSERT INTO stoplog_outputs VALUES (%s)", [self.name])
        self.connection.execute(sql.SQL("PREPARE TRANSACTION {}").format(self.name))
        self.connection.close()
        return [Prepared(self.name.encode(), self.rows)]

    def abort(self):
        self.connection.close()


class PostgresCommitter(stoplog.TwoPhaseCommitter):
    def __init__(self, dsn, prefix):
        self.prefix = prefix
        self.connection = psycopg.connect(dsn, autocommit=True)

    def commit(self, prepared):
        name = prepared.token.decode()
        if self._ended("COMMIT PREPARED {}", name):
            return CommitOutcome.COMMITTED
        row = self.connection.execute("SELECT 1 FROM stoplog_outputs WHERE name = %s", [name]).fetchone()
        return CommitOutcome.ALREADY_COMMITTED if row else CommitOutcome.LOST

    def staged(self):
        found = self.connection.execute(
            "SELECT gid, extract(epoch FROM prepared) FROM pg_prepared_xacts "
            "WHERE database = current_database() AND starts_with(gid, %s)",
            [self.prefix],
        )
        return [Staged(name.encode(), float(since)) for name, since in found]

    def abort(self, prepared):
        self._ended("ROLLBACK PREPARED {}", prepared.token.decode())

    def close(self):
        self.connection.close()

    def _ended(self, statement, name):
        """Whether this call has ended the transaction, and not an earlier call."""
        while True:
            try:
                self.connection.execute(sql.SQL(statement).format(name))
                return True
            except errors.UndefinedObject:
                return False
            except errors.ObjectInUse:  # another process ends it at this moment
                time.sleep(0.1)
