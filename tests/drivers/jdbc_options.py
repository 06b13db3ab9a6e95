# SPDX-License-Identifier: Apache-2.0
"""What Python and the connector's jar know of each other. Its one argument is JSON (`support.jobs.Job`).

Prints whether both have the same options, and the condition of a sink that the jar refuses.
"""

from __future__ import annotations

import json
import sys

from session import session

from stoplog import InvalidOptions
from stoplog._jvm import require_door
from stoplog.jdbc import ARTIFACT, FACADE, KEYS, JdbcSink


def main(job: dict) -> None:
    spark = session(job)
    print(require_door("this test", "").connector_option_keys(FACADE, ARTIFACT) == KEYS)
    try:
        JdbcSink.for_table("jdbc:derby:d", "t").with_option("batchsize", "many").build()
    except InvalidOptions as refused:
        print(refused.condition)
    spark.stop()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
