# SPDX-License-Identifier: Apache-2.0
"""A table of Cassandra's into which files write the same keys again and again: what came last must stay."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING

from support.epochs import committed, until_epoch
from support.jobs import GIVE_UP_SECONDS, KILLED

if TYPE_CHECKING:
    from collections.abc import Iterable

    from servers import Cassandra
    from support.jobs import Job
    from support.place import Place

COLUMNS = "id int PRIMARY KEY, file int"
SELECT = ["CAST(substr(value, 7) AS INT) AS id", "CAST(substr(value, 1, 5) AS INT) AS file"]
_KEYS = 400
_SEED = 20_261_122


def assert_newest_stays(
    node: Cassandra, place: Place, job: Job, script: str, faults: Iterable[str], kills: int
) -> None:
    """Halts the query at each fault, and kills the query after some epochs.

    In every second round, the server is killed in the middle of an epoch first.

    Args:
        script: prints, behind `found `, the rows of the table as JSON when its query has ended.
    """
    for fault in faults:
        _feed(place, 4)
        assert replace(job, fault=fault).run(script).code == KILLED

    moments = random.Random(_SEED)
    for number in range(kills):
        _feed(place, 10)
        with job.running(script):
            until_epoch(place, committed(place) + moments.randint(1, 4))
            if number % 2 == 0:
                node.restart()
                until_epoch(place, committed(place) + 1)

    # The server is gone for a while in the middle of an epoch: requests are sent again until it is back.
    _feed(place, 6)
    with job.running(script) as process:
        until_epoch(place, committed(place) + 2)
        node.restart()
        printed, _ = process.communicate(timeout=GIVE_UP_SECONDS)
    assert process.returncode == 0
    assert _found(printed) == [[key, place.files - 1] for key in range(_KEYS)]


def _feed(place: Place, files: int) -> None:
    """Each a second younger than the one before: Spark takes the oldest first, equals in any order."""
    for _ in range(files):
        place.feed(rows=_KEYS, age_seconds=1_000 - place.files)


def _found(printed: str) -> list[list[int]]:
    rows = next(line for line in printed.splitlines() if line.startswith("found "))
    return json.loads(rows.removeprefix("found "))
