# SPDX-License-Identifier: Apache-2.0
"""Reads a directory in place without Spark: local files by Python, other files by pyarrow or fsspec."""

from __future__ import annotations

from stoplog._storage.files import FileInfo, Storage
from stoplog._storage.opening import NO_OPTIONS, open_storage

__all__ = ["NO_OPTIONS", "FileInfo", "Storage", "open_storage"]
