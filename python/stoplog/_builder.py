# SPDX-License-Identifier: Apache-2.0
"""Builders, and the maps of strings that they make: options, immutable and comparable, checked by the jar."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias, TypeVar, get_args

from stoplog import _redaction
from stoplog._jvm import find_bridge
from stoplog.errors import InvalidOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.readwriter import DataStreamWriter
    from typing_extensions import Self

Pairs: TypeAlias = tuple[tuple[str, str], ...]
"""An immutable option map, in the order in which it was made; as in Spark, keys differ by more than case."""

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class BuilderState:
    """The options that calls of a builder have set, in groups: a new group replaces the old one of its name.

    Attributes:
        groups: their names and options, in the order of the calls.
    """

    groups: tuple[tuple[str, Pairs], ...] = ()

    @classmethod
    def of(cls, groups: Mapping[str, Mapping[str, str]]) -> BuilderState:
        """The state of a builder that has set these groups.

        >>> BuilderState.of({"table": {"url": "jdbc:derby:shop", "dbtable": "orders"}})
        BuilderState(url='jdbc:derby:shop', dbtable='orders')
        """
        return cls(tuple((name, tuple(options.items())) for name, options in groups.items()))

    def with_group(self, name: str, options: Mapping[str, str]) -> BuilderState:
        """The same state with these options in place of the group's old ones.

        >>> json = BuilderState.of({"format": {"format": "json", "timestampFormat": "yyyy"}})
        >>> json.with_group("format", {"format": "csv"})
        BuilderState(format='csv')
        """
        return BuilderState((*self.without_group(name).groups, (name, tuple(options.items()))))

    def without_group(self, name: str) -> BuilderState:
        """The same state without the group's options."""
        return BuilderState(tuple(group for group in self.groups if group[0] != name))

    def pairs(self) -> Pairs:
        """All options as one map.

        Raises:
            InvalidOptions: an option has two values.
        """
        try:
            return merged(dict(options) for _, options in self.groups)
        except ValueError as error:
            raise InvalidOptions("STOPLOG_INVALID_OPTIONS", str(error)) from None

    def __str__(self) -> str:
        return shown(self._all())

    def __repr__(self) -> str:
        return f"BuilderState({self})"

    def _all(self) -> Iterator[tuple[str, str]]:
        return (pair for _, options in self.groups for pair in options)


@dataclass(frozen=True, slots=True, repr=False)
class OptionBacked:
    """A sink, a source or a piece of one that its options describe."""

    _pairs: Pairs

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shown(self._pairs)})"


@dataclass(frozen=True, slots=True, repr=False)
class TableSink(OptionBacked):
    """A sink whose target is a table of a database."""

    _format: ClassVar[str]

    def options(self) -> dict[str, str]:
        """The options of the sink's `format(…)` that it stands for, as a new dict.

        The password is among them.
        """
        return dict(self._pairs)

    def write_stream(
        self, df: DataFrame, checkpoint_location: str | os.PathLike[str] | None = None
    ) -> DataStreamWriter:
        """A streaming query's writer that is set to this sink, in append mode.

        Args:
            df: a streaming DataFrame.
            checkpoint_location: where the query keeps its progress; by default it is left to
                `spark.sql.streaming.checkpointLocation`.

        Returns:
            Spark's own writer, for a trigger, an output mode, a query name and `start()`.

        Example:
            query = sink.write_stream(totals, "/data/checkpoint").outputMode("update").start()
        """
        return stream_writer(df, self._format, self.options(), checkpoint_location)


_OF_WHAT_IS_BUILT = frozenset({"write_stream", "write", "read_stream", "read", "check", "options"})


