# SPDX-License-Identifier: Apache-2.0
"""Builders of options, and the names of formats."""

from __future__ import annotations
