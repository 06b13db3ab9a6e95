# SPDX-License-Identifier: Apache-2.0
"""Formats that encode rows in blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stoplog._options.builder import OptionBacked, required
from stoplog._options.formats import BULK_FORMATS, ROW_FORMATS
from stoplog._text.values import Value, mapping, own_class, pairs_of, present, string

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, repr=False)
class BulkFormat(OptionBacked):
    """Parquet, ORC, Avro, SequenceFile, or a custom JVM class.

    Created by the static methods; immutable and comparable. A part in a bulk format stays open across
    micro-batches like any other part. Row groups and stripes are as large as in a batch job.

    >>> BulkFormat.parquet({"parquet.block.size": 64 << 20}).options()
    {'format': 'parquet', 'parquet.block.size': '67108864'}
    """

    @staticmethod
    def parquet(
        options: Mapping[str, Value | None] | None = None, metadata: Mapping[str, str] | None = None
    ) -> BulkFormat:
        """Apache Parquet.

        Args:
            options: any option of Spark's own Parquet writer, and `parquet.…` settings, by name; `None` keeps
                the default of an option.
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
            options: any option of Spark's own ORC writer, and `orc.…` settings, by name; `None` keeps the
                default of an option.
            metadata: user metadata of each file.

        >>> BulkFormat.orc({"orc.bloom.filter.columns": "id"}).options()
        {'format': 'orc', 'orc.bloom.filter.columns': 'id'}
        """
        return _of("orc", options, metadata)

    @staticmethod
    def avro(
        options: Mapping[str, Value | None] | None = None, metadata: Mapping[str, str] | None = None
    ) -> BulkFormat:
        """Avro's object container files. (Spark needs its module `spark-avro` to read Avro by name.)

        Args:
            options: any option of Spark's own Avro writer, by name (`avroSchema`, `recordName`, …).
            metadata: entries of each file's header.

        >>> BulkFormat.avro({"recordName": "click"}).options()
        {'format': 'avro', 'recordName': 'click'}
        """
        return _of("avro", options, metadata)

    @staticmethod
    def sequence_file(
        options: Mapping[str, Value | None] | None = None, metadata: Mapping[str, str] | None = None
    ) -> BulkFormat:
        """Hadoop's SequenceFile, with one column of values, or with two columns of keys and values.

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

        For a sink, the class extends `stoplog.format.bulk.BulkWriterFactory` or
        `stoplog.format.bulk.BlockFormat`; for a source, `stoplog.source.format.BulkFormat` and
        `stoplog.format.read.RowFormat`.

        Args:
            class_name: the fully qualified name of the class. The class needs a public constructor with a
                `java.util.Map` for the parameters, or a public constructor without arguments.
            parameters: the settings of the class, by name. The open parts of a sink contain the settings: no
                secrets.

        >>> BulkFormat.custom("com.acme.ColumnsWriter", {"level": 3}).options()
        {'format': 'com.acme.ColumnsWriter', 'format.level': '3'}
        """
        return BulkFormat(pairs_of(own_class("format", class_name, parameters)))

    @staticmethod
    def of(bulk_format: BulkFormat | str) -> BulkFormat:
        """Returns the format itself, or the format of `"parquet"`, `"orc"`, `"avro"` or `"sequencefile"`.

        >>> BulkFormat.of("orc") == BulkFormat.orc()
        True
        >>> BulkFormat.of("json")
        Traceback (most recent call last):
        ValueError: 'json' is a row format: use FileSink.for_row_format("…", 'json')
        """
        required("for_bulk_format", bulk_format, BulkFormat | str, "create one with a method of BulkFormat")
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
        """Returns the options of this format for a source.

        Raises:
            ValueError: no source reads the format.

        >>> BulkFormat.custom("com.acme.ColumnsFormat").options_to_read()
        {'format': 'com.acme.ColumnsFormat'}
        """
        if ("format", "sequencefile") in self._pairs:
            raise ValueError(
                "'sequencefile' is not a format of a source: read it with a custom class, "
                'BulkFormat.custom("…")'
            )
        return self.options()


def _of(
    name: str, options: Mapping[str, Value | None] | None, metadata: Mapping[str, str] | None
) -> BulkFormat:
    own = present(mapping("options", {} if options is None else options))
    given = mapping("metadata", {} if metadata is None else metadata)
    entries = {f"metadata.{key}": value for key, value in given.items()}
    return BulkFormat((("format", name), *pairs_of(own), *pairs_of(entries)))
