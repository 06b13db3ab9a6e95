# SPDX-License-Identifier: Apache-2.0
"""What a part's handle says: on file systems a path, on S3 an upload with its parts and its tail."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Staged:
    """What a handle names.

    Attributes:
        paths: the files under the sink's path that the part needs.
        lengths: how long each of them has to be, where the handle says so.
        total_bytes: of the whole part, where the handle says so.
    """

    paths: tuple[str, ...]
    lengths: tuple[int | None, ...]
    total_bytes: int | None = None

    @property
    def is_one_file(self) -> bool:
        """Whether the part is a file that grows."""
        return self.total_bytes is None and len(self.paths) == 1


NOTHING_STAGED = Staged((), ())


def staged_of(handle: str) -> Staged:
    """What a handle names; nothing for one that belongs to a sink of another kind.

    >>> staged_of("_stoplog/main/open/.a.inprogress.0-1").paths
    ('_stoplog/main/open/.a.inprogress.0-1',)
    """
    if handle.startswith("{"):
        return _on_s3(handle)
    if "|" in handle:
        return _chunk(handle)
    return Staged((handle,), (None,))


def _on_s3(handle: str) -> Staged:
    try:
        token: dict[str, Any] = json.loads(handle)
        uploaded = [int(part["bytes"]) for part in token.get("parts", [])]
        objects = [(str(piece["at"]), int(piece["bytes"])) for piece in token.get("waiting", [])]
        tail = token["tail"]
        in_record = len(base64.b64decode(tail)) if isinstance(tail, str) else 0
        if not isinstance(tail, str):
            objects.append((str(tail["at"]), int(tail["bytes"])))
        marker = [f"{token['base']}.upload"] if "upload" in token else []
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
        return NOTHING_STAGED
    return Staged(
        paths=(*marker, *(path for path, _ in objects)),
        lengths=(*(None for _ in marker), *(length for _, length in objects)),
        total_bytes=sum(uploaded) + sum(length for _, length in objects) + in_record,
    )


def _chunk(handle: str) -> Staged:
    """Of a write-ahead sink: `<epoch>|<partition>|<bytes>|<file>`."""
    pieces = handle.split("|", 3)
    if len(pieces) != 4 or not pieces[2].isdigit():
        return NOTHING_STAGED
    return Staged((pieces[3],), (int(pieces[2]),))
