# SPDX-License-Identifier: Apache-2.0
"""The path of a file under a root, although a user or a reader may spell the root differently."""

from __future__ import annotations

import posixpath
from pathlib import Path
from urllib.parse import unquote

from stoplog._storage.files import Address

_SAME_STORE = {"s3a": "s3", "s3n": "s3", "gcs": "gs", "abfss": "abfs", "wasbs": "wasb", "swebhdfs": "webhdfs"}


def paths_below(root: str, subject: str) -> list[str]:
    """Returns the paths under the root that a name, a path or a URI may mean, the most likely path first.

    Spark's `input_file_name()` escapes the URI of a file, and the name of a file may contain a percent sign.

    >>> paths_below("s3://b/out", "s3a://b/out/day=1/a%20b.json")
    ['day=1/a%20b.json', 'day=1/a b.json']
    """
    return [_below(root, each) for each in dict.fromkeys((subject, unquote(subject)))]


def _below(root: str, subject: str) -> str:
    """Returns the path under the root; a path elsewhere, or a path that is relative already, as it is."""
    path = subject.removeprefix(root.rstrip("/") + "/")
    if ":/" in root:
        path = _below_uri(Address.of(root), path)
    else:
        path = Address.of(path).path if path.startswith("file:/") else path
        path = _below_local(root, path) if path.startswith("/") else path
        path = posixpath.normpath(path).removeprefix(posixpath.normpath(root) + "/")
    return posixpath.normpath(path) if path not in ("", ".") else ""


def _below_uri(root: Address, subject: str) -> str:
    found = Address.of(subject)
    if (_store(found), found.authority) != (_store(root), root.authority):
        return subject
    base = root.path.rstrip("/") + "/"
    return f"{found.path}/".removeprefix(base).rstrip("/")


def _store(address: Address) -> str:
    return _SAME_STORE.get(address.scheme, address.scheme)


def _below_local(root: str, path: str) -> str:
    """Returns the path under the root.

    Links before the last name are resolved, because the root may be a link.
    """
    file, base = Path(path), Path(root)
    try:
        pairs = ((file, base.absolute()), (file.parent.resolve() / file.name, base.resolve()))
    except (OSError, RuntimeError, ValueError):  # a cycle of links, or a zero byte
        return path
    return next((named.relative_to(at).as_posix() for named, at in pairs if named.is_relative_to(at)), path)
