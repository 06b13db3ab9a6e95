# SPDX-License-Identifier: Apache-2.0
"""What Spark writes down of an application."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def event_log(directory: Path) -> dict[str, str]:
    """Returns the settings of a session that writes its events to this directory, which is created."""
    directory.mkdir()
    return {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.compress": "false",
        "spark.eventLog.rolling.enabled": "false",
        "spark.eventLog.dir": directory.as_uri(),
    }


def events(directory: Path, kind: str) -> list[dict]:
    """Returns the events of this kind of the one application."""
    (log,) = directory.iterdir()
    found = (json.loads(line) for line in log.read_text().splitlines())
    return [event for event in found if event["Event"] == kind]