class Unbuilt:
    """A builder, which says so to a program that takes it for the thing that it builds."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker knows better which attributes there are

        def __getattr__(self, name: str) -> object:
            kind = type(self).__name__
            if name in _OF_WHAT_IS_BUILT:
                raise AttributeError(f"{kind} has no {name}: end it with .build(), which answers what has")
            raise AttributeError(f"'{kind}' object has no attribute '{name}'", name=name, obj=self)


@dataclass(frozen=True, slots=True, repr=False)
class Builder(Unbuilt):
    """A builder of options; each call answers a new builder."""

    _state: BuilderState

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._state})"

    def _with(self, group: str | None = None, /, **options: str) -> Self:
        """Sets a group, which has the name of its first option if it is given no other.

        Raises:
            TypeError: a value is no string. The error does not show it: it may be a secret.
        """
        for key, value in options.items():
            if not isinstance(value, str):
                raise TypeError(f"{key} must be a string, and is of type {type(value).__name__}")
        return type(self)(self._state.with_group(group or next(iter(options)), options))

    def _with_option(self, key: str, value: str | int | bool) -> Self:
        return self._with(f"option {key.lower()}", **{key: text_of(key, value)})


def checked_sink(state: BuilderState) -> Pairs:
    """The options of a sink of files, which the jar has accepted if there is a classic session.

    Raises:
        InvalidOptions: an option has two values, or the jar refused some options.
        JarMissing: the active session runs without the jar.
        VersionMismatch: the active session runs with the jar of another release.
    """
    pairs = state.pairs()
    bridge = find_bridge()
    if bridge is not None:
        bridge.validate(dict(pairs))
    return pairs


def checked_source(state: BuilderState) -> Pairs:
    """The same for a source of files."""
    pairs = state.pairs()
    bridge = find_bridge()
    if bridge is not None:
        bridge.validate_source(dict(pairs))
    return pairs


def checked_connector(facade: str, artifact: str, state: BuilderState) -> Pairs:
    """The same for a sink or a source of a connector, whose jar is another one.

    Args:
        facade: the connector's class that knows its options.
        artifact: the name of the jar in an error that says that it is missing.
    """
    pairs = state.pairs()
    bridge = find_bridge()
    if bridge is not None:
        bridge.validate_connector(facade, artifact, dict(pairs))
    return pairs


def stream_writer(
    df: DataFrame,
    name: str,
    options: dict[str, str],
    checkpoint_location: str | os.PathLike[str] | None,
) -> DataStreamWriter:
    """Spark's own writer of a stream, in append mode, set to a sink.

    Args:
        df: a streaming DataFrame.
        name: by which Spark finds the sink.
        options: the sink's.
        checkpoint_location: left to `spark.sql.streaming.checkpointLocation` if there is none.
    """
    writer = df.writeStream.format(name).options(**options).outputMode("append")
    if checkpoint_location is None:
        return writer
    return writer.option("checkpointLocation", os.fspath(checkpoint_location))


def required(method: str, value: _Value, kind: Any, made_by: str) -> _Value:
    """The argument of a method if it is of the kind.

    Args:
        method: the method's name in an error.
        kind: a class, or several as `A | B`.
        made_by: the sentence in an error that says how one is made.

    Raises:
        TypeError: it is another thing, such as a builder that was not built.

    >>> from stoplog import OutputFileConfig
    >>> required("with_output_file_config", OutputFileConfig.builder(), OutputFileConfig, "…")
    Traceback (most recent call last):
    TypeError: with_output_file_config needs an OutputFileConfig, and got an OutputFileConfigBuilder: \
end it with .build()
    """
    if isinstance(value, kind):
        return value
    needed = f"{method} needs {_one(kind)}"
    if isinstance(value, type):
        raise TypeError(f"{needed}, and got the class {value.__name__}: write {value.__name__}()")
    if hasattr(value, "build"):
        raise TypeError(f"{needed}, and got {_one(type(value))}: end it with .build()")
    raise TypeError(f"{needed}, not {value!r}: {made_by}")


def _one(kind: Any) -> str:
    names = [each.__name__ for each in get_args(kind) or [kind]]
    return " or ".join(f"{'an' if name[0] in 'AEIO' else 'a'} {name}" for name in names)


def own_class(option: str, class_name: str, parameters: Mapping[str, object] | None) -> dict[str, str]:
    """A class on the session's class path that an option names, with its parameters as `<option>.<name>`.

    >>> own_class("encoder", "com.acme.Words", {"separator": ";", "header": True})
    {'encoder': 'com.acme.Words', 'encoder.separator': ';', 'encoder.header': 'true'}
    """
    named = {
        f"{option}.{name}": text_of(f"{option}.{name}", value) for name, value in (parameters or {}).items()
    }
    return {option: class_name, **named}


def text_of(key: str, value: object) -> str:
    """A value as Spark writes it in an option.

    >>> text_of("header", True), text_of("rows", 7), text_of("sep", "x")
    ('true', '7', 'x')
    >>> text_of("sep", None)
    Traceback (most recent call last):
    TypeError: sep must be a string, a number or a bool, and is of type NoneType

    Raises:
        TypeError: the value is of another type. The error does not show it: it may be a secret.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str | int | float):
        return str(value)
    raise TypeError(f"{key} must be a string, a number or a bool, and is of type {type(value).__name__}")


