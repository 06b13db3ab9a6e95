# SPDX-License-Identifier: Apache-2.0
"""The values of options, as the strings that the jar parses.

Each function rejects a value of another type at the call. Errors omit the text, which may be secret.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any, TypeAlias, TypeVar

from stoplog._text.words import many

Pairs: TypeAlias = tuple[tuple[str, str], ...]
"""An immutable option map in insertion order. As in Spark, keys are case-insensitively unique."""

Value: TypeAlias = str | int | bool
"""The types of option values in Python."""

Duration: TypeAlias = timedelta | str | int
"""A `timedelta`, a string such as `"15m"`, or as in PyFlink an int of at least 1000 milliseconds."""

Size: TypeAlias = str | int
"""A Spark byte string such as `"128m"` (binary: 1k is 1024 bytes), or an int of at least 1024 bytes."""

_Key = TypeVar("_Key")
_Given = TypeVar("_Given")
_MILLISECOND = timedelta(milliseconds=1)
_BELOW_ZERO = re.compile(r"\s*-\s*[0-9].*")
_ZERO = re.compile(r"\s*0+\s*[A-Za-z]*\s*")


def duration_text(name: str, value: Duration) -> str:
    """Returns the option value of a positive duration; `name` is the argument's name in errors.

    >>> duration_text("rollover_interval", timedelta(minutes=15))
    '900000ms'
    >>> duration_text("rollover_interval", 60_000)
    '60000ms'
    >>> duration_text("rollover_interval", "15 min")
    '15 min'
    >>> duration_text("rollover_interval", "0s")
    Traceback (most recent call last):
    ValueError: rollover_interval='0s' must be more than 0
    >>> duration_text("rollover_interval", 5)
    Traceback (most recent call last):
    ValueError: rollover_interval=5 is 5 milliseconds: write '5s' or timedelta(seconds=5) for seconds, \
or '5ms' if milliseconds are meant
    """
    _more_than_zero(name, value)
    return delay_text(name, value)


def delay_text(name: str, value: Duration) -> str:
    """Returns the option value of a duration that may be zero.

    >>> delay_text("delay", 0)
    '0ms'
    """
    if _is_below_zero(value):
        raise ValueError(f"{name}={value!r} must not be less than 0")
    if isinstance(value, timedelta):
        whole, rest = divmod(value, _MILLISECOND)
        if rest:
            raise ValueError(f"{name} must be a whole number of milliseconds, not {value!r}")
        return f"{whole}ms"
    if isinstance(value, str):
        return value
    millis = _integer(name, value, 'a timedelta, a string such as "15m" or an int of milliseconds')
    if 0 < millis < 1000:
        raise ValueError(
            f"{name}={millis} is {many(millis, 'millisecond')}: "
            f"write '{millis}s' or timedelta(seconds={millis}) for seconds, "
            f"or '{millis}ms' if milliseconds are meant"
        )
    return f"{millis}ms"


def size_text(name: str, value: Size) -> str:
    """Returns the option value of a size; `name` is the argument's name in errors.

    >>> size_text("max_part_size", 1024), size_text("max_part_size", "128m")
    ('1024', '128m')
    >>> size_text("max_part_size", 128)
    Traceback (most recent call last):
    ValueError: max_part_size=128 is 128 bytes: write '128m' for mebibytes, or '128b' if bytes are meant
    """
    _more_than_zero(name, value)
    if isinstance(value, str):
        return value
    size = _integer(name, value, 'a string such as "128m" or an int of bytes')
    if 0 < size < 1024:
        raise ValueError(
            f"{name}={size} is {many(size, 'byte')}: write '{size}m' for mebibytes, "
            f"or '{size}b' if bytes are meant"
        )
    return str(size)


def count_text(name: str, value: int) -> str:
    """Returns the option value of a number; `name` is the argument's name in errors.

    >>> count_text("max_records", 1000)
    '1000'
    """
    count = _integer(name, value, "an int")
    _more_than_zero(name, count)
    return str(count)


def whole(name: str, value: int) -> int:
    """Returns the number if the value is an int; `name` is the argument's name in errors.

    >>> whole("epoch", "3")
    Traceback (most recent call last):
    TypeError: epoch must be an int, not '3'
    """
    return _integer(name, value, "an int")


def if_given(text: Callable[[str, Any], str], name: str, value: object) -> str | None:
    """Converts the value by one of the functions above; returns `None` for `None`.

    >>> if_given(size_text, "max_part_size", "1g"), if_given(size_text, "max_part_size", None)
    ('1g', None)
    """
    return None if value is None else text(name, value)


def _more_than_zero(name: str, value: object) -> None:
    if _is_zero(value) or _is_below_zero(value):
        raise ValueError(f"{name}={value!r} must be more than 0")


def _is_zero(value: object) -> bool:
    if isinstance(value, str):
        return bool(_ZERO.fullmatch(value))
    return not isinstance(value, bool) and value in (0, timedelta(0))


def _is_below_zero(value: object) -> bool:
    if isinstance(value, str):
        return bool(_BELOW_ZERO.fullmatch(value))
    return (isinstance(value, timedelta) and value < timedelta(0)) or (isinstance(value, int) and value < 0)


def _integer(name: str, value: object, expected: str) -> int:
    # In Python, bool is an int, and True would become one millisecond or one byte.
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be {expected}, not {value!r}")
    return int(value)  # the number of an enum's member


def text_of(key: str, value: object) -> str:
    """Returns a value as Spark writes the value in an option.

    >>> text_of("header", True), text_of("rows", 7), text_of("sep", "x")
    ('true', '7', 'x')
    >>> text_of("sep", None)
    Traceback (most recent call last):
    TypeError: sep must be a string, a number or a bool, and is of type NoneType

    Raises:
        TypeError: the value is of another type.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return _plain(value)
    if isinstance(value, int):
        return str(int(value))
    if isinstance(value, float):
        return str(float(value))
    raise TypeError(f"{key} must be a string, a number or a bool, {_other(value)}")


