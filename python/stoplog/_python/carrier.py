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
from stoplog._shared.version import version
from stoplog._text import redaction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from importlib.machinery import ModuleSpec

_SENT = (
    "stoplog",
    "stoplog._python",
    "stoplog._python.committing",
    "stoplog._python.guarding",
    "stoplog._python.model",
    "stoplog._python.opening",
    "stoplog._python.sending",
    "stoplog._python.task",
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
    from pyspark import cloudpickle

    function = functools.partial(opening.opened, version(), _sources(), pickled(made, user))
    return base64.b64encode(_by_value(cloudpickle).dumps(function)).decode("ascii")


def side(made: object, user: object) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Returns the function of `mapInArrow` that runs an object; the errors are those of `function_text`."""
    from pyspark import cloudpickle

    _by_value(cloudpickle)
    return opening.side_of(version(), _sources(), pickled(made, user))


def name_of(user: object) -> str:
    """Returns the name of the object's class."""
    return type(user).__name__


def pickled(made: object, user: object) -> bytes:
    """Returns the pickled object; the errors are those of `function_text`."""
    from pyspark import cloudpickle

    _refuse_secrets(user)
    dumps = _by_value(cloudpickle).dumps
    try:
        found: bytes = dumps(made)
    except Exception as error:
        raise TypeError(_why(user, dumps, error)) from None
    return found


def _by_value(cloudpickle: Any) -> Any:
    cloudpickle.register_pickle_by_value(opening)
    return cloudpickle


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


def _refuse_secrets(user: object) -> None:
    """An option of a query holds the pickle, and Spark shows options in places that are not protected."""
    for name, value in getattr(user, "__dict__", {}).items():
        if isinstance(value, str | bytes) and value and redaction.is_secret(name):
            raise ValueError(
                f"{name_of(user)}.{name} would be sent with the query, readable for everyone who sees the "
                "query's options. Read the secret where it is used, in writer() and committer(): such as "
                'os.environ["NAME"], with the name in an attribute that does not look like a secret.'
            )


def _why(user: object, dumps: Callable[[object], bytes], error: Exception) -> str:
    """Returns the sentence that names the attribute or method which cannot be pickled."""
    owner = name_of(user)
    for name, value in getattr(user, "__dict__", {}).items():
        if not _can(dumps, value):
            kind = f"{type(value).__module__}.{type(value).__qualname__}"
            return (
                f"{owner} cannot be sent to Spark: its attribute {name} is a {kind}, which cannot be "
                f"pickled. Create {name} in writer() or committer(), and keep only its parameters."
            )
    for name, value in vars(type(user)).items():
        if callable(value) and not _can(dumps, value):
            return (
                f"{owner} cannot be sent to Spark: its method {name} uses a variable of its module that "
                f"cannot be pickled ({error}). Create the value within the method."
            )
    return f"{owner} cannot be sent to Spark: {error}. Keep only values that can be pickled."


def _can(dumps: Callable[[object], bytes], value: object) -> bool:
    try:
        dumps(value)
    except Exception:
        return False
    return True
