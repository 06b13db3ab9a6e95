# SPDX-License-Identifier: Apache-2.0
"""Builders and their option maps: immutable, comparable, and checked by the jar."""

from __future__ import annotations

import inspect
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, get_args

from stoplog._jvm.bridge import find_bridge
from stoplog._shared.definitions import option_keys
from stoplog._shared.other_names import meant, nearest
from stoplog._text import redaction
from stoplog._text.values import Pairs, Value, option_name, pairs_of, text_of
from stoplog.errors import InvalidOptions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from typing_extensions import Self

_Value = TypeVar("_Value")


@dataclass(frozen=True, slots=True)
class BuilderState:
    """The options that calls of a builder have set, in groups.

    A new group replaces the group of the same name.

    Attributes:
        groups: the names and options of the groups, in the order of the calls.
    """

    groups: tuple[tuple[str, Pairs], ...] = ()

    @classmethod
    def of(cls, groups: Mapping[str, Mapping[str, str]]) -> BuilderState:
        """Returns the state of a builder that has set these groups.

        >>> BuilderState.of({"table": {"url": "jdbc:derby:shop", "dbtable": "orders"}})
        BuilderState(url='jdbc:derby:shop', dbtable='orders')
        """
        return cls(tuple((name, pairs_of(options)) for name, options in groups.items()))

    def with_group(self, name: str, options: Mapping[str, str]) -> BuilderState:
        """Returns the same state with these options instead of the group's old options.

        >>> json = BuilderState.of({"format": {"format": "json", "timestampFormat": "yyyy"}})
        >>> json.with_group("format", {"format": "csv"})
        BuilderState(format='csv')
        """
        return BuilderState((*self.without_group(name).groups, (name, pairs_of(options))))

    def without_group(self, name: str) -> BuilderState:
        """Returns the same state without the group's options."""
        return BuilderState(tuple(group for group in self.groups if group[0] != name))

    def without_options(self, *names: str) -> BuilderState:
        """Returns the same state without these options, regardless of the groups that set the options.

        >>> state = BuilderState.of({"option keycolumns": {"KEYCOLUMNS": "id"}, "url": {"url": "jdbc:h2:a"}})
        >>> state.without_options("keyColumns", "versionColumn")
        BuilderState(url='jdbc:h2:a')
        """
        removed = {name.lower() for name in names}
        groups = (
            (group, tuple(pair for pair in options if pair[0].lower() not in removed))
            for group, options in self.groups
        )
        return BuilderState(tuple(group for group in groups if group[1]))

    def pairs(self) -> Pairs:
        """Returns all options as one map.

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


class Hinted:
    """An object whose error for a missing attribute names the attribute with the same purpose."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker knows the attributes

        def __getattr__(self, name: str) -> object:
            kind = type(self).__name__
            missing = f"'{kind}' object has no attribute '{name}'"
            hint = None if name.startswith("_") else _attribute(type(self), name)
            if hint is None:
                raise AttributeError(missing, name=name, obj=self)
            raise AttributeError(f"{missing}: use {hint}")


@dataclass(frozen=True, slots=True, repr=False)
class OptionBacked(Hinted):
    """A sink, a source or a part of either that is defined by options."""

    _pairs: Pairs

    def options(self) -> dict[str, str]:
        """Returns the options for Spark's `format(…)` as a new dict, including secrets."""
        return dict(self._pairs)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({shown(self._pairs)})"


_OF_WHAT_IS_BUILT = frozenset(
    {"write_stream", "run_available_now", "write", "read_stream", "read", "check", "options"}
)


class Unbuilt(Hinted):
    """A builder; its error message suggests `build()` if a program uses the builder as the built object."""

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker knows the attributes

        def __getattr__(self, name: str) -> object:
            if re.sub("(?=[A-Z])", "_", name).lower() in _OF_WHAT_IS_BUILT:
                raise AttributeError(f"call .build() first: {name} is a method of the built sink or source")
            return super().__getattr__(name)


