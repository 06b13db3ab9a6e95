# SPDX-License-Identifier: Apache-2.0
"""Formats that turn many rows together into bytes, in blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stoplog._builder import OptionBacked, required
from stoplog._formats import BULK_FORMATS, ROW_FORMATS
from stoplog._values import Value, mapping, own_class, pairs_of, present, string

if TYPE_CHECKING:
    from collections.abc import Mapping

_READING = re.compile(r"^bulkWriter\b")


@dataclass(frozen=True, slots=True, repr=False)
class BulkFormat(OptionBacked):
    """Parquet, ORC, Avro, SequenceFile, or a class of your own on the JVM.

    Made by its static methods; immutable and comparable. A part in one of these formats stays open across
    micro-batches like any other: row groups and stripes are as large as in a batch job.

    >>> BulkFormat.parquet({"parquet.block.size": 64 << 20}).options()
    {'format': 'parquet', 'parquet.block.size': '67108864'}
    """

    @staticmethod
    def parquet(
        options: Mapping[str, Value | None] | None = None, metadata: Mapping[str, str] | None = None
    ) -> BulkFormat:
        """Apache Parquet.

        Args:
            options: any option of Spark's own Parquet writer, and `parquet.…` settings, by their names;
                `None` leaves one at its default.
            metadata: key-value metadata of each file.

        >>> BulkFormat.parquet(metadata={"owner": "clicks"}).options()
        {'format': 'parquet', 'metadata.owner': 'clicks'}
        """
        return _of("parquet", options, metadata)

    @staticmethod
    def orc(
        options: Mapping[str, Value | None] | None = None, metadata: Mapping[str, str] | None = None
    ) -> BulkFormat:
        """Apache ORC.

        Args:
            options: any option of Spark's own ORC writer, and `orc.…` settings, by their names;
                `None` leaves one at its default.
            metadata: user metadata of each file.

        >>> BulkFormat.orc({"orc.bloom.filter.columns": "id"}).options()
        {'format': 'orc', 'orc.bloom.filter.columns': 'id'}
        """
        return _of("orc", options, metadata)

    @staticmethod
    def avro(
        options: Mapping[str, Value | None] | None = None, metadata: Mapping[str, str] | None = None
    ) -> BulkFormat:
        """Avro's object container files. (To read them by name, Spark needs its module `spark-avro`.)

        Args:
            options: any option of Spark's own Avro writer, by its name (`avroSchema`, `recordName`, …).
            metadata: entries of each file's header.

        >>> BulkFormat.avro({"recordName": "click"}).options()
        {'format': 'avro', 'recordName': 'click'}
        """
        return _of("avro", options, metadata)

    @staticmethod
    def sequence_file(
        options: Mapping[str, Value | None] | None = None, metadata: Mapping[str, str] | None = None
    ) -> BulkFormat:
        """Hadoop's SequenceFile, of one column of values, or of two: keys and values.

        Args:
            options: `compressionType` (`none`, `record` or `block`) and `io.seqfile.…` settings.
            metadata: entries of each file's header.

        >>> BulkFormat.sequence_file({"compressionType": "block"}).options()
        {'format': 'sequencefile', 'compressionType': 'block'}
        """
        return _of("sequencefile", options, metadata)

    @staticmethod
    def custom(class_name: str, parameters: Mapping[str, Value] | None = None) -> BulkFormat:
        """A class on the session's class path.

        For a sink it extends `stoplog.format.bulk.BulkWriterFactory` or `stoplog.format.bulk.BulkFormat`;
        for a source `stoplog.source.format.BulkFormat` and `stoplog.format.read.RowFormat`.

        Args:
            class_name: its fully qualified name; it needs a public constructor of a `java.util.Map`, which
                gets the parameters, or one without arguments.
            parameters: settings of the class, by the names that it reads. Those of a sink stand in its open
                parts: no secrets.

        >>> BulkFormat.custom("com.acme.ColumnsWriter", {"level": 3}).options()
        {'bulkWriter': 'com.acme.ColumnsWriter', 'bulkWriter.level': '3'}
        """
        return BulkFormat(pairs_of(own_class("bulkWriter", class_name, parameters)))

    @staticmethod
    def of(bulk_format: BulkFormat | str) -> BulkFormat:
        """A format as it is, or the one that `"parquet"`, `"orc"`, `"avro"` or `"sequencefile"` stands for.

        >>> BulkFormat.of("orc") == BulkFormat.orc()
        True
        >>> BulkFormat.of("json")
        Traceback (most recent call last):
        ValueError: 'json' is a row format: use FileSink.for_row_format("…", 'json')
        """
        required("for_bulk_format", bulk_format, BulkFormat | str, "make one by a method of BulkFormat")
        if isinstance(bulk_format, BulkFormat):
            return bulk_format
        if bulk_format in BULK_FORMATS:
            return _of(string("bulk_format", bulk_format), None, None)
        if bulk_format in ROW_FORMATS:
            raise ValueError(
                f'{bulk_format!r} is a row format: use FileSink.for_row_format("…", {bulk_format!r})'
            )
        raise ValueError(
            f'{bulk_format!r} is not a bulk format: use "parquet", "orc", "avro", "sequencefile" '
            "or a custom one"
        )

    def options_to_read(self) -> dict[str, str]:
        """The options that this format stands for, of a source.

        Raises:
            ValueError: nothing reads the format.

        >>> BulkFormat.custom("com.acme.ColumnsFormat").options_to_read()
        {'format': 'com.acme.ColumnsFormat'}
        """
        if ("format", "sequencefile") in self._pairs:
            raise ValueError(
                "'sequencefile' is not a format of a source: read it with a class of your own, "
                'BulkFormat.custom("…")'
            )
        return {_READING.sub("format", key): value for key, value in self._pairs}


def _of(
    name: str, options: Mapping[str, Value | None] | None, metadata: Mapping[str, str] | None
) -> BulkFormat:
    own = present(mapping("options", {} if options is None else options))
    given = mapping("metadata", {} if metadata is None else metadata)
    entries = {f"metadata.{key}": value for key, value in given.items()}
    return BulkFormat((("format", name), *pairs_of(own), *pairs_of(entries)))
