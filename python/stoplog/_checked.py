# SPDX-License-Identifier: Apache-2.0
"""What a builder is given and builds with: objects of the right kinds, options that the jar has checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, get_args

from stoplog._aspects import Aspects, pairs_of
from stoplog._jvm import find_door

if TYPE_CHECKING:
    from stoplog._options import Pairs


_Value = TypeVar("_Value")


def required(method: str, value: _Value, kind: Any, made_by: str) -> _Value:
    """The argument of a method if it is of the kind.

    Args:
        method: what an error calls it.
        kind: a class, or several as `A | B`.
        made_by: what an error says of how one is made.

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


def checked_sink(aspects: Aspects) -> Pairs:
    """The options of a sink of files.

    Raises:
        InvalidOptions: an option has two values, or the jar refused some options.
        JarMissing: the active session runs without the jar.
        VersionMismatch: the active session runs with the jar of another release.
    """
    pairs = pairs_of(aspects)
    door = find_door()
    if door is not None:
        door.validate(dict(pairs))
    return pairs


def checked_source(aspects: Aspects) -> Pairs:
    """The same for a source of files."""
    pairs = pairs_of(aspects)
    door = find_door()
    if door is not None:
        door.validate_source(dict(pairs))
    return pairs


def checked_connector(facade: str, artifact: str, aspects: Aspects) -> Pairs:
    """The same for a sink or a source of a connector, whose jar is another one.

    Args:
        facade: the connector's class that knows its options.
        artifact: what an error calls the jar if it is missing.
    """
    pairs = pairs_of(aspects)
    door = find_door()
    if door is not None:
        door.validate_connector(facade, artifact, dict(pairs))
    return pairs


def _one(kind: Any) -> str:
    names = [each.__name__ for each in get_args(kind) or [kind]]
    return " or ".join(f"{'an' if name[0] in 'AEIO' else 'a'} {name}" for name in names)
