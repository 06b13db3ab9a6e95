# SPDX-License-Identifier: Apache-2.0
"""Opens what `carrier` has sent. The functions are pickled by value, so that no package has to be there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

Sources = Mapping[str, "tuple[bool, bytes]"]
"""By the name of a module: whether it is a package, and its compressed source."""


def opened(version: str, sources: Sources, pickled: bytes) -> Any:
    """Returns the object of a pickle. Where stoplog is not installed, its modules come from the sources.

    Raises:
        RuntimeError: another release of stoplog is installed here.
    """
    import importlib.abc
    import importlib.util
    import pickle
    import sys
    import zlib

    class SentModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
        def __init__(self, sources: Sources) -> None:
            self.sources = sources

        def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
            if name not in self.sources:
                return None
            return importlib.util.spec_from_loader(name, self, is_package=self.sources[name][0])

        def exec_module(self, module: Any) -> None:
            source = zlib.decompress(self.sources[module.__name__][1])
            exec(compile(source, f"<{module.__name__}>", "exec"), module.__dict__)

    # Last: an installed package comes first. A worker opens many pickles, also those of another release.
    before = [finder for finder in sys.meta_path if type(finder).__name__ == "SentModules"]
    if not any(finder.sources == sources for finder in before):  # type: ignore[attr-defined]
        sys.meta_path[:] = [*(each for each in sys.meta_path if each not in before), SentModules(sources)]
        for name in sources if before else ():
            if type(getattr(sys.modules.get(name), "__loader__", None)).__name__ == "SentModules":
                del sys.modules[name]
    here = importlib.import_module("stoplog")
    if vars(here).get("__file__") is not None and here.__version__ != version:
        raise RuntimeError(
            f"{sys.executable} has stoplog {here.__version__}, and the query was started by stoplog "
            f"{version}. Install the same release there, or uninstall stoplog."
        )
    return pickle.loads(pickled)


def side_of(version: str, sources: Sources, pickled: bytes) -> Callable[[Iterable[Any]], Iterator[Any]]:
    """Returns the function of `mapInArrow` that runs the object of a pickle."""

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        yield from opened(version, sources, pickled).run(batches)

    return run
