# SPDX-License-Identifier: Apache-2.0
"""Looks into a sink's directory from outside: with Python's own library, on whatever the directory lies."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import urlopen
from xml.etree import ElementTree

ATTEMPTS = 10


class Storage(Protocol):
    def files(self) -> dict[str, int]:
        """The size in bytes of every file below the directory, hidden or not, by its path in there."""

    def text(self, name: str) -> str:
        """What such a file holds."""


@dataclass(frozen=True, slots=True)
class Folder:
    """On a local disk."""

    path: Path

    def files(self) -> dict[str, int]:
        sizes = {}
        # Not by `rglob`, which fails when a directory is deleted under it.
        for folder, _, names in os.walk(self.path):
            for file in (Path(folder, name) for name in names):
                # One that is published or removed between two looks is passed over.
                with contextlib.suppress(FileNotFoundError):
                    sizes[file.relative_to(self.path).as_posix()] = file.stat().st_size
        return sizes

    def text(self, name: str) -> str:
        return (self.path / name).read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class WebHdfs:
    """On HDFS, asked by HTTP.

    Args:
        url: of the directory, `http://<NameNode>/webhdfs/v1/...`
    """

    url: str

    def files(self) -> dict[str, int]:
        return dict(self._below(""))

    def text(self, name: str) -> str:
        return _get(f"{self.url}/{quote(name)}?op=OPEN").decode()

    def _below(self, folder: str) -> Iterator[tuple[str, int]]:
        try:
            listed = json.loads(_get(f"{self.url}/{quote(folder)}?op=LISTSTATUS"))
        except HTTPError as error:
            if error.code != 404:
                raise
            return
        for entry in listed["FileStatuses"]["FileStatus"]:
            name = folder + entry["pathSuffix"]
            if entry["type"] == "DIRECTORY":
                yield from self._below(f"{name}/")
            else:
                yield name, entry["length"]


@dataclass(frozen=True, slots=True)
class S3Prefix:
    """Below a prefix of a public bucket.

    Args:
        bucket: its URL.
        prefix: without a slash at its end.
    """

    bucket: str
    prefix: str

    def files(self) -> dict[str, int]:
        start = f"{self.prefix}/"
        return {
            name.removeprefix(start): size for name, size in self._listed(start) if not name.endswith("/")
        }

    def text(self, name: str) -> str:
        return _get(f"{self.bucket}/{quote(f'{self.prefix}/{name}')}").decode()

    def _listed(self, start: str) -> Iterator[tuple[str, int]]:
        after = ""
        while True:
            query = f"list-type=2&prefix={quote(start, safe='')}&start-after={quote(after, safe='')}"
            page = ElementTree.fromstring(_get(f"{self.bucket}?{query}"))
            for entry in page.iterfind("{*}Contents"):
                after = entry.findtext("{*}Key", "")
                yield after, int(entry.findtext("{*}Size", "0"))
            if page.findtext("{*}IsTruncated") != "true":
                return


def _get(url: str) -> bytes:
    """Asks again if the server fails, as every client of S3 must: a listing may meet a file just deleted."""
    for _ in range(ATTEMPTS):
        try:
            with urlopen(url) as answer:
                content: bytes = answer.read()
            return content
        except HTTPError as error:
            if error.code < 500:
                raise
            failure = error
    raise failure
