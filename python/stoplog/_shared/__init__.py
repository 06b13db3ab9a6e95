# SPDX-License-Identifier: Apache-2.0
"""Definitions that Python and Scala share, and the version that both have."""

from __future__ import annotations
