# SPDX-License-Identifier: Apache-2.0
"""The settings of the job. Environment variables override them."""

from __future__ import annotations

import os

NAME = "PROJECT_NAME"
LANDING = os.environ.get("LANDING", "landing")
QUARANTINE = os.environ.get("QUARANTINE", "quarantine")
ARCHIVE = os.environ.get("ARCHIVE", "archive")
OUTPUT = os.environ.get("OUTPUT", "output")
CHECKPOINT = os.environ.get("CHECKPOINT", "checkpoint")
