# SPDX-License-Identifier: Apache-2.0
"""How keys and values of Kafka become columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from stoplog._text.values import mapping, string, text_of


@dataclass(frozen=True, slots=True)
class Decoder:
    """The conversion of a key or a value from bytes; created by the static methods.

    >>> Decoder.json("id BIGINT, item STRING").of("value")
    "from_json(CAST(value AS STRING), 'id BIGINT, item STRING')"
    """

    expression: str
    arguments: str = ""
    """The suffix of the expression, appended verbatim: a schema may contain `{}`."""

    @staticmethod
    def binary() -> Decoder:
        """Returns the unchanged bytes.

        >>> Decoder.binary().of("value")
        'value'
        """
        return Decoder("{}")

    @staticmethod
    def string() -> Decoder:
        """Decodes text in UTF-8.

        >>> Decoder.string().of("value")
        'CAST(value AS STRING)'
        """
        return Decoder("CAST({} AS STRING)")

    @staticmethod
    def json(schema: str, options: Mapping[str, str] | None = None) -> Decoder:
        """Decodes a JSON object as a struct.

        Args:
            schema: the schema of the struct, such as `"id BIGINT, item STRING"`.
            options: the options of Spark's `from_json`, such as `{"mode": "FAILFAST"}`; by default an
                unreadable value is null.
        """
        return Decoder("from_json(CAST({} AS STRING), ", f"{_text(schema)}{_more(options)})")

    @staticmethod
    def avro(schema: str, options: Mapping[str, str] | None = None) -> Decoder:
        """Decodes an Avro record without any header as a struct. Requires Spark's module `spark-avro`.

        Args:
            schema: the Avro schema as JSON, with which the values were written.
            options: the options of Spark's `from_avro`. By default an unreadable value fails the query; with
                `{"mode": "PERMISSIVE"}` all fields of the struct are null.

        >>> Decoder.avro('"long"', {"mode": "FAILFAST"}).of("key")
        'from_avro(key, \\'"long"\\', map(\\'mode\\', \\'FAILFAST\\'))'
        """
        return Decoder("from_avro({}, ", f"{_text(schema)}{_more(options)})")

    @staticmethod
    def sql(expression: str) -> Decoder:
        """Decodes by a custom SQL expression.

        Args:
            expression: the expression, with `{}` at each place of the column.

        >>> Decoder.sql("struct({} AS bytes, unhex({}) AS text)").of("key")
        'struct(key AS bytes, unhex(key) AS text)'
        """
        return Decoder(string("expression", expression))

    def of(self, column: str) -> str:
        """Returns the SQL expression for a column of bytes."""
        return self.expression.replace("{}", column) + self.arguments


def _text(value: str) -> str:
    escaped = string("schema", value).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _more(options: Mapping[str, str] | None) -> str:
    given = sorted(mapping("options", {} if options is None else options).items())
    if not given:
        return ""
    return f", map({', '.join(_text(text_of(key, each)) for key, value in given for each in (key, value))})"
