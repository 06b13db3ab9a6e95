# SPDX-License-Identifier: Apache-2.0
"""Compares a sink's directory with its log: the rules of `stoplog check`."""

from __future__ import annotations

from stoplog._inspect.check.facts import unwatched
from stoplog._inspect.check.finding import CheckReport, Finding, FindingKind, Severity
from stoplog._inspect.check.run import check, no_tables

__all__ = ["CheckReport", "Finding", "FindingKind", "Severity", "check", "no_tables", "unwatched"]
