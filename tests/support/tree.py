# SPDX-License-Identifier: Apache-2.0
"""What lies in a directory that others change meanwhile."""

from __future__ import annotations

import os
from pathlib import Path


def files_below(folder: Path) -> list[Path]:
    """All of them, in order; none if there is no such directory.

    `rglob` would fail when a directory is deleted under it.
    """
    return sorted(Path(place, name) for place, _, names in os.walk(folder) for name in names)
