# SPDX-License-Identifier: Apache-2.0
"""Options of Spark's sources and sinks: files with what each of them is about."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Reading:
    """A file, and how it is read.

    Args:
        content: of the file.
        schema: of its rows.
        options: as Spark calls them.
        ours: those that are called otherwise here: instead of Spark's, which the values name.
        fails: whether Spark refuses to read it.
    """

    format: str
    content: str | bytes
    schema: str
    options: dict[str, str] = field(default_factory=dict)
    ours: dict[str, str] = field(default_factory=dict)
    fails: bool = False

    def renamed(self) -> dict[str, str]:
        """The options, as they are called here."""
        return {self.ours.get(name, name): value for name, value in self.options.items()}

    def bytes(self) -> bytes:
        return self.content if isinstance(self.content, bytes) else self.content.encode()


def _csv(content: str | bytes, schema: str, fails: bool = False, **options: str) -> Reading:
    set_here = {"escape": options.get("quote") or '"', **options}
    return Reading("csv", content, schema, set_here, {"encoding": "charset"}, fails)


def _json(content: str | bytes, schema: str, fails: bool = False, **options: str) -> Reading:
    return Reading("json", content, schema, options, {"encoding": "charset"}, fails)


_CARS = 'year,make,model,comment\n2012,Tesla,S,"No comment"\n1997,Ford,E350,"now, fast"\n\n2015,Chevy\n'
_CAR = "year INT, make STRING, model STRING, comment STRING"
_BAD = "1,x\nno,y\n3,z,more\n4\n"
_TIMES = "a DATE, b TIMESTAMP, c TIMESTAMP_NTZ"

READINGS: dict[str, Reading] = {
    "csv": _csv("1,a\n2,b", "i INT, s STRING"),
    "csv header": _csv(_CARS, _CAR, header="true"),
    "csv without header": _csv(_CARS, _CAR),
    "csv header enforceSchema": _csv(_CARS, _CAR, header="true", enforceSchema="false"),
    "csv header other names": _csv(_CARS, "y INT, m STRING, n STRING, c STRING", header="true"),
    "csv header other names enforceSchema": _csv(
        _CARS, "y INT, m STRING, n STRING, c STRING", True, header="true", enforceSchema="false"
    ),
    "csv header fewer columns": _csv(_CARS, "year INT, make STRING", header="true"),
    "csv sep": _csv("1\ta\n2\tb\n", "i INT, s STRING", sep="\t"),
    "csv delimiter": _csv("1;a\n", "i INT, s STRING", delimiter=";"),
    "csv sep of two": _csv("1||a\n2||b|c\n", "i INT, s STRING", sep="||"),
    "csv quote": _csv("1,'a,b'\n2,\"c\"\n", "i INT, s STRING", quote="'"),
    "csv without quote": _csv('1,"a"\n', "i INT, s STRING", quote=""),
    "csv escape": _csv('1,"a^"b"\n2,"c""d"\n', "i INT, s STRING", escape="^"),
    "csv charToEscapeQuoteEscaping": _csv('1,"a\\\\"\n', "i INT, s STRING", charToEscapeQuoteEscaping="\\"),
    "csv quotes within": _csv('1,a"b"c\n2,"d" e\n', "i INT, s STRING"),
    "csv unescapedQuoteHandling": _csv(
        '1,"a"b,c\n', "i INT, s STRING, t STRING", unescapedQuoteHandling="STOP_AT_CLOSING_QUOTE"
    ),
    "csv comment": _csv("# no\n1,a\n #2,b\n#3\n4,d\n", "i INT, s STRING", comment="#"),
    "csv nullValue": _csv("1,NULL\nNULL,\n", "i INT, s STRING", nullValue="NULL"),
    "csv emptyValue": _csv('1,""\n2,\n', "i INT, s STRING", emptyValue="EMPTY"),
    "csv nanValue": _csv(
        "nan,1\ninf,2\n-inf,3\n", "d DOUBLE, i INT", nanValue="nan", positiveInf="inf", negativeInf="-inf"
    ),
    "csv fractions": _csv("NaN\nInf\n-Inf\nInfinity\n1e400\n-0.0\n1.5f\n", "d DOUBLE"),
    "csv floats": _csv("3.4028236e38\n1.1\n0x10\n", "f FLOAT"),
    "csv wholes": _csv("127,1\n128,2\n-129,3\n+5,4\n 6,5\n7 ,6\n1.0,7\n", "b TINYINT, i INT"),
    "csv decimals": _csv('"1,000.50",1\n2.345,2\n99999,3\n', "d DECIMAL(6,2), i INT"),
    "csv locale": _csv("1.000,5;1\n2,25;2\n", "d DECIMAL(10,2), i INT", sep=";", locale="de-DE"),
    "csv booleans": _csv("true,1\nTRUE,2\nyes,3\n1,4\n", "b BOOLEAN, i INT"),
    "csv ignoreLeadingWhiteSpace": _csv(
        " 1 , a \n", "i STRING, s STRING", ignoreLeadingWhiteSpace="true", ignoreTrailingWhiteSpace="true"
    ),
    "csv white space": _csv(" 1 , a \n\t2, \n", "i STRING, s STRING"),
    "csv dates": _csv("2026-01-31,2026-01-31T01:02:03.5Z,2026-01-31T01:02:03\n2026-1-1,x,\n", _TIMES),
    "csv dateFormat": _csv(
        "31.01.2026,31.01.2026 05h,05|31.01.2026\n",
        _TIMES,
        dateFormat="dd.MM.yyyy",
        timestampFormat="dd.MM.yyyy HH'h'",
        timestampNTZFormat="HH|dd.MM.yyyy",
    ),
    "csv timeZone": _csv("2026-01-31 01:02:03,1\n", "t TIMESTAMP, i INT", timeZone="Asia/Tokyo"),
    "csv PERMISSIVE": _csv(_BAD, "i INT, s STRING"),
    "csv DROPMALFORMED": _csv(_BAD, "i INT, s STRING", mode="DROPMALFORMED"),
    "csv FAILFAST": _csv(_BAD, "i INT, s STRING", True, mode="FAILFAST"),
    "csv corrupt record": _csv(_BAD, "i INT, s STRING, c STRING", columnNameOfCorruptRecord="c"),
    "csv maxColumns": _csv("1,2,3\n", "a INT, b INT, c INT", True, maxColumns="2"),
    "csv maxCharsPerColumn": _csv("12345678\n", "s STRING", True, maxCharsPerColumn="4", mode="FAILFAST"),
    "csv lineSep": _csv("1,a^2,b^", "i INT, s STRING", lineSep="^"),
    "csv line ends": _csv("1,a\r\n2,b\r3,c\n\r\n4,d", "i INT, s STRING"),
    "csv multiLine": _csv('1,"a\nb"\n2,c\n', "i INT, s STRING", multiLine="true"),
    "csv encoding": _csv("1,Grüße\n".encode("iso-8859-1"), "i INT, s STRING", encoding="iso-8859-1"),
    "csv byte order mark": _csv(b"\xef\xbb\xbf1,a\n", "i INT, s STRING"),
    "csv nothing": _csv("", "i INT"),
    "csv empty lines": _csv("\n\n1\n\n", "i INT"),
    "csv intervals": _csv("INTERVAL '1-2' YEAR TO MONTH,1\n", "y INTERVAL YEAR TO MONTH, i INT"),
    "csv binary": _csv("abc,1\n", "b BINARY, i INT"),
    "csv columnPruning": _csv("1,a\n2\n", "i INT, s STRING", columnPruning="false"),
    "json": _json('{"i":1,"s":"a"}\n{"s":"b","i":2,"x":3}\n{}\n', "i INT, s STRING"),
    "json nested": _json(
        '{"a":[1,null],"m":{"k":{"x":1}},"s":{"y":[{"z":"q"}]}}\n{"a":7,"m":[],"s":null}\n',
        "a ARRAY<INT>, m MAP<STRING, STRUCT<x: INT>>, s STRUCT<y: ARRAY<STRUCT<z: STRING>>>",
    ),
    "json arrays of rows": _json('[{"i":1},{"i":2}]\n[]\n', "i INT"),
    "json empty lines": _json('\n{"i":1}\n \n', "i INT"),
    "json null": _json('null\n{"i":1}\n', "i INT"),
    "json strings": _json('{"s":1}\n{"s":true}\n{"s":{"a":[1, 2]}}\n{"s":1.50}\n{"s":null}\n', "s STRING"),
    "json numbers": _json('{"i":"1"}\n{"i":1.5}\n{"i":99999999999}\n{"i":1e2}\n{"i":true}\n', "i INT"),
    "json longs": _json('{"i":9223372036854775807}\n{"i":9223372036854775808}\n', "i BIGINT"),
    "json fractions": _json(
        '{"d":"NaN"}\n{"d":"Infinity"}\n{"d":"-INF"}\n{"d":-0.0}\n{"d":1e400}\n{"d":"1"}\n', "d DOUBLE"
    ),
    "json decimals": _json('{"d":1.005}\n{"d":"2.5"}\n{"d":99999}\n', "d DECIMAL(5,2)"),
    "json locale": _json('{"d":"1.000,5"}\n', "d DECIMAL(10,2)", locale="de-DE"),
    "json binary": _json('{"b":"AP8="}\n', "b BINARY"),
    "json dates": _json(
        '{"a":"2026-01-31","b":"2026-01-31T01:02:03.5Z","c":"2026-01-31T01:02:03"}\n{"a":1,"b":"x"}\n', _TIMES
    ),
    "json dateFormat": _json(
        '{"a":"31.01.2026","b":"31.01.2026 05h","c":"05|31.01.2026"}\n',
        _TIMES,
        dateFormat="dd.MM.yyyy",
        timestampFormat="dd.MM.yyyy HH'h'",
        timestampNTZFormat="HH|dd.MM.yyyy",
    ),
    "json timeZone": _json('{"t":"2026-01-31 01:02:03"}\n', "t TIMESTAMP", timeZone="Asia/Tokyo"),
    "json PERMISSIVE": _json('{"i":1}\n{"i":\n{"i":"x"}\n{"i":2}}\n', "i INT"),
    "json DROPMALFORMED": _json('{"i":1}\n{"i":\n{"i":"x"}\n', "i INT", mode="DROPMALFORMED"),
    "json FAILFAST": _json('{"i":1}\n{"i":\n', "i INT", True, mode="FAILFAST"),
    "json corrupt record": _json('{"i":1}\n{"i":\n', "i INT, c STRING", columnNameOfCorruptRecord="c"),
    "json allowComments": _json('{/* no */ "i":1}\n', "i INT", allowComments="true"),
    "json comments": _json('{/* no */ "i":1}\n', "i INT"),
    "json allowUnquotedFieldNames": _json("{i:1}\n", "i INT", allowUnquotedFieldNames="true"),
    "json single quotes": _json("{'s':'a'}\n", "s STRING"),
    "json allowSingleQuotes": _json("{'s':'a'}\n", "s STRING", allowSingleQuotes="false"),
    "json allowNumericLeadingZeros": _json('{"i":007}\n', "i INT", allowNumericLeadingZeros="true"),
    "json leading zeros": _json('{"i":007}\n', "i INT"),
    "json allowNonNumericNumbers": _json('{"d":NaN}\n{"d":+INF}\n', "d DOUBLE"),
    "json no non-numeric numbers": _json('{"d":NaN}\n', "d DOUBLE", allowNonNumericNumbers="false"),
    "json allowBackslashEscapingAnyCharacter": _json(
        '{"s":"\\$"}\n', "s STRING", allowBackslashEscapingAnyCharacter="true"
    ),
    "json backslash": _json('{"s":"\\$"}\n', "s STRING"),
    "json allowUnquotedControlChars": _json('{"s":"a\tb"}\n', "s STRING", allowUnquotedControlChars="true"),
    "json control chars": _json('{"s":"a\tb"}\n', "s STRING"),
    "json names twice": _json('{"i":1,"i":2}\n', "i INT"),
    "json names in another case": _json('{"I":1}\n', "i INT"),
    "json lineSep": _json('{"i":1}^{"i":2}', "i INT", lineSep="^"),
    "json line ends": _json('{"i":1}\r\n{"i":2}\r{"i":3}', "i INT"),
    "json multiLine": _json('[\n{"i":1},\n{"i":\n2}]\n', "i INT", multiLine="true"),
    "json encoding": _json(
        '{"s":"Grüße"}\n'.encode("utf-16-le"), "s STRING", encoding="UTF-16LE", lineSep="\n"
    ),
    "json byte order mark": _json(b'\xef\xbb\xbf{"i":1}\n', "i INT"),
    "json primitivesAsString": _json('{"i":1}\n', "i INT", primitivesAsString="true"),
    "json useUnsafeRow": _json('{"i":1}\n', "i INT", useUnsafeRow="true"),
    "json void": _json('{"i":1,"n":null}\n', "i INT, n VOID"),
    "json intervals": _json('{"y":"INTERVAL \'1-2\' YEAR TO MONTH"}\n', "y INTERVAL YEAR TO MONTH"),
    "text": Reading("text", "a\n b \n\nGrüße 🎉\nlast", "value STRING"),
    "text line ends": Reading("text", "a\r\nb\rc\n\r\n", "value STRING"),
    "text lineSep": Reading("text", "a||b|c||", "value STRING", {"lineSep": "||"}),
    "text nothing": Reading("text", "", "value STRING"),
    "text not in UTF-8": Reading("text", b"a\xff\xfeb\n", "value STRING"),
}
"""Files and options, each read by Spark's own source and by ours."""


