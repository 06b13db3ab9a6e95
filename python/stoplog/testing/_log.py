# SPDX-License-Identifier: Apache-2.0
"""The progress of a directory's sinks, from their logs."""

from __future__ import annotations

import json
from pathlib import Path

from stoplog._shared.definitions import LOG, RECORD_END, ROOT
from stoplog._storage.local import LocalStorage


def committed_epochs(directory: Path) -> int:
    """Returns the number of epochs in the newest records, summed over all sink ids."""
    storage = LocalStorage(str(directory))
    return sum(_epochs(storage, f"{ROOT}/{sink}/{LOG}") for sink in storage.children(ROOT)[0])


def _epochs(storage: LocalStorage, log: str) -> int:
    # Names are sequence numbers of fixed width. A missing record was trimmed after a newer record was
    # written.
    records = (file.path for file in storage.children(log)[1] if file.path.endswith(RECORD_END))
    for record in sorted(records, reverse=True):
        content = storage.read(record)
        if content is not None:
            last = json.loads(content)["record"]["state"].get("lastEpoch")
            return 0 if last is None else int(last) + 1
    return 0
