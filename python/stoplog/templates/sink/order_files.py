# SPDX-License-Identifier: Apache-2.0
"""A sink of your own. Here the target is a directory with files of JSON lines; replace it by your system.

Tasks write the rows where no reader looks. The log decides an epoch. Then the driver makes its rows visible.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import stoplog
from stoplog import CommitOutcome, Prepared, Staged


class OrderFiles(stoplog.TwoPhaseSink):
    """Holds parameters only: the sink is sent to all tasks. Driver and executors share the directory."""

    schema = "id bigint, item string, amount double"

    def __init__(self, directory):
        self.directory = str(directory)

    def writer(self, task):
        return OrderWriter(Path(self.directory, "_staging", f"{task.id}.json"))

    def committer(self):
        return OrderCommitter(Path(self.directory))


class OrderWriter(stoplog.TwoPhaseWriter):
    """Writes the rows of one attempt of a task to a file that no other attempt has."""

    def __init__(self, file):
        file.parent.mkdir(parents=True, exist_ok=True)
        self.file, self.rows, self.out = file, 0, file.open("x", encoding="utf-8")

    def write(self, batch):
        self.out.writelines(f"{json.dumps(row)}\n" for row in batch.to_pylist())
        self.rows += batch.num_rows

    def prepare(self):
        """From here on, another process can commit the rows: they must survive the death of this process."""
        self.out.flush()
        os.fsync(self.out.fileno())
        self.out.close()
        return [Prepared(self.file.name.encode(), self.rows)]


class OrderCommitter(stoplog.TwoPhaseCommitter):
    """Makes rows visible, in the driver. A crash repeats each call, also in another process."""

    def __init__(self, directory):
        self.directory, self.staging = directory, directory / "_staging"

    def commit(self, prepared):
        name = prepared.token.decode()
        staged, final = self.staging / name, self.directory / f"part-{name}"
        try:
            os.link(staged, final)  # unlike a rename, a link never replaces a file
            outcome = CommitOutcome.COMMITTED
        except FileExistsError:
            outcome = CommitOutcome.ALREADY_COMMITTED
        except FileNotFoundError:
            outcome = CommitOutcome.ALREADY_COMMITTED if final.exists() else CommitOutcome.LOST
        staged.unlink(missing_ok=True)
        return outcome

    def staged(self):
        """Returns all output that is not committed, so that recovery can abort the output of dead tasks."""
        return [Staged(file.name.encode(), file.stat().st_mtime) for file in self.staging.glob("*.json")]

    def abort(self, prepared):
        (self.staging / prepared.token.decode()).unlink(missing_ok=True)
