# SPDX-License-Identifier: Apache-2.0
"""Formats that encode each row separately."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from stoplog._functions.frame import VALUE, RowFunction
from stoplog._options.builder import OptionBacked, required
from stoplog._options.formats import BULK_FORMATS, ROW_FORMATS
from stoplog._text.values import Value, own_class, pairs_of, present, string

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pyarrow as pa


@dataclass(frozen=True, slots=True, repr=False)
class Encoder(OptionBacked):
    """A row format: text, JSON, CSV, or a custom JVM class.

    Created by the static methods; immutable and comparable.

    >>> Encoder.json(timestampFormat="yyyy-MM-dd").options()
    {'format': 'json', 'timestampFormat': 'yyyy-MM-dd'}
    """

    _function: RowFunction | None = None

    @staticmethod
    def text(line_separator: str | None = None, null_value: str | None = None) -> Encoder:
        r"""Writes one string or binary column, one line for each row.

        Args:
            line_separator: the end of each row; a newline by default.
            null_value: the text for a null; by default, a null is an error.

        >>> Encoder.text(line_separator="\r\n").options()
        {'format': 'text', 'lineSep': '\r\n'}
        """
        return _of("text", {"lineSep": line_separator, "nullValue": null_value})

    @staticmethod
    def simple_string_encoder(charset_name: str = "UTF-8") -> Encoder:
        """Creates the format `text()`, under PyFlink's name.

        Args:
            charset_name: only UTF-8, the encoding of Spark's strings; other names raise a `ValueError`.

        >>> Encoder.simple_string_encoder() == Encoder.text()
        True
        """
        if string("charset_name", charset_name).upper() not in {"UTF-8", "UTF8"}:
            raise ValueError(f"text is written as UTF-8, not as {charset_name!r}")
        return Encoder.text()

    @staticmethod
    def json(**spark_json_options: str | int | bool | None) -> Encoder:
        """Writes one JSON object on a line for each row.

        Args:
            spark_json_options: any option of Spark's own JSON writer, by Spark's name; `None` keeps the
                default.

        >>> Encoder.json(ignoreNullFields=False).options()
        {'format': 'json', 'ignoreNullFields': 'false'}
        """
        return _of("json", spark_json_options)

    @staticmethod
    def csv(**spark_csv_options: str | int | bool | None) -> Encoder:
        """Writes one CSV line for each row.

        Args:
            spark_csv_options: any option of Spark's own CSV writer, by Spark's name; `None` keeps the
                default. With `header=True` every part starts with the names.

        >>> Encoder.csv(header=True, sep=";").options()
        {'format': 'csv', 'header': 'true', 'sep': ';'}
        """
        return _of("csv", spark_csv_options)

    @staticmethod
    def from_function(
        function: Callable[[pa.RecordBatch], Any],
        suffix: str = "",
        columns: Sequence[str] | None = None,
    ) -> Encoder:
        r"""Encodes rows by a Python function, which runs in Spark's tasks.

        The function receives an Arrow batch with rows of one bucket. It returns `bytes` for each row, as a
        list or an Arrow array, or all bytes of the batch as one chunk of `bytes`. The sink writes the bytes
        as they are, without a terminator. Each result must be readable without the results before it: a part
        may end after any result. Compression, sizes and rolling are as with other encoders, except that a
        chunk counts as one row. Buckets by a class on the JVM are refused.

        Use `write_stream`, `run_available_now` or `write` of the sink: these methods call the function.

        Args:
            function: a function that cloudpickle can send to the tasks, with the module of the function.
            suffix: the end of the files' names, such as `.pb`.
            columns: the columns that the function needs; all columns of the files by default.

        Raises:
            TypeError: the function cannot be pickled, for example because it refers to a connection.

        Example:
            def fixed_width(batch):
                return [b"%-20s%10d" % row for row in zip(*batch.to_pydict().values())]

            encoder = Encoder.from_function(fixed_width, suffix=".dat")

        >>> Encoder.from_function(len, suffix=".pb").options()  # doctest: +NORMALIZE_WHITESPACE
        {'format': 'stoplog.format.BytesEncoder', 'format.column': '_python_value',
         'format.suffix': '.pb'}
        """
        called = RowFunction.of("Encoder.from_function", function, columns)
        parameters = {"column": VALUE, "suffix": string("suffix", suffix)}
        options = own_class("format", "stoplog.format.BytesEncoder", parameters)
        return Encoder(pairs_of(options), called)

    @staticmethod
    def custom(class_name: str, parameters: Mapping[str, Value] | None = None) -> Encoder:
        """A class on the session's class path that extends `stoplog.format.Encoder`.

        Args:
            class_name: the fully qualified name of the class. The class needs a public constructor with a
                `java.util.Map` for the parameters, or a public constructor without arguments.
            parameters: the settings of the class, by name.

        >>> Encoder.custom("com.acme.KeyValueEncoder", {"separator": "="}).options()
        {'format': 'com.acme.KeyValueEncoder', 'format.separator': '='}
        """
        return Encoder(pairs_of(own_class("format", class_name, parameters)))

    @staticmethod
    def of(encoder: Encoder | str) -> Encoder:
        """Returns the encoder itself, or the encoder of `"text"`, `"json"` or `"csv"`.

        >>> Encoder.of("csv") == Encoder.csv()
        True
        >>> Encoder.of("parquet")
        Traceback (most recent call last):
        ValueError: 'parquet' is a bulk format: use FileSink.for_bulk_format("…", 'parquet')
        """
        required("for_row_format", encoder, Encoder | str, "create one with a method of Encoder")
        if isinstance(encoder, Encoder):
            return encoder
        if encoder in ROW_FORMATS:
            return _of(string("encoder", encoder), {})
        if encoder in BULK_FORMATS:
            raise ValueError(f'{encoder!r} is a bulk format: use FileSink.for_bulk_format("…", {encoder!r})')
        raise ValueError(f'{encoder!r} is not a row format: use "text", "json", "csv" or Encoder.custom("…")')


def _of(row_format: str, options: Mapping[str, Value | None]) -> Encoder:
    return Encoder((("format", row_format), *pairs_of(present(options))))
