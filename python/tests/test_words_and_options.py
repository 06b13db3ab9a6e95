# SPDX-License-Identifier: Apache-2.0
"""Numbers, times and options as text, each at the places where it changes."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from stoplog import DefaultRollingPolicy, Encoder
from stoplog._options.builder import merged, shown
from stoplog._text.values import (
    columns_text,
    count_text,
    delay_text,
    duration_text,
    names_of,
    present,
    size_text,
    text_of,
)
from stoplog._text.words import ago, counted, many, moment, size

SECOND, MINUTE, HOUR, DAY = 1_000, 60_000, 3_600_000, 86_400_000
KIB = 1024


@pytest.mark.parametrize(
    ("millis", "text"),
    [
        (None, "-"),
        (-5 * SECOND, "0s"),
        (0, "0s"),
        (SECOND - 1, "0s"),
        (SECOND, "1s"),
        (10 * SECOND, "10s"),
        (MINUTE - 1, "59s"),
        (MINUTE, "1m"),
        (MINUTE + SECOND, "1m 1s"),
        (HOUR - 1, "59m 59s"),
        (HOUR, "1h"),
        (HOUR + 59 * SECOND, "1h"),
        (HOUR + MINUTE, "1h 1m"),
        (DAY - 1, "23h 59m"),
        (DAY, "1d"),
        (DAY + 59 * MINUTE, "1d"),
        (DAY + HOUR, "1d 1h"),
        (1000 * DAY + 23 * HOUR, "1000d 23h"),
    ],
)
def test_a_duration_has_the_two_largest_units(millis: int | None, text: str) -> None:
    assert ago(millis) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (KIB - 1, "1023 B"),
        (KIB, "1 KiB"),
        (KIB + KIB // 2, "1.5 KiB"),
        (10 * KIB + 103, "10.1 KiB"),
        (KIB**2, "1 MiB"),
        (KIB**3, "1 GiB"),
        (KIB**4, "1 TiB"),
        (KIB**5 - KIB**4, "1023 TiB"),
        (KIB**5, "1 PiB"),
        (KIB**6, "1024 PiB"),
    ],
)
def test_a_size_has_the_largest_unit_with_a_whole_number(count: int, text: str) -> None:
    assert size(count) == text


def test_a_count_of_1_is_in_the_singular() -> None:
    assert [counted(n, "part") for n in (0, 1, 2, 1000)] == ["0 parts", "1 part", "2 parts", "1000 parts"]
    assert [many(n, "part") for n in (0, 1, 2, 1000)] == ["0 parts", "1 part", "2 parts", "1,000 parts"]


def test_a_point_in_time_is_in_utc() -> None:
    assert moment(0) == "1970-01-01T00:00:00Z"
    assert moment(1_798_761_599_999) == "2026-12-31T23:59:59Z"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (timedelta(0), "0ms"),
        (timedelta(milliseconds=1), "1ms"),
        (timedelta(days=1, milliseconds=1), "86400001ms"),
        (0, "0ms"),
        (60_000, "60000ms"),
        ("15 min", "15 min"),
    ],
)
def test_durations_are_numbers_strings_or_timedeltas(value: Any, text: str) -> None:
    assert delay_text("x", value) == text
    if text != "0ms":
        assert duration_text("x", value) == text


@pytest.mark.parametrize(
    ("convert", "value", "error", "message"),
    [
        (
            duration_text,
            timedelta(microseconds=1001),
            ValueError,
            "x must be a whole number of milliseconds, not datetime.timedelta(microseconds=1001)",
        ),
        *(
            (
                duration_text,
                value,
                TypeError,
                f'x must be a timedelta, a string such as "15m" or an int of milliseconds, not {value!r}',
            )
            for value in (1.5, True, None)
        ),
        *(
            (
                size_text,
                value,
                TypeError,
                f'x must be a string such as "128m" or an int of bytes, not {value!r}',
            )
            for value in (1.5, True, None)
        ),
        *((count_text, value, TypeError, f"x must be an int, not {value!r}") for value in (1.5, False, "5")),
    ],
)
def test_a_wrong_type_is_rejected_with_the_name_of_the_argument(
    convert: Any, value: object, error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as raised:
        convert("x", value)
    assert str(raised.value) == message


def test_sizes_and_counts_are_numbers_or_strings() -> None:
    assert (size_text("x", 1024), size_text("x", "1k")) == ("1024", "1k")
    assert (count_text("x", 1), count_text("x", 1000)) == ("1", "1000")


def test_values_are_formatted_as_spark_expects() -> None:
    assert [text_of("key", value) for value in (True, False, 7, "True")] == ["true", "false", "7", "True"]
    assert [names_of("m", "node", [given]) for given in ("a", ["a", "b"])] == [["a"], ["a", "b"]]
    assert present({"a": None, "b": False, "c": "", "d": 0}) == {"b": "false", "c": "", "d": "0"}


def test_options_with_names_in_two_cases_are_merged() -> None:
    assert merged([{"sinkId": "a"}, {"SINKID": "a", "path": "/x"}]) == (("sinkId", "a"), ("path", "/x"))
    with pytest.raises(ValueError, match="two values") as raised:
        merged([{"a": "1", "b": "1"}, {"A": "2"}, {"b": "3", "a": "1"}])
    assert str(raised.value) == "an option has two values: a is '1' and '2', b is '1' and '3'"


@pytest.mark.parametrize(
    "key",
    [
        "fs.s3a.secret.key",
        "PASSWORD",
        "apiToken",
        "my.credential",
        "access.key",
        "accessKey",
        "access-key",
        "sasl.jaas.config",
        "ssl.keystore.key",
        "httpHeader.X-Any",
    ],
)
def test_a_secret_is_hidden_by_name(key: str) -> None:
    assert shown([(key, "hidden")]) == f"{key}='…'"


@pytest.mark.parametrize("key", ["path", "x.httpHeader.y", "keystorexkey"])
def test_other_options_are_shown(key: str) -> None:
    assert shown([(key, "seen"), ("b", "2")]) == f"{key}='seen', b='2'"


@pytest.mark.parametrize(
    ("url", "text"),
    [
        ("jdbc:x://me:hidden@db/shop", "jdbc:x://me:…@db/shop"),
        ("jdbc:x://db/shop?user=me&password=hidden&ssl=true", "jdbc:x://db/shop?user=me&password=…&ssl=true"),
        ("jdbc:x://db;PWD=hidden;encrypt=true", "jdbc:x://db;PWD=…;encrypt=true"),
        ("jdbc:x://db?secretKey=hidden", "jdbc:x://db?secretKey=…"),
        ("jdbc:x://db?token=hidden", "jdbc:x://db?token=…"),
        ("jdbc:x://db:5432/shop", "jdbc:x://db:5432/shop"),
        ("a://u:1@b,c://v:2@d", "a://u:…@b,c://v:…@d"),
    ],
)
def test_a_secret_in_a_url_is_hidden(url: str, text: str) -> None:
    assert shown([("url", url)]) == f"url='{text}'"


@pytest.mark.parametrize(
    ("name", "text"),
    [("a", "a"), ("a b", "a b"), ("a,b", "`a,b`"), ("a`b", "`a``b`"), (" a", "` a`"), ("a ", "`a `")],
)
def test_a_column_is_quoted_if_the_name_contains_separators(name: str, text: str) -> None:
    assert columns_text([name]) == text
    assert columns_text([name, "z"]) == f"{text},z"


def test_a_policy_shows_the_given_arguments() -> None:
    assert repr(DefaultRollingPolicy()) == "DefaultRollingPolicy()"
    shown_whole = "DefaultRollingPolicy(max_part_size=4096, rollover_interval=1000, max_records=2)"
    assert repr(DefaultRollingPolicy(4096, 1000, max_records=2)) == shown_whole


@pytest.mark.parametrize("charset", ["UTF-8", "utf-8", "UTF8", "utf8"])
def test_text_accepts_all_names_of_utf_8(charset: str) -> None:
    assert Encoder.simple_string_encoder(charset) == Encoder.simple_string_encoder() == Encoder.text()
