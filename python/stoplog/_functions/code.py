# SPDX-License-Identifier: Apache-2.0
"""Functions and classes of the user, pickled at the call that receives the code."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from stoplog._shared.pickling import dumped, function_name, modules_by_value, pickled


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
        owner = f"{method}({function_name(method, function)})"
        return cls(owner, by_value(owner, function))


def by_value(owner: str, value: object) -> bytes:
    """Pickles an object of the user for tasks, whose Python may lack this package.

    The errors are those of `pickled`.
    """
    return pickled(owner, value, None, *_of_this_package())


def plan_of(plan: object) -> bytes:
    """Pickles an object of this package for tasks, whose Python may lack this package."""
    with modules_by_value(*_of_this_package()):
        return dumped(plan)


def _of_this_package() -> list[ModuleType]:
    """Returns the modules with the code of tasks and the base classes of the user's classes."""
    names = ("stoplog._functions", "stoplog._shared.user_code", "stoplog.split_source")
    return [sys.modules[name] for name in names if name in sys.modules]
