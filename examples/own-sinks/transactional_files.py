# SPDX-License-Identifier: Apache-2.0
"""Files of lines, each under a hidden name until its epoch is committed: a complete sink of one's own."""

from __future__ import annotations

import os
from pathlib import Path

import stoplog
from stoplog import CommitOutcome, Prepared, Staged


class TransactionalFiles(stoplog.TwoPhaseSink):
    """Writes the first column of each row as a line. Driver and executors share the directory."""

    def __init__(self, directory: str | os.PathLike[str]) -> None:
        self.directory = Path(directory)

    def writer(self, task: stoplog.WriterTask) -> stoplog.TwoPhaseWriter:
        return LinesWriter(self.directory / "_staging" / f"{task.id}.txt")

    def committer(self) -> stoplog.TwoPhaseCommitter:
        return LinesCommitter(self.directory)


class LinesWriter(stoplog.TwoPhaseWriter):
    """Writes to a file that no other attempt has."""

    def __init__(self, file):
        file.parent.mkdir(parents=True, exist_ok=True)
        self.file, self.rows = file, 0
        self.out = file.open("x", encoding="utf-8")

    def write(self, batch):
        values = batch.column(0).to_pylist()
        self.out.writelines(f"{value}\n" for value in values)
        self.rows += batch.num_rows

    def prepare(self):
        self.out.flush()
        os.fsync(self.out.fileno())
        self.out.close()
        return [Prepared(self.file.name.encode(), self.rows)]


class LinesCommitter(stoplog.TwoPhaseCommitter):
    """Gives files their final names."""

    def __init__(self, directory):
        self.directory, self.staging = directory, directory / "_staging"

    def commit(self, prepared):
        name = prepared.token.decode()
        staged, final = self.staging / name, self.directory / name
        try:
            os.link(staged, final)  # a link never overwrites a file
            outcome = CommitOutcome.COMMITTED
        except FileExistsError:
            outcome = CommitOutcome.ALREADY_COMMITTED
        except FileNotFoundError:
            outcome = CommitOutcome.LOST
            if final.exists():
                outcome = CommitOutcome.ALREADY_COMMITTED
        staged.unlink(missing_ok=True)
        return outcome

    def staged(self):
        files = self.staging.glob("*.txt")
        return [Staged(f.name.encode(), f.stat().st_mtime) for f in files]

    def abort(self, prepared):
        (self.staging / prepared.token.decode()).unlink(missing_ok=True)
