# SPDX-License-Identifier: Apache-2.0
"""One streaming query from text files into a sink in Python; its one argument is JSON (`support.jobs.Job`).

The sink is the example of the guide, with delays by files that a test creates: `<path>/slow-commit`. Prints
`started` when the query runs, then a line of JSON with its last progress.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from session import halted, session

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "own-sinks"))

import transactional_files
from pyspark import cloudpickle
from transactional_files import LinesCommitter, TransactionalFiles


class SlowFiles(TransactionalFiles):
    def committer(self) -> SlowCommitter:
        return SlowCommitter(self.directory)


class SlowCommitter(LinesCommitter):
    def commit(self, prepared):
        outcome = super().commit(prepared)
        if (self.directory / "slow-commit").exists():
            (self.directory / "committing").touch()
            time.sleep(600)
        return outcome


def main(job: dict) -> None:
    # Executors have neither this script nor the example.
    cloudpickle.register_pickle_by_value(transactional_files)
    spark = session(job)
    rows = spark.readStream.option("maxFilesPerTrigger", job["files"]).text(job["input"])
    writer = SlowFiles(job["path"]).write_stream(rows, job["checkpoint"]).options(**job["options"])
    query = writer.trigger(**job["trigger"]).start()
    print("started", flush=True)
    query.awaitTermination()
    print(json.dumps(query.lastProgress["sink"] if query.lastProgress else None), flush=True)
    spark.stop()


if __name__ == "__main__":
    with halted():
        main(json.loads(sys.argv[1]))
