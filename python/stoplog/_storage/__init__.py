# SPDX-License-Identifier: Apache-2.0
"""Reading a directory where it lies, without Spark: local files by Python, others by pyarrow or fsspec."""

from __future__ import annotations

from stoplog._storage.files import FileInfo, Storage
from stoplog._storage.opening import NO_OPTIONS, open_storage

__all__ = ["NO_OPTIONS", "FileInfo", "Storage", "open_storage"]
