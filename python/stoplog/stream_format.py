# SPDX-License-Identifier: Apache-2.0
"""Formats that decode the bytes of a file record by record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from stoplog._options.builder import OptionBacked, required
from stoplog._options.formats import FILE_FORMATS, RECORD_FORMATS
from stoplog._text.values import Value, if_given, own_class, pairs_of, present, size_text, string

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoplog._text.values import Size


@dataclass(frozen=True, slots=True, repr=False)
class StreamFormat(OptionBacked):
    """A format that is read record by record.

    The format is lines of text, JSON or CSV, length-prefixed records, or a custom JVM class.

    Created by the static methods; immutable and comparable.

    >>> StreamFormat.csv(header=True).options()
    {'format': 'csv', 'header': 'true'}
    """

    @staticmethod
    def text_line_format(charset_name: str | None = None, line_separator: str | None = None) -> StreamFormat:
        r"""Reads a row for each line, in one column `value`.

        Args:
            charset_name: the character set; UTF-8 by default. Large files are only split for parallel reads
                in UTF-8.
            line_separator: the end of a line; `\n`, `\r\n` and `\r` by default.

        >>> StreamFormat.text_line_format("ISO-8859-1").options()
        {'format': 'text', 'charset': 'ISO-8859-1'}
        """
        return _of("text", {"charset": charset_name, "lineSep": line_separator})

    @staticmethod
    def json(**spark_json_options: str | int | bool | None) -> StreamFormat:
        """Reads a JSON object from each line.

        Args:
            spark_json_options: any option of Spark's own JSON reader, by Spark's name.

        >>> StreamFormat.json(mode="FAILFAST").options()
        {'format': 'json', 'mode': 'FAILFAST'}
        """
        return _of("json", spark_json_options)

    @staticmethod
    def csv(**spark_csv_options: str | int | bool | None) -> StreamFormat:
        """Reads a CSV row from each line.

        Args:
            spark_csv_options: any option of Spark's own CSV reader, by Spark's name.

        >>> StreamFormat.csv(sep=";").options()
        {'format': 'csv', 'sep': ';'}
        """
        return _of("csv", spark_csv_options)

    @staticmethod
    def length_delimited(
        length_prefix: Literal["varint", "int32be", "int32le"] | None = None,
        max_record_size: Size | None = None,
    ) -> StreamFormat:
        """Reads length-prefixed records of bytes as rows of one column `value`.

        Args:
            length_prefix: the encoding of the lengths: `"varint"` by default, as in protobuf's
                `writeDelimitedTo`, or four bytes in big-endian or little-endian order.
            max_record_size: the maximum size of a record, a longer record is an error: a string such as
                `"64m"`, which is the default, or an int of bytes.

        >>> StreamFormat.length_delimited("int32be").options()
        {'format': 'lengthDelimited', 'lengthPrefix': 'int32be'}
        """
        size = if_given(size_text, "max_record_size", max_record_size)
        return _of("lengthDelimited", {"lengthPrefix": length_prefix, "maxRecordSize": size})

    @staticmethod
    def custom(class_name: str, parameters: Mapping[str, Value] | None = None) -> StreamFormat:
        """Reads with a custom class on the session's class path.

        The class extends `StreamFormat` or `SimpleStreamFormat` of `stoplog.source.format`, and
        `stoplog.format.read.RowFormat`.

        Args:
            class_name: the fully qualified name of the class. The class needs a public constructor with a
                `java.util.Map` for the parameters, or a public constructor without arguments.
            parameters: the settings of the class, by name.

        >>> StreamFormat.custom("com.acme.MeasurementFormat", {"unit": "m"}).options()
        {'format': 'com.acme.MeasurementFormat', 'format.unit': 'm'}
        """
        return StreamFormat(pairs_of(own_class("format", class_name, parameters)))

    @staticmethod
    def of(stream_format: StreamFormat | str) -> StreamFormat:
        """Returns the format itself, or the format of `"text"`, `"json"`, `"csv"` or `"lengthDelimited"`.

        >>> StreamFormat.of("text") == StreamFormat.text_line_format()
        True
        >>> StreamFormat.of("parquet")
        Traceback (most recent call last):
        ValueError: 'parquet' holds blocks of records: use FileSource.for_bulk_file_format('parquet', "…")
        """
        made_by = "make one by a method of StreamFormat"
        required("for_record_stream_format", stream_format, StreamFormat | str, made_by)
        if isinstance(stream_format, StreamFormat):
            return stream_format
        if stream_format in RECORD_FORMATS:
            return _of(string("stream_format", stream_format), {})
        if stream_format in FILE_FORMATS:
            raise ValueError(
                f"{stream_format!r} holds blocks of records: "
                f'use FileSource.for_bulk_file_format({stream_format!r}, "…")'
            )
        known = ", ".join(f'"{name}"' for name in RECORD_FORMATS)
        raise ValueError(
            f'{stream_format!r} is not read record by record: use {known} or StreamFormat.custom("…")'
        )


def _of(name: str, options: Mapping[str, Value | None]) -> StreamFormat:
    return StreamFormat((("format", name), *pairs_of(present(options))))
