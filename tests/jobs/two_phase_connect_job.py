# SPDX-License-Identifier: Apache-2.0
"""A stream and a batch into a sink in Python from a client of Spark Connect; the argument is JSON (`Job`).

The class is defined here, as in a cell of a notebook. Prints a line of JSON with the error of a commit.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "own-sinks"))

import transactional_files
from connect_session import connect_session
from pyspark import cloudpickle
from transactional_files import LinesCommitter, TransactionalFiles

import stoplog


class Failing(TransactionalFiles):
    def committer(self):
        return FailingCommitter(self.directory)


class FailingCommitter(LinesCommitter):
    def commit(self, prepared):
        raise OSError("the directory is full")


def main(job: dict) -> None:
    cloudpickle.register_pickle_by_value(transactional_files)
    spark = connect_session(job)
    rows = spark.readStream.option("maxFilesPerTrigger", job["files"]).text(job["input"])

    def run(sink: TransactionalFiles, checkpoint: str) -> None:
        writer = sink.write_stream(rows, checkpoint).trigger(availableNow=True)
        writer.start().awaitTermination()

    run(TransactionalFiles(job["path"]), job["checkpoint"])
    TransactionalFiles(f"{job['path']}-batch").write(
        spark.range(job["rows"]).selectExpr("cast(id as string)")
    )
    try:
        run(Failing(f"{job['path']}-failing"), f"{job['checkpoint']}-failing")
    except Exception as error:
        print(json.dumps([stoplog.condition_of(error), str(error)]), flush=True)
    spark.stop()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