def joined(values: str | Iterable[str]) -> str:
    """Several values as one of an option.

    >>> joined(["a", "b"]), joined("a,b")
    ('a,b', 'a,b')
    """
    return values if isinstance(values, str) else ",".join(values)


def path_text(path: str | os.PathLike[str]) -> str:
    """A path as text.

    >>> path_text("/data/out")
    '/data/out'

    Raises:
        TypeError: it is no path, or one of bytes, which options cannot hold.
    """
    text = os.fspath(path)
    if isinstance(text, str):
        return text
    raise TypeError(f"a path must be a string, and {path!r} is of type {type(text).__name__}")


def present(values: Mapping[str, object | None]) -> dict[str, str]:
    """The options that were given: one that is `None` is left to the session's or the jar's default.

    >>> present({"header": True, "sep": None})
    {'header': 'true'}
    """
    return {key: text_of(key, value) for key, value in values.items() if value is not None}


def merged(parts: Iterable[Mapping[str, str]]) -> Pairs:
    """One option map of several; all contradictions between them are reported in one error.

    >>> merged([{"format": "json"}, {"sinkId": "a"}])
    (('format', 'json'), ('sinkId', 'a'))
    >>> merged([{"timeZone": "UTC"}, {"timezone": "CET"}])
    Traceback (most recent call last):
    ValueError: an option was given two values: timeZone is 'UTC' and 'CET'
    >>> merged([{"password": "hunter2"}, {"password": "hunter3"}])
    Traceback (most recent call last):
    ValueError: an option was given two values: password is '…' and '…'
    """
    first: dict[str, tuple[str, str]] = {}
    conflicts: list[str] = []
    for part in parts:
        for key, value in part.items():
            known_key, known_value = first.setdefault(key.lower(), (key, value))
            if known_value != value:
                both = [_redaction.value(known_key, one) for one in (known_value, value)]
                conflicts.append(f"{known_key} is {both[0]!r} and {both[1]!r}")
    if conflicts:
        raise ValueError(f"an option was given two values: {', '.join(conflicts)}")
    return tuple(first.values())


def shown(pairs: Iterable[tuple[str, str]]) -> str:
    """The options as a `repr` shows them; what looks like a secret is hidden, as in Spark's own logs.

    >>> shown([("format", "json"), ("fs.s3a.secret.key", "hunter2")])
    "format='json', fs.s3a.secret.key='…'"
    >>> shown([("url", "jdbc:postgresql://shop:hunter2@db/x?password=hunter2&ssl=true")])
    "url='jdbc:postgresql://shop:…@db/x?password=…&ssl=true'"
    """
    return ", ".join(f"{key}={_redaction.value(key, value)!r}" for key, value in pairs)


def flat(columns: Iterable[str | Iterable[str]]) -> list[str]:
    """The names, of which some may have come in a list.

    >>> flat(["a", ["b", "c"]])
    ['a', 'b', 'c']

    Raises:
        TypeError: something is no name of a column.
    """
    return [_name(name) for each in columns for name in ([each] if isinstance(each, str) else _several(each))]


def _several(names: Iterable[str]) -> Iterable[str]:
    try:
        return iter(names)
    except TypeError:
        return [_name(names)]


def _name(column: object) -> str:
    if isinstance(column, str):
        return column
    raise TypeError(f"the name of a column must be a string, and is of type {type(column).__name__}")


def columns_text(names: Iterable[str]) -> str:
    """The names with commas between them; backticks around those that a comma would tear apart.

    >>> print(columns_text(["country", "a,b", "c`d"]))
    country,`a,b`,`c``d`
    """
    return ",".join(_quoted(name) for name in names)


def _quoted(name: str) -> str:
    # The jar drops spaces around a bare name.
    bare = not {",", "`"} & set(name) and name == name.strip()
    return name if bare else f"`{name.replace('`', '``')}`"
