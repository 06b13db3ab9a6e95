# SPDX-License-Identifier: Apache-2.0
"""Checks before a query's start, for problems that prevent the start or cause surprises later."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from stoplog._jvm.bridge import require_bridge

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True, slots=True)
class Ok:
    """A check without problems.

    Attributes:
        name: the subject of the check, as a stable identifier.
        what: the result in words.
    """

    level: ClassVar[str] = "ok"

    name: str
    what: str

    @property
    def now(self) -> str:
        """Returns an empty text: no action is necessary."""
        return ""


@dataclass(frozen=True, slots=True)
class Warning:
    """A warning: the query would start, but the owner should know the result.

    Attributes:
        name: as in `Ok`.
        what: as in `Ok`.
        now: the next step of the owner.
    """

    level: ClassVar[str] = "warning"

    name: str
    what: str
    now: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem: the query would be rejected, or fail.

    Attributes:
        name: as in `Ok`.
        what: as in `Ok`, with the condition of the rejection.
        now: the next step of the owner.
    """

    level: ClassVar[str] = "problem"

    name: str
    what: str
    now: str


Finding: TypeAlias = Ok | Warning | Problem
"""The result of one check."""


@dataclass(frozen=True, slots=True)
class Preflight:
    """The results of all checks of a sink, as returned by `FileSink.check`.

    Printed as a text page, and displayed as a table in notebooks.

    Attributes:
        path: the path as given by the user.
        findings: the findings, one for each check.
        names: examples of the names of files under the sink's path: `finished`, `open` and `log`.
        text: the text page.
    """

    path: str
    findings: tuple[Finding, ...]
    names: Mapping[str, str]
    text: str

    @property
    def is_ready(self) -> bool:
        """Returns true if there are no problems. There may be warnings."""
        return not self.problems

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Returns the findings that would prevent the start of the query or fail the query."""
        return tuple(each for each in self.findings if isinstance(each, Problem))

    @property
    def warnings(self) -> tuple[Warning, ...]:
        """Returns the findings that the owner should know; the query would start."""
        return tuple(each for each in self.findings if isinstance(each, Warning))

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        findings = "".join(
            f"<tr><td>{escape(each.level)}</td><td>{escape(each.name)}</td>"
            f"<td style='text-align:left'>{escape(each.what)}{_emphasized(each.now)}</td></tr>"
            for each in self.findings
        )
        names = "".join(
            f"<tr><td></td><td>{escape(kind)}</td>"
            f"<td style='text-align:left'><code>{escape(name)}</code></td></tr>"
            for kind, name in self.names.items()
        )
        title = escape(self.text.partition("\n")[0])
        return f"<table><caption>{title}</caption><tbody>{findings}{names}</tbody></table>"


def check_options(df: DataFrame, options: Mapping[str, str | os.PathLike[str]]) -> Preflight:
    """Checks options like `FileSink.check`; invalid options are findings instead of errors.

    Args:
        df: the rows that the query will write; an empty DataFrame with these columns is sufficient.
        options: the options of `format("stoplog")`, with `path`.

    Raises:
        ConnectUnsupported: the session is a Spark Connect session.
        NoSession: there is no session.

    Example:
        empty = spark.createDataFrame([], "id LONG, page STRING")
        print(stoplog.preflight.check_options(empty, {"path": "/data/out", "format": "jsn"}))
    """
    bridge = require_bridge(
        "A preflight", "Start the query, which reports the same problems one after another."
    )
    return of_jar(bridge.preflight(df, {key: os.fspath(value) for key, value in options.items()}))


def of_jar(found: Any) -> Preflight:
    """Converts the jar's report to a Python object."""
    return Preflight(
        str(found.path()),
        tuple(_finding(each) for each in found.findingsAsList()),
        {str(each.kind()): str(each.path()) for each in found.namesAsList()},
        str(found.toString()),
    )


def _finding(each: Any) -> Finding:
    level, name, what, now = (str(part) for part in (each.level(), each.name(), each.what(), each.now()))
    if level == Ok.level:
        return Ok(name, what)
    return Warning(name, what, now) if level == Warning.level else Problem(name, what, now)


def _emphasized(now: str) -> str:
    return f"<br><em>{escape(now)}</em>" if now else ""
