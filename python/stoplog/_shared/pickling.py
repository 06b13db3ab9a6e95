# SPDX-License-Identifier: Apache-2.0
"""Pickles code of the user for other processes. Functions, sinks, targets and sources use the same rules."""

from __future__ import annotations

import functools
import pickle
import sys
import sysconfig
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from stoplog._text import redaction

_registry = threading.RLock()
"""Guards the registry of the pickler, which all threads of this process share."""


def function_name(method: str, function: Callable[..., Any]) -> str:
    """Returns the name of a function of the user, for messages.

    Args:
        method: the method that received the function.

    Raises:
        TypeError: the value is not callable, or is a class.

    >>> function_name("from_function", len)
    'len'
    """
    if isinstance(function, type):
        name = function.__name__
        raise TypeError(f"{method} needs a function, and got the class {name}: pass {name}(…)")
    if not callable(function):
        raise TypeError(f"{method} needs a function, not {function!r}: pass the function itself")
    return str(getattr(function, "__name__", type(function).__name__))


def pickled(owner: str, user: object, carried: object = None, *modules: ModuleType) -> bytes:
    """Pickles an object of the user so that a process without the modules of the user can load the object.

    The module that defines the object travels with the object. The other process imports installed packages.

    Args:
        owner: the subject of an error.
        carried: the object to pickle, if another object holds the object of the user.
        modules: modules that travel as well.

    Raises:
        TypeError: the object refers to something that cannot be pickled, such as a lock or a connection.
        ValueError: an attribute has the name of a secret.

    >>> import threading
    >>> lock = threading.Lock()
    >>> def locked():
    ...     return lock
    >>> pickled("from_function(locked)", locked)
    Traceback (most recent call last):
    TypeError: from_function(locked) cannot be sent to another process: cannot pickle '_thread.lock' object. \
Create connections, locks and sessions inside the function, and not before the call
    """
    _refuse_secrets(owner, user)
    with modules_by_value(*modules, _module_of(user)):
        try:
            return dumped(user if carried is None else carried)
        except (pickle.PicklingError, TypeError, ValueError, AttributeError, RecursionError) as error:
            raise TypeError(f"{owner} cannot be sent to another process: {_why(user, error)}") from error


def dumped(value: object) -> bytes:
    """Pickles an object with the pickler of Spark."""
    found: bytes = _pickler().dumps(value)
    return found


def always_by_value(module: ModuleType) -> None:
    """From now on, the functions and classes of this module travel with each pickle of this process."""
    with _registry:
        _pickler().register_pickle_by_value(module)


@contextmanager
def modules_by_value(*modules: ModuleType | None) -> Iterator[None]:
    """Within the block, the functions and classes of these modules travel with each pickle.

    The blocks of several threads follow one another: the end of a block ends the registrations of the block.
    """
    pickler = _pickler()
    with _registry:
        known = pickler.list_registry_pickle_by_value()
        given = {module.__name__: module for module in modules if module is not None}
        added = [module for name, module in given.items() if name not in known]
        for module in added:
            pickler.register_pickle_by_value(module)
        try:
            yield
        finally:
            for module in added:
                pickler.unregister_pickle_by_value(module)


def _pickler() -> Any:
    from pyspark import cloudpickle

    return cloudpickle


def _refuse_secrets(owner: str, user: object) -> None:
    """An option of a query holds the pickle, and Spark shows options in places that are not protected."""
    for name, value in _attributes(user).items():
        if isinstance(value, str | bytes) and value and redaction.is_secret(name):
            raise ValueError(
                f"{owner}.{name} would be sent with the query, readable for everyone who sees the query's "
                'options. Read the secret in the method that uses the secret, such as os.environ["NAME"], '
                "with the name in an attribute that does not look like a secret."
            )


def _module_of(value: object) -> ModuleType | None:
    """Returns the top-level module of the user that defines the value; `None` for an installed module."""
    while isinstance(value, functools.partial):  # its own module is that of functools
        value = value.func
    own = value if hasattr(value, "__qualname__") else type(value)
    name = str(getattr(own, "__module__", None) or "__main__").partition(".")[0]
    module = sys.modules.get(name)
    if module is None or name == "__main__" or name in sys.builtin_module_names or _is_installed(module):
        return None
    return module


def _is_installed(module: ModuleType) -> bool:
    if module.__name__ == __name__.partition(".")[0]:
        return True
    files = [getattr(module, "__file__", None), *getattr(module, "__path__", [])]
    installed = {Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "purelib", "platlib")}
    parents = {parent for file in files if file for parent in Path(file).resolve().parents}
    return not any(files) or bool(parents & installed)


def _why(user: object, error: Exception) -> str:
    """Returns the reason, with the attribute or method that cannot be pickled, and the repair."""
    for name, value in _attributes(user).items():
        if not _can(value):
            kind = f"{type(value).__module__}.{type(value).__qualname__}"
            return (
                f"its attribute {name} is a {kind}, which cannot be pickled. Create {name} in the method "
                f"that uses {name}, and keep only its parameters"
            )
    reason = (str(error).splitlines() or [type(error).__name__])[0].rstrip(".")
    methods = {} if isinstance(user, FunctionType) else vars(type(user))
    for name, value in methods.items():
        if callable(value) and not _can(value):
            return (
                f"its method {name} uses a variable of its module that cannot be pickled ({reason}). Create "
                "the value within the method"
            )
    return f"{reason}. Create connections, locks and sessions inside the function, and not before the call"


def _attributes(user: object) -> dict[str, object]:
    return dict(getattr(user, "__dict__", {}))


def _can(value: object) -> bool:
    try:
        dumped(value)
    except Exception:
        return False
    return True
