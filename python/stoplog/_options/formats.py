# SPDX-License-Identifier: Apache-2.0
"""The names of the formats."""

from __future__ import annotations

ROW_FORMATS = frozenset({"text", "json", "csv"})
"""Written row by row: `FileSink.for_row_format`."""

BULK_FORMATS = frozenset({"parquet", "orc", "avro", "sequencefile"})
"""Written in blocks of rows: `FileSink.for_bulk_format`."""

RECORD_FORMATS = ("text", "json", "csv", "lengthDelimited")
"""Read record by record: `FileSource.for_record_stream_format`."""

FILE_FORMATS = ("parquet", "orc", "avro", "binaryFile")
"""Read in blocks of records: `FileSource.for_bulk_file_format`."""
