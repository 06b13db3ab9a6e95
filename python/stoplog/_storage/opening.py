# SPDX-License-Identifier: Apache-2.0
"""Which storage a path is on."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from types import MappingProxyType
from urllib.parse import unquote, urlsplit

from stoplog._storage.files import Storage
from stoplog._storage.local import LocalStorage

_NO_OPTIONS: Mapping[str, str] = MappingProxyType({})
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")


def open_storage(path: str | os.PathLike[str], options: Mapping[str, str] = _NO_OPTIONS) -> Storage:
    """The storage of a path: a plain path or `file:` is local, `webhdfs:` is asked by HTTP, and
    anything else is opened by pyarrow.

    Args:
        path: a directory.
        options: of pyarrow's file system, such as `endpoint_override` and `region` for `s3://`; of
            `webhdfs://` the `user`, the `delegation` token and the `timeout`.

    Raises:
        CannotRead: pyarrow is missing, does not know the scheme, or refuses the options.
    """
    text = os.fspath(path)
    found = _SCHEME.match(text)
    if found is None:
        return LocalStorage(text)
    scheme = found.group(1).lower()
    if scheme == "file":
        return LocalStorage(unquote(urlsplit(text).path))
    if scheme in ("webhdfs", "swebhdfs"):
        from stoplog._storage.webhdfs import open_webhdfs

        return open_webhdfs(text, scheme, options)

    # Only here: it is a large library, and optional.
    from stoplog._storage.arrow import open_arrow

    return open_arrow(text, scheme, options)
