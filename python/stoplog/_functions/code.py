# SPDX-License-Identifier: Apache-2.0
"""Functions and classes of the user, pickled at the call that receives the code."""

from __future__ import annotations

import pickle
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any


@dataclass(frozen=True, slots=True)
class UserCode:
    """A pickled function or object of the user.

    Attributes:
        owner: the call that received the code, for messages.
        pickled: the code, by value.
    """

    owner: str
    pickled: bytes = field(repr=False)

    @classmethod
    def of_function(cls, method: str, function: Callable[..., Any]) -> UserCode:
        """Pickles a function.

        Args:
            method: the method that received the function.

        Raises:
            TypeError: the value is not callable, is a class, or cannot be pickled.

        >>> UserCode.of_function("BucketAssigner.from_function", len)
        UserCode(owner='BucketAssigner.from_function(len)')
        >>> UserCode.of_function("BucketAssigner.from_function", "hourly")
        Traceback (most recent call last):
        TypeError: BucketAssigner.from_function needs a function, not 'hourly': pass the function itself
        """
        if isinstance(function, type):
            name = function.__name__
            raise TypeError(f"{method} needs a function, and got the class {name}: pass {name}(…)")
        if not callable(function):
            raise TypeError(f"{method} needs a function, not {function!r}: pass the function itself")
        owner = f"{method}({getattr(function, '__name__', type(function).__name__)})"
        return cls(owner, by_value(owner, function))


def by_value(owner: str, value: object) -> bytes:
    """Pickles a value so that a process without the modules of the user can load the value.

    The modules of the user travel with the value. Installed packages are imported by the other process.

    Args:
        owner: the subject of an error.

    Raises:
        TypeError: the value refers to something that cannot be pickled, such as a lock or a connection.

    >>> import threading
    >>> lock = threading.Lock()
    >>> def locked():
    ...     return lock
    >>> by_value("from_function(locked)", locked)
    Traceback (most recent call last):
    TypeError: from_function(locked) cannot be sent to another process: cannot pickle '_thread.lock' object. \
Create connections, locks and sessions inside the function, and not before the call
    """
    with _modules_by_value(*_of_this_package(), _module_of(value)):
        try:
            found: bytes = _pickler().dumps(value)
        except (pickle.PicklingError, TypeError, ValueError, AttributeError, RecursionError) as error:
            why = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise TypeError(
                f"{owner} cannot be sent to another process: {why.rstrip('.')}. Create connections, locks "
                "and sessions inside the function, and not before the call"
            ) from error
    return found


def plan_of(plan: object) -> bytes:
    """Pickles an object of this package for tasks, whose Python may lack this package."""
    with _modules_by_value(*_of_this_package()):
        found: bytes = _pickler().dumps(plan)
    return found


def _pickler() -> Any:
    from pyspark import cloudpickle

    return cloudpickle


def _of_this_package() -> list[ModuleType]:
    """Returns the modules with the code of tasks and the base classes of the user's classes."""
    return [
        sys.modules[name] for name in ("stoplog._functions", "stoplog.split_source") if name in sys.modules
    ]


@contextmanager
def _modules_by_value(*modules: ModuleType | None) -> Iterator[None]:
    pickler = _pickler()
    known = pickler.list_registry_pickle_by_value()
    added = {
        module.__name__: module for module in modules if module is not None and module.__name__ not in known
    }
    for module in added.values():
        pickler.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in added.values():
            pickler.unregister_pickle_by_value(module)


def _module_of(value: object) -> ModuleType | None:
    """Returns the top-level module of the user that defines the value; `None` for an installed module."""
    own = value if hasattr(value, "__qualname__") else type(value)
    name = str(getattr(own, "__module__", None) or "__main__").partition(".")[0]
    module = sys.modules.get(name)
    if module is None or name == "__main__" or name in sys.builtin_module_names or _is_installed(module):
        return None
    return module


def _is_installed(module: ModuleType) -> bool:
    files = [getattr(module, "__file__", None), *getattr(module, "__path__", [])]
    installed = {Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "purelib", "platlib")}
    parents = {parent for file in files if file for parent in Path(file).resolve().parents}
    return not any(files) or bool(parents & installed)
