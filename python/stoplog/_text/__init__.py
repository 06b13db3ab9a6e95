# SPDX-License-Identifier: Apache-2.0
"""Option values and amounts as strings, and strings without secrets."""

from __future__ import annotations
