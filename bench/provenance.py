# SPDX-License-Identifier: Apache-2.0
"""Where, when and of which code figures were taken, so that a page says how old it is."""

from __future__ import annotations

import functools
import platform
import subprocess
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@functools.cache
def provenance() -> str:
    """The machine, the day, and the commit; `-dirty` behind that where there was more than the commit.

    As it was when it was first asked: the pages that a run writes are no part of what it measures.
    """
    return f"{machine()}; {datetime.now(UTC):%Y-%m-%d}, commit {commit()}"


def machine() -> str:
    with Path("/proc/cpuinfo").open(encoding="utf-8") as lines:
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} x {names[0] if names else platform.processor()}, Linux {platform.release()}"


def commit() -> str:
    """The pages of figures do not count: each section is written when it is measured, before the next one."""
    changed = _git("status", "--porcelain", "--", ".", ":!docs/reference")
    return _git("rev-parse", "--short=10", "HEAD") + ("-dirty" if changed else "")


def _git(*arguments: str) -> str:
    ran = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return ran.stdout.strip()
