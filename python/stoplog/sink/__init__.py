# SPDX-License-Identifier: Apache-2.0
"""The file sink: its options, and its streaming and batch writes."""

from __future__ import annotations

from stoplog.sink.file_sink import FACADE, FileSink, FileSinkBuilder, SaveMode
from stoplog.sink.parts import Compression

__all__ = ["FACADE", "Compression", "FileSink", "FileSinkBuilder", "SaveMode"]
