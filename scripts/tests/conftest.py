# SPDX-License-Identifier: Apache-2.0
"""The scripts are programs, not a package: their folder goes on the path, and that of the package `bench`."""

from __future__ import annotations

import sys
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(SCRIPTS), str(SCRIPTS.parent)]