@dataclass(frozen=True, slots=True, repr=False)
class Builder(Unbuilt):
    """A builder of options; each call returns a new builder."""

    _state: BuilderState

    _direction: ClassVar[str] = ""
    """`sink` or `source` if other systems have names for these options."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._state})"

    def _with(self, group: str | None = None, /, **options: str) -> Self:
        """Sets a group; the default name of a group is its first option.

        Raises:
            TypeError: a value is not a string.
        """
        return replace(self, _state=self._state.with_group(group or next(iter(options)), options))

    def _with_option(self, key: str, value: Value) -> Self:
        for own in meant(self._direction, option_name(key)) if self._direction else ():
            raise InvalidOptions("STOPLOG_INVALID_OPTIONS", f"{key} is not an option: use {own}.")
        return self._with(f"option {key.lower()}", **{key: text_of(key, value)})


FORMAT = "stoplog"
"""The name under which Spark finds the file sink and the file source; also the name of their jar."""


def checked(state: BuilderState, facade: str, artifact: str = FORMAT) -> Pairs:
    """Returns the options that a builder has set. In a classic session, the jar checks the options first.

    Args:
        facade: the class of the jar that checks these options.
        artifact: the name of the facade's jar in the error for a missing jar.

    Raises:
        InvalidOptions: an option has two values, or the jar rejected some options.
        JarMissing: the active session runs without the jar.
        VersionMismatch: the active session runs with the jar of another release.
    """
    pairs = state.pairs()
    bridge = find_bridge()
    if bridge is not None:
        bridge.validate(facade, artifact, dict(pairs))
    return pairs


def _attribute(kind: type, name: str) -> str | None:
    """Returns the attribute of a class that has the purpose of a name from elsewhere, or a similar name.

    Without such an attribute, returns the option with the purpose, if the class is a builder of options.
    """
    public = {each for each in dir(kind) if not each.startswith("_")}
    for own in meant("methods", name):
        if re.split(r"\W", own, maxsplit=1)[0] in public:
            return own
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
    # The words before the purpose are in all names of methods, and say nothing about similarity.
    bare = re.sub("^(with|set)_", "", snake)
    if exact := public & {snake, f"with_{bare}", bare}:
        return next(iter(exact))
    if option := _option(getattr(kind, "_direction", ""), bare):
        return option
    by_purpose = {re.sub("^(with|set)_", "", each): each for each in sorted(public)}
    similar = nearest(bare, by_purpose)
    return by_purpose[similar] if similar else None


def _option(direction: str, words: str) -> str | None:
    """Returns how a builder sets the option with the words of a method's name."""
    if not direction:
        return None
    keys = option_keys("core", direction) if direction in {"sink", "source"} else option_keys(direction)
    for key in sorted(keys):
        if key.lower() == words.replace("_", "") and key not in _OF_START:
            return f'with_option("{key}", …)'
    return next((own if "(" in own else f"the option {own}" for own in meant(direction, words)), None)


_OF_START = {"path", "format"}
"""Options that the call before the builder has set."""


def required(method: str, value: _Value, kind: Any, made_by: str) -> _Value:
    """Returns the argument of a method if the argument is of the kind.

    Args:
        method: the method's name in an error.
        kind: a class, or several classes as `A | B`.
        made_by: the sentence in an error that explains how to create an argument.

    Raises:
        TypeError: the argument is of another kind, such as a builder without `build()`.

    >>> from stoplog import OutputFileConfig
    >>> required("with_output_file_config", OutputFileConfig.builder(), OutputFileConfig, "…")
    Traceback (most recent call last):
    TypeError: with_output_file_config needs an OutputFileConfig, and got an OutputFileConfigBuilder: \
call .build()
    """
    if isinstance(value, kind):
        return value
    needed = f"{method} needs {_one(kind)}"
    if isinstance(value, type):
        how = f"write {value.__name__}()" if _needs_nothing(value) else made_by
        raise TypeError(f"{needed}, and got the class {value.__name__}: {how}")
    if inspect.isroutine(value):
        raise TypeError(f"{needed}, and got the function {value.__name__}: call it, as {value.__name__}(…)")
    if hasattr(value, "build"):
        raise TypeError(f"{needed}, and got {_one(type(value))}: call .build()")
    raise TypeError(f"{needed}, not {value!r}: {made_by}")


def _needs_nothing(kind: type) -> bool:
    try:
        inspect.signature(kind).bind()
    except (TypeError, ValueError):  # the class needs arguments, or Python does not know its signature
        return False
    return not inspect.isabstract(kind)


def _one(kind: Any) -> str:
    names = [_NAMES.get(each, each.__name__) for each in get_args(kind) or [kind]]
    return " or ".join(f"{'an' if name[0] in 'AEIO' else 'a'} {name}" for name in names)


_NAMES = {str: "string"}


def merged(parts: Iterable[Mapping[str, str]]) -> Pairs:
    """Merges several option maps into one; one error reports all conflicts.

    >>> merged([{"format": "json"}, {"sinkId": "a"}])
    (('format', 'json'), ('sinkId', 'a'))
    >>> merged([{"timeZone": "UTC"}, {"timezone": "CET"}])
    Traceback (most recent call last):
    ValueError: an option has two values: timeZone is 'UTC' and 'CET'
    >>> merged([{"password": "hunter2"}, {"password": "hunter3"}])
    Traceback (most recent call last):
    ValueError: an option has two values: password is '…' and '…'
    """
    first: dict[str, tuple[str, str]] = {}
    conflicts: list[str] = []
    for part in parts:
        for key, value in part.items():
            known_key, known_value = first.setdefault(key.lower(), (key, value))
            if known_value != value:
                both = [redaction.value(known_key, one) for one in (known_value, value)]
                conflicts.append(f"{known_key} is {both[0]!r} and {both[1]!r}")
    if conflicts:
        raise ValueError(f"an option has two values: {', '.join(conflicts)}")
    return tuple(first.values())


def shown(pairs: Iterable[tuple[str, str]]) -> str:
    """Returns the options for a `repr`; values that look like secrets are hidden, as in Spark's own logs.

    >>> shown([("format", "json"), ("fs.s3a.secret.key", "hunter2")])
    "format='json', fs.s3a.secret.key='…'"
    >>> shown([("url", "jdbc:postgresql://shop:hunter2@db/x?password=hunter2&ssl=true")])
    "url='jdbc:postgresql://shop:…@db/x?password=…&ssl=true'"
    """
    return ", ".join(f"{key}={redaction.value(key, value)!r}" for key, value in pairs if not _is_pickle(key))


def _is_pickle(key: str) -> bool:
    """An object of user code is pages of Base64, and another option has its class."""
    return key.endswith(".pickled")
