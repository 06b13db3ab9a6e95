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
_BY_ARROW = ("s3", "s3a", "s3n", "hdfs", "viewfs")
_BY_ARROW_AS_IT_IS = ("gs", "gcs", "abfs", "abfss")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):/")


def open_storage(path: str | os.PathLike[str], options: Mapping[str, str] = _NO_OPTIONS) -> Storage:
    """The storage of a path: a plain path or `file:` is local, S3 and `hdfs:` are opened by pyarrow,
    `webhdfs:` and what pyarrow does not know by fsspec.

    Args:
        path: a directory.
        options: of pyarrow's file system, such as `endpoint_override` and `region` for `s3://`; of `webhdfs://`
            `user`, `delegation`, `kerberos`, `proxy_to` and `timeout`; of another the arguments of its class
            in fsspec.

    Raises:
        CannotRead: pyarrow or fsspec is missing, does not know the scheme, or refuses the options.
    """
    text = os.fspath(path)
    found = _SCHEME.match(text)
    if found is None:
        return LocalStorage(text)
    scheme = found.group(1).lower()
    if scheme == "file":
        return LocalStorage(unquote(urlsplit(text).path))
    # Only here: both are large libraries, and optional.
    if scheme in _BY_ARROW or (scheme in _BY_ARROW_AS_IT_IS and not options):
        from stoplog._storage.arrow import open_arrow

        return open_arrow(text, scheme, options)

    from stoplog._storage.spec import open_spec

    return open_spec(text, scheme, options)
