# SPDX-License-Identifier: Apache-2.0
"""Rules for the targets of announcements."""

from __future__ import annotations

from collections.abc import Iterator

from stoplog._inspect.check.facts import Facts
from stoplog._inspect.check.finding import Finding, FindingKind
from stoplog._inspect.check.rules import finding
from stoplog._inspect.targets import targets
from stoplog._shared.definitions import DIRECTORIES, ROOT


def target_findings(facts: Facts) -> Iterator[Finding]:
    """Finds targets that have failed and lack announcements."""
    newest = max(facts.log.records, default=-1)
    for target in targets(facts.storage, facts.sink_id, newest):
        if target.last_error is not None and target.waiting_records > 0:
            message = (
                f"Target {target.name} of sink {facts.sink_id} may lack {target.waiting_records} records "
                f"from record {target.next_record} on: {target.last_error.rstrip('.')}."
            )
            path = f"{ROOT}/{facts.sink_id}/{DIRECTORIES['announced']}/{target.name}"
            yield finding(FindingKind.TARGET_FAILED, message, path, facts.sink_id)
