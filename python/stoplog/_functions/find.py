# SPDX-License-Identifier: Apache-2.0
"""A finder of files in the driver's Python process. Travels by value: see `task`."""

from __future__ import annotations

import pickle
import re

from stoplog._functions.task import PythonResult
from stoplog._shared.user_code import described


class FinderSide:
    """Carries out the calls of the jar by a function of the user, which returns the paths of files."""

    def __init__(self, owner: str, pickled: bytes) -> None:
        self.owner = owner
        self.function = pickle.loads(pickled)

    def paths(self, root: str) -> list[str]:
        """Returns paths below the root of the source, without the root."""
        returned = self.function(root)
        if isinstance(returned, str | bytes) or not hasattr(returned, "__iter__"):
            raise PythonResult(self.owner, described(returned), "Return the paths of all files, as a list.")
        return [self._below(root, path) for path in returned]

    def _below(self, root: str, path: object) -> str:
        text = path.__fspath__() if hasattr(path, "__fspath__") else path
        if not isinstance(text, str):
            raise PythonResult(self.owner, f"{described(path)} as a path", "Return strings.")
        for prefix in (root, without_scheme(root)):
            for spelled in (text, without_scheme(text)):
                if spelled.startswith(f"{prefix.rstrip('/')}/"):
                    return spelled[len(prefix.rstrip("/")) + 1 :]
        if text.startswith("/") or re.match(r"[a-z0-9]+:/", text):
            repair = "Return paths below the path of the source, or relative to this path."
            raise PythonResult(self.owner, f"the path {text}, which is not below {root}", repair)
        return text


def without_scheme(path: str) -> str:
    """Returns a path of local disks without its scheme.

    >>> without_scheme("file:/in"), without_scheme("file:///in"), without_scheme("s3a://bucket/in")
    ('/in', '/in', 's3a://bucket/in')
    """
    return re.sub(r"^file:/+", "/", path)
