# SPDX-License-Identifier: Apache-2.0
"""`overwrite_job.py` over Spark Connect."""

from __future__ import annotations

import json
import sys

from connect_session import connect_session
from overwrite_job import run

if __name__ == "__main__":
    order = json.loads(sys.argv[1])
    run(connect_session(order), order)
