# SPDX-License-Identifier: Apache-2.0
"""Concurrent calls within one task; `stoplog.async_io` is the public module."""

from __future__ import annotations
