# SPDX-License-Identifier: Apache-2.0
"""Formats that decode the bytes of a file record by record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO, Literal

from stoplog._functions.code import UserCode
from stoplog._functions.frame import FileReader
from stoplog._options.builder import OptionBacked, required
from stoplog._options.formats import FILE_FORMATS, RECORD_FORMATS
from stoplog._text.values import Value, if_given, own_class, pairs_of, present, size_text, string

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import pyarrow as pa
    from pyspark.sql.types import StructType

    from stoplog._functions.read import FilePart
    from stoplog._text.values import Size


@dataclass(frozen=True, slots=True, repr=False)
class StreamFormat(OptionBacked):
    """A format that is read record by record.

    The format is lines of text, JSON or CSV, length-prefixed records, or a custom JVM class.

    Created by the static methods; immutable and comparable.

    >>> StreamFormat.csv(header=True).options()
    {'format': 'csv', 'header': 'true'}
    """

    _reader: FileReader | None = None

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
    def from_reader(
        function: Callable[[BinaryIO, FilePart], Iterable[pa.RecordBatch | pa.Table]],
        schema: StructType | str,
        access: Literal["forward", "random"] = "forward",
        max_record_size: Size | None = None,
    ) -> StreamFormat:
        """Reads files by a Python function, which runs in Spark's tasks.

        The source finds, limits and records the files as for other formats, on any storage, and sends the
        bytes of a file to the task's Python. The function receives a binary file and a `FilePart`, and yields
        record batches with the columns of the schema, and with the same fields of structs. Numbers of another
        size are converted; other types are errors. It must yield the same rows each time. The source
        decompresses nothing. For an empty file the function is not called. An exception ends the query: the
        quarantine of the source cannot skip bytes that only the function understands.

        Limit micro-batches by files or bytes; a limit of rows is refused. `read_stream` and `read` of the
        source call the function, and `format("stoplog")` with the options of the source does not.

        Args:
            function: a function that cloudpickle can send to the tasks, with the module of the function.
            schema: the columns of the batches, as a `StructType` or DDL such as `"id bigint, name string"`.
                Columns from the names of directories are added after these columns.
            access: `"forward"` reads the file as a stream, which cannot seek. `"random"` copies the file to
                memory first, or to the local disk if the file is larger than 64 MiB.
            max_record_size: if set, large files are read in pieces, cut at any byte, by several tasks and
                micro-batches. The file of a call then contains the bytes from `part.start` to `part.end` and
                the following bytes of this size. The function yields the records that start before
                `part.end`, and finds the start of the first record by itself. Without this value, a file is
                read as a whole.

        Raises:
            TypeError: the function cannot be pickled, for example because it refers to a connection.

        Example:
            def measurements(file, part):
                while record := file.read(12 * 1_000):
                    times, values = numpy.frombuffer(record, "<u8,<f4").view(numpy.recarray).tolist()
                    yield pyarrow.RecordBatch.from_pydict({"time": times, "value": values})

            stream_format = StreamFormat.from_reader(measurements, "time bigint, value float")

        >>> StreamFormat.from_reader(len, "value string").options()
        {'format': 'stoplog.format.read.FileBytes'}
        """
        code = UserCode.of_function("StreamFormat.from_reader", function)
        if access not in ("forward", "random"):
            raise ValueError(f"access must be 'forward' or 'random', not {access!r}")
        columns = schema if isinstance(schema, str) else schema.json()
        tail = if_given(size_text, "max_record_size", max_record_size)
        parameters = present({"tail": tail})
        options = own_class("format", "stoplog.format.read.FileBytes", parameters)
        return StreamFormat(pairs_of(options), FileReader(code, columns, access))

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
        made_by = "create one with a method of StreamFormat"
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
