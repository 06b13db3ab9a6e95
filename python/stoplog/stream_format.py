# SPDX-License-Identifier: Apache-2.0
"""Formats that turn the bytes of a file into rows, record by record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from stoplog._builder import OptionBacked, required
from stoplog._formats import FILE_FORMATS, RECORD_FORMATS
from stoplog._values import Value, if_given, own_class, pairs_of, present, size_text, string

if TYPE_CHECKING:
    from collections.abc import Mapping

    from stoplog._values import Size


@dataclass(frozen=True, slots=True, repr=False)
class StreamFormat(OptionBacked):
    """A format that is read record by record: lines of text, JSON or CSV, records behind their
    lengths, or a class of your own on the JVM.

    Made by its static methods; immutable and comparable.

    >>> StreamFormat.csv(header=True).options()
    {'format': 'csv', 'header': 'true'}
    """

    @staticmethod
    def text_line_format(charset_name: str | None = None, line_separator: str | None = None) -> StreamFormat:
        r"""A row for each line, in one column `value`.

        Args:
            charset_name: the character set; UTF-8 by default, in which alone a large file can be read
                in pieces side by side.
            line_separator: the end of a line; `\n`, `\r\n` and `\r` by default.

        >>> StreamFormat.text_line_format("ISO-8859-1").options()
        {'format': 'text', 'charset': 'ISO-8859-1'}
        """
        return _of("text", {"charset": charset_name, "lineSep": line_separator})

    @staticmethod
    def json(**spark_json_options: str | int | bool | None) -> StreamFormat:
        """A JSON object on each line.

        Args:
            spark_json_options: any option of Spark's own JSON reader, by Spark's name.

        >>> StreamFormat.json(mode="FAILFAST").options()
        {'format': 'json', 'mode': 'FAILFAST'}
        """
        return _of("json", spark_json_options)

    @staticmethod
    def csv(**spark_csv_options: str | int | bool | None) -> StreamFormat:
        """A row of CSV on each line.

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
        """Records of bytes, each behind its length, as rows of one column `value`.

        Args:
            length_prefix: the form of the lengths; `"varint"` by default, as protobuf's
                `writeDelimitedTo` writes them, or four bytes, the highest or the lowest first.
            max_record_size: a longer record is an error; a string such as `"64m"`, which is the
                default, or an int of bytes.

        >>> StreamFormat.length_delimited("int32be").options()
        {'format': 'lengthDelimited', 'lengthPrefix': 'int32be'}
        """
        size = if_given(size_text, "max_record_size", max_record_size)
        return _of("lengthDelimited", {"lengthPrefix": length_prefix, "maxRecordSize": size})

    @staticmethod
    def custom(class_name: str, parameters: Mapping[str, Value] | None = None) -> StreamFormat:
        """A class on the session's class path that extends `StreamFormat` or `SimpleStreamFormat` of
        `stoplog.source.format`, and `stoplog.format.read.RowFormat`.

        Args:
            class_name: its fully qualified name; it needs a public constructor of a `java.util.Map`, which
                gets the parameters, or one without arguments.
            parameters: settings of the class, by the names that it reads.

        >>> StreamFormat.custom("com.acme.MeasurementFormat", {"unit": "m"}).options()
        {'format': 'com.acme.MeasurementFormat', 'format.unit': 'm'}
        """
        return StreamFormat(pairs_of(own_class("format", class_name, parameters)))

    @staticmethod
    def of(stream_format: StreamFormat | str) -> StreamFormat:
        """A format as it is, or the one that `"text"`, `"json"`, `"csv"` or `"lengthDelimited"` stands for.

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
