# SPDX-License-Identifier: Apache-2.0
"""Formats that turn each row into bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from stoplog._builder import OptionBacked, required
from stoplog._formats import BULK_FORMATS, ROW_FORMATS
from stoplog._values import Value, own_class, pairs_of, present, string

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, repr=False)
class Encoder(OptionBacked):
    """A row format: text, JSON, CSV, or a class of your own on the JVM.

    Made by its static methods; immutable and comparable.

    >>> Encoder.json(timestampFormat="yyyy-MM-dd").options()
    {'format': 'json', 'timestampFormat': 'yyyy-MM-dd'}
    """

    @staticmethod
    def text(line_separator: str | None = None, null_value: str | None = None) -> Encoder:
        r"""One string or binary column, a line for each row.

        Args:
            line_separator: the end of each row; a newline by default.
            null_value: the text for a null; without it a null is an error.

        >>> Encoder.text(line_separator="\r\n").options()
        {'format': 'text', 'lineSep': '\r\n'}
        """
        return _of("text", {"lineSep": line_separator, "nullValue": null_value})

    @staticmethod
    def simple_string_encoder(charset_name: str = "UTF-8") -> Encoder:
        """PyFlink's name for `text()`.

        Args:
            charset_name: only UTF-8, in which Spark holds its strings; another is a `ValueError`.

        >>> Encoder.simple_string_encoder() == Encoder.text()
        True
        """
        if string("charset_name", charset_name).upper() not in {"UTF-8", "UTF8"}:
            raise ValueError(f"text is written as UTF-8, not as {charset_name!r}")
        return Encoder.text()

    @staticmethod
    def json(**spark_json_options: str | int | bool | None) -> Encoder:
        """One JSON object on a line for each row.

        Args:
            spark_json_options: any option of Spark's own JSON writer, by Spark's name;
                `None` leaves it at its default.

        >>> Encoder.json(ignoreNullFields=False).options()
        {'format': 'json', 'ignoreNullFields': 'false'}
        """
        return _of("json", spark_json_options)

    @staticmethod
    def csv(**spark_csv_options: str | int | bool | None) -> Encoder:
        """One CSV line for each row.

        Args:
            spark_csv_options: any option of Spark's own CSV writer, by Spark's name;
                `None` leaves it at its default. With `header=True` every part starts with the names.

        >>> Encoder.csv(header=True, sep=";").options()
        {'format': 'csv', 'header': 'true', 'sep': ';'}
        """
        return _of("csv", spark_csv_options)

    @staticmethod
    def custom(class_name: str, parameters: Mapping[str, Value] | None = None) -> Encoder:
        """A class on the session's class path that extends `stoplog.format.Encoder`.

        Args:
            class_name: its fully qualified name; it needs a public constructor of a `java.util.Map`, which
                gets the parameters, or one without arguments.
            parameters: settings of the class, by the names that it reads.

        >>> Encoder.custom("com.acme.KeyValueEncoder", {"separator": "="}).options()
        {'encoder': 'com.acme.KeyValueEncoder', 'encoder.separator': '='}
        """
        return Encoder(pairs_of(own_class("encoder", class_name, parameters)))

    @staticmethod
    def of(encoder: Encoder | str) -> Encoder:
        """An encoder as it is, or the one that `"text"`, `"json"` or `"csv"` stands for.

        >>> Encoder.of("csv") == Encoder.csv()
        True
        >>> Encoder.of("parquet")
        Traceback (most recent call last):
        ValueError: 'parquet' is a bulk format: use FileSink.for_bulk_format("…", 'parquet')
        """
        required("for_row_format", encoder, Encoder | str, "make one by a method of Encoder")
        if isinstance(encoder, Encoder):
            return encoder
        if encoder in ROW_FORMATS:
            return _of(string("encoder", encoder), {})
        if encoder in BULK_FORMATS:
            raise ValueError(f'{encoder!r} is a bulk format: use FileSink.for_bulk_format("…", {encoder!r})')
        raise ValueError(f'{encoder!r} is not a row format: use "text", "json", "csv" or Encoder.custom("…")')


def _of(row_format: str, options: Mapping[str, Value | None]) -> Encoder:
    return Encoder((("format", row_format), *pairs_of(present(options))))
