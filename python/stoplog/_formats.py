# SPDX-License-Identifier: Apache-2.0
"""The formats that have a name."""

from __future__ import annotations

ROW_FORMATS = frozenset({"text", "json", "csv"})
"""Written row by row: `FileSink.for_row_format`."""

BULK_FORMATS = frozenset({"parquet", "orc", "avro", "sequencefile"})
"""Written many rows together: `FileSink.for_bulk_format`."""

RECORD_FORMATS = ("text", "json", "csv", "lengthDelimited")
"""Read record by record: `FileSource.for_record_stream_format`."""

FILE_FORMATS = ("parquet", "orc", "avro", "binaryFile")
"""Read many records together: `FileSource.for_bulk_file_format`."""
