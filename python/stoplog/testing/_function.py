# SPDX-License-Identifier: Apache-2.0
"""A user's function, found again in another process."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

_MAIN = "__main__"
_MAIN_AGAIN = "__stoplog_pipeline__"


@dataclass(frozen=True, slots=True)
class FunctionName:
    """Where a function is: its module's name and file, and its own name."""

    module: str
    file: str
    name: str

    @classmethod
    def of(cls, function: Callable[..., Any]) -> FunctionName:
        """The name by which another process finds this function.

        Raises:
            TypeError: it is a lambda, a method, or made inside another function.
        """
        module = sys.modules.get(getattr(function, "__module__", None) or "")
        name = getattr(function, "__qualname__", repr(function))
        file = getattr(module, "__file__", None)
        if module is None or file is None or getattr(module, name, None) is not function:
            raise TypeError(
                f"{name} is not a function at the top of a module, and only such a one is found again by the "
                "process of its own in which a pipeline runs. Write it with def outside of any class and "
                "function, and hand over what it closes over as arguments={…}."
            )
        return cls(module.__name__, str(Path(file).resolve()), name)

    def find(self) -> Callable[..., Any]:
        """The function, in this process."""
        found: Callable[..., Any] = getattr(self._module(), self.name)
        return found

    def _module(self) -> ModuleType:
        if self.module != _MAIN and self._is_importable():
            return importlib.import_module(self.module)
        name = _MAIN_AGAIN if self.module == _MAIN else self.module
        spec = importlib.util.spec_from_file_location(name, self.file)
        if spec is None or spec.loader is None:
            raise ImportError(f"{self.file} is not a Python source file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # where pickles and dataclasses look
        spec.loader.exec_module(module)
        return module

    def _is_importable(self) -> bool:
        """Whether its name leads to its file, and not to another one of that name."""
        try:
            spec = importlib.util.find_spec(self.module)
        except (ImportError, ValueError):
            return False
        return spec is not None and spec.origin is not None and Path(spec.origin).resolve() == Path(self.file)
