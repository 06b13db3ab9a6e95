# SPDX-License-Identifier: Apache-2.0
"""Which files are an Iceberg table's, by its own specification and fastavro: none of what writes them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import fastavro

_DELETED = 2
_ROWS = 0  # and not deletes


def live_files(table: str, read: Callable[[str], bytes]) -> list[str]:
    """The addresses of the files with rows of the newest snapshot.

    Args:
        table: the address of a table that has no catalog but its directory.
        read: the bytes of a file, by its address as the table's metadata has it.
    """
    version = read(f"{table}/metadata/version-hint.text").decode("ascii").strip()
    metadata = json.loads(read(f"{table}/metadata/v{version}.metadata.json"))
    newest = metadata.get("current-snapshot-id", -1)
    snapshots = [each for each in metadata.get("snapshots", []) if each["snapshot-id"] == newest]
    manifests = [entry for each in snapshots for entry in _entries(read(each["manifest-list"]))]
    if any(manifest["content"] != _ROWS for manifest in manifests):
        raise RuntimeError(f"{table} deletes rows, which none of these jobs does")
    entries = [entry for manifest in manifests for entry in _entries(read(manifest["manifest_path"]))]
    return [entry["data_file"]["file_path"] for entry in entries if entry["status"] != _DELETED]


def _entries(content: bytes) -> Iterator[dict[str, Any]]:
    for entry in fastavro.reader(io.BytesIO(content)):
        assert isinstance(entry, dict)
        yield entry
