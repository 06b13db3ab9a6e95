# SPDX-License-Identifier: Apache-2.0
"""The settings of the job. Environment variables override them."""

from __future__ import annotations

import os

NAME = "PROJECT_NAME"
INPUT = os.environ.get("INPUT", "input")
OUTPUT = os.environ.get("OUTPUT", "output")
CHECKPOINT = os.environ.get("CHECKPOINT", "checkpoint")
