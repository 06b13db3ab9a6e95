# SPDX-License-Identifier: Apache-2.0
"""The file source: its options, and its streaming and batch reads."""

from __future__ import annotations

from stoplog.source.file_source import FileSource, FileSourceBuilder

__all__ = ["FileSource", "FileSourceBuilder"]