@dataclass(frozen=True, slots=True)
class Writing:
    """
    Args:
        columns: of the table of types.
        options: as Spark calls them, and as they are called here.
    """

    format: str
    columns: tuple[str, ...]
    options: dict[str, str]


_FLAT = ("flag", "byte", "long", "float", "double", "large", "text", "day", "at", "local", "months", "span")
_DEEP = (*_FLAT, "bytes", "list", "names", "record", "deep")
_FORMATS = {
    "dateFormat": "dd.MM.yyyy",
    "timestampFormat": "dd.MM.yyyy HH:mm:ss XXX",
    "timestampNTZFormat": "HH'h' dd.MM.yyyy",
    "timeZone": "Asia/Tokyo",
}

WRITINGS: dict[str, Writing] = {
    "csv": Writing("csv", _FLAT, {}),
    "csv header sep quote": Writing(
        "csv", _FLAT, {"header": "true", "sep": ";", "quote": "'", "escape": "^"}
    ),
    "csv quoteAll lineSep": Writing(
        "csv", _FLAT, {"quoteAll": "true", "lineSep": "\r\n", "nullValue": "NULL"}
    ),
    "csv white space": Writing(
        "csv",
        ("text", "whole"),
        {"ignoreLeadingWhiteSpace": "false", "ignoreTrailingWhiteSpace": "false", "escapeQuotes": "false"},
    ),
    "csv nullValue": Writing(
        "csv", ("whole", "text"), {"nullValue": "-", "escape": "\\", "charToEscapeQuoteEscaping": "^"}
    ),
    "csv formats": Writing("csv", ("day", "at", "local", "whole"), _FORMATS),
    "csv encoding": Writing("csv", ("whole", "text"), {"encoding": "UTF-16LE", "header": "true"}),
    "json": Writing("json", _DEEP, {}),
    "json ignoreNullFields": Writing("json", _DEEP, {"ignoreNullFields": "false", "lineSep": "\r\n"}),
    "json formats": Writing("json", ("day", "at", "local", "deep"), _FORMATS),
    "json encoding": Writing("json", ("whole", "text"), {"encoding": "UTF-16BE"}),
    "json writeNonAsciiCharacterAsCodePoint": Writing(
        "json", ("text",), {"writeNonAsciiCharacterAsCodePoint": "true"}
    ),
    "text": Writing("text", ("text",), {}),
    "text lineSep": Writing("text", ("text",), {"lineSep": "||"}),
}
"""Rows and options, written by Spark's own sink and by ours: files of the same bytes."""
