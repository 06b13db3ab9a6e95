# SPDX-License-Identifier: Apache-2.0
"""Sends objects of user code to other processes, and refuses what cannot be sent at the call."""

from __future__ import annotations

import base64
import functools
import zlib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stoplog._python import opening
from stoplog._shared import pickling
from stoplog._shared.version import version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from importlib.machinery import ModuleSpec

_SENT = (
    "stoplog",
    "stoplog._python",
    "stoplog._python.announcing",
    "stoplog._python.changes",
    "stoplog._python.committing",
    "stoplog._python.guarding",
    "stoplog._python.model",
    "stoplog._python.opening",
    "stoplog._python.owner",
    "stoplog._python.reopening",
    "stoplog._python.sending",
    "stoplog._python.task",
    "stoplog._shared",
    "stoplog._shared.user_code",
    "stoplog.announcement_target",
    "stoplog.two_phase",
    "stoplog.write_ahead_target",
)
"""The modules that user code and both ends of its calls import."""


def function_text(made: object, user: object) -> str:
    """Returns an option's text: a pickled function that returns the object.

    Args:
        made: the object, which holds the user's.
        user: the user's object, for the error.

    Raises:
        TypeError: the object cannot be pickled; the error names the attribute.
        ValueError: an attribute has the name of a secret.
    """
    function = functools.partial(opening.opened, version(), _sources(), pickled(made, user))
    pickling.always_by_value(opening)
    return base64.b64encode(pickling.dumped(function)).decode("ascii")


def side(made: object, user: object) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Returns the function of `mapInArrow` that runs an object; the errors are those of `function_text`."""
    pickling.always_by_value(opening)  # Spark pickles the function later
    return opening.side_of(version(), _sources(), pickled(made, user))


def name_of(user: object) -> str:
    """Returns the name of the object's class."""
    return type(user).__name__


def pickled(made: object, user: object) -> bytes:
    """Returns the pickled object; the errors are those of `function_text`."""
    return pickling.pickled(name_of(user), user, made)


@functools.cache
def _sources() -> dict[str, tuple[bool, bytes]]:
    found = {}
    for name in _SENT:
        spec = find_spec(name)
        assert spec is not None, name
        package = spec.submodule_search_locations is not None
        found[name] = (package, zlib.compress(_source(spec).encode("utf-8")))
    return found


def _source(spec: ModuleSpec) -> str:
    """Pytest's loader, which rewrites assertions, has no method for the source."""
    loader: Any = spec.loader
    if hasattr(loader, "get_source"):
        return str(loader.get_source(spec.name))
    return Path(str(spec.origin)).read_text(encoding="utf-8")
