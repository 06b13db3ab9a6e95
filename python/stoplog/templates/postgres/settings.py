# SPDX-License-Identifier: Apache-2.0
"""The settings of the job. Environment variables override them."""

from __future__ import annotations

import os

NAME = "PROJECT_NAME"
INPUT = os.environ.get("INPUT", "input")
CHECKPOINT = os.environ.get("CHECKPOINT", "checkpoint")
URL = os.environ.get("DATABASE_URL", "jdbc:postgresql://localhost:5432/postgres")
USER = os.environ.get("DATABASE_USER", "postgres")
PASSWORD = os.environ.get("DATABASE_PASSWORD", "")
TABLE = os.environ.get("DATABASE_TABLE", "customers")
# Spark downloads these jars at its first start.
PACKAGES = os.environ.get(
    "SPARK_PACKAGES",
    "io.github.stoplog:stoplog-jdbc_2.13:RELEASE_OF_STOPLOG,org.postgresql:postgresql:42.7.14",
)