def string(name: str, value: object) -> str:
    """Returns the value if the value is a string.

    Raises:
        TypeError: the value is not a string.
    """
    if isinstance(value, str):
        return _plain(value)
    raise TypeError(f"{name} must be a string, {_other(value)}")


def _other(value: object) -> str:
    """Describes a value of a wrong type; a column of Spark contains the text to write instead."""
    if _is_column(value):
        text = str(value).removeprefix("Column<'").removesuffix("'>")
        return f"and is a Column of Spark: write {text!r}"
    return f"and is of type {type(value).__name__}"


def _is_column(value: object) -> bool:
    # By name, because this module does not import Spark. Classic and Connect have a class each.
    return any(
        each.__name__ == "Column" and each.__module__.startswith("pyspark.sql.")
        for each in type(value).__mro__
    )


def _plain(value: str) -> str:
    # `str` of a string enum would return the name of the member.
    return str.__str__(value)


def mapping(name: str, value: Mapping[_Key, _Given]) -> Mapping[_Key, _Given]:
    """Returns the value if the value is a mapping.

    >>> mapping("parameters", ["header"])
    Traceback (most recent call last):
    TypeError: parameters must be a mapping, such as a dict, and is of type list
    """
    if isinstance(value, Mapping):
        return value
    raise TypeError(f"{name} must be a mapping, such as a dict, and is of type {type(value).__name__}")


def option_name(key: str) -> str:
    """Checks and returns the name of an option from a caller.

    Raises:
        TypeError: the name is not a string.
        ValueError: the name is empty.
    """
    if not string("the name of an option", key):
        raise ValueError("the name of an option must not be empty")
    return key


def pairs_of(options: Mapping[str, str]) -> Pairs:
    """Returns the options of a dict.

    >>> pairs_of({"url": None})
    Traceback (most recent call last):
    TypeError: url must be a string, and is of type NoneType
    """
    return tuple((option_name(key), string(key, value)) for key, value in options.items())


def present(values: Mapping[str, object | None]) -> dict[str, str]:
    """Returns the given options; for an option with `None`, the session's or the jar's default applies.

    >>> present({"header": True, "sep": None})
    {'header': 'true'}
    """
    return {key: text_of(key, value) for key, value in values.items() if value is not None}


def own_class(option: str, class_name: str, parameters: Mapping[str, Value] | None) -> dict[str, str]:
    """Returns the options of a custom JVM class, with the class's parameters as `<option>.<name>`.

    >>> own_class("encoder", "com.acme.Words", {"separator": ";", "header": True})
    {'encoder': 'com.acme.Words', 'encoder.separator': ';', 'encoder.header': 'true'}
    """
    given = mapping("parameters", {} if parameters is None else parameters).items()
    named = {f"{option}.{name}": text_of(f"{option}.{name}", value) for name, value in given}
    return {option: string(option, class_name), **named}


def path_text(path: str | os.PathLike[str]) -> str:
    """Returns a path as text.

    >>> path_text("/data/out")
    '/data/out'

    Raises:
        TypeError: the path is not a path, or is a path of bytes, which options do not support.
        ValueError: the path is empty, which would mean the working directory.
    """
    text = path.__fspath__() if isinstance(path, os.PathLike) else path
    if not isinstance(text, str):
        raise TypeError(f"a path must be a string, and {path!r} is of type {type(text).__name__}")
    if not text:
        raise ValueError("a path must not be empty")
    return _plain(text)


def names_of(method: str, what: str, given: Iterable[str | Iterable[str]]) -> list[str]:
    """Returns the names from a method's arguments, each of which is a name or a list of names.

    >>> names_of("with_partition_by", "column", ["a", ["b", "c"]])
    ['a', 'b', 'c']
    >>> names_of("with_partition_by", "column", [[]])
    Traceback (most recent call last):
    ValueError: with_partition_by needs the name of at least one column

    Raises:
        TypeError: an argument is not a name.
        ValueError: there are no names, or a name is empty.
    """
    names = [string(f"the name of a {what}", name) for each in given for name in _several(each)]
    if not names:
        raise ValueError(f"{method} needs the name of at least one {what}")
    if not all(names):
        raise ValueError(f"the name of a {what} must not be empty")
    return names


def _several(given: str | Iterable[str]) -> Iterable[str]:
    # A column of Spark has `__iter__`, which raises an error.
    if isinstance(given, str | bytes) or _is_column(given) or not isinstance(given, Iterable):
        return [given]  # type: ignore[list-item]
    return given


def columns_text(names: Iterable[str]) -> str:
    """Joins the names with commas; names with commas or backticks are quoted with backticks.

    >>> print(columns_text(["country", "a,b", "c`d"]))
    country,`a,b`,`c``d`
    """
    return ",".join(_quoted(name) for name in names)


def _quoted(name: str) -> str:
    # The jar strips spaces around an unquoted name.
    bare = not {",", "`"} & set(name) and name == name.strip()
    return name if bare else f"`{name.replace('`', '``')}`"
