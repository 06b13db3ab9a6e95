# SPDX-License-Identifier: Apache-2.0
"""Inspection of a sink's directory. The public module is `stoplog.inspection`."""

from __future__ import annotations
