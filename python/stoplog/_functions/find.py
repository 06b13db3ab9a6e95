# SPDX-License-Identifier: Apache-2.0
"""A finder of files in the driver's Python process. Travels by value: see `task`."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from urllib.parse import unquote

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
        text = without_escapes(text)
        if ".." in text.split("/"):
            raise PythonResult(self.owner, f"the path {text} with ..", "Return paths without such parts.")
        start, spelled = f"{simple(root).rstrip('/')}/", simple(text)
        if spelled.startswith(start):
            return spelled[len(start) :]
        if spelled.startswith("/") or _URI.fullmatch(spelled):
            repair = "Return paths below the path of the source, or relative to this path."
            raise PythonResult(self.owner, f"the path {text}, which is not below {root}", repair)
        return spelled


def without_escapes(path: str) -> str:
    """Returns the path of a `file:` URI without the escapes of `Path.as_uri`, if only this path exists.

    The URIs of Spark have no escapes.
    """
    local = simple(path)
    unescaped = unquote(local)
    if unescaped == local or not (_URI.fullmatch(path) and local.startswith("/")):
        return path
    return unescaped if not Path(local).exists() and Path(unescaped).exists() else path


def simple(path: str) -> str:
    """Returns the only spelling of a path, by which the source knows a file. Local paths have no scheme.

    >>> simple("file:/in"), simple("FILE:///in//a/"), simple("./a/./b"), simple("S3A://bucket//in")
    ('/in', '/in/a', 'a/b', 's3a://bucket/in')
    """
    start = "/" if path.startswith("/") else ""
    if found := _URI.fullmatch(path):
        scheme, authority, path = found["scheme"].lower(), found["authority"], found["path"]
        is_local = scheme == "file" and not authority
        start = "/" if is_local else f"{scheme}:" + ("" if authority is None else f"//{authority}")
    names = "/".join(part for part in path.split("/") if part not in ("", "."))
    return start + "/" * (len(start) > 1) + names


_URI = re.compile(
    r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*):(?=/)(?://(?P<authority>[^/]*))?(?P<path>(?:/.*)?)", re.DOTALL
)
"""As in `stoplog._storage.files.Address`, which does not travel. The name of a file may end in a colon."""
