# SPDX-License-Identifier: Apache-2.0
"""HTML representations of objects for notebooks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from stoplog._html.markup import Markup, joined, limited, styled, table, words
from stoplog._text.words import ago, moment, size

LIMIT = 50
"""The maximum number of rows in each table; the object itself has all rows."""


class Shown:
    """A dataclass that shows its fields as tables.

    The names of the fields define the format of ages, sizes and times.
    """

    __slots__ = ()

    def _repr_html_(self) -> str:
        return styled(*tables(self, type(self).__name__))


def tables(value: Any, title: str) -> Iterator[Markup]:
    """Returns the fields of a dataclass as tables; nested dataclasses are separate tables."""
    single, nested, many = [], [], []
    for field in dataclasses.fields(value):
        inner = getattr(value, field.name)
        if _is_object(inner):
            nested.append((field.name, inner))
        elif isinstance(inner, tuple) and inner and _is_object(inner[0]):
            many.append((field.name, inner))
        elif not field.name.startswith("_"):
            single.append((_label(field.name), _said(field.name, inner)))
    yield table(title, ("Field", "Value"), single) if single else words("p", title)
    for name, inner in nested:
        yield joined(*tables(inner, _label(name)))
    for name, rows in many:
        heads = [field.name for field in dataclasses.fields(rows[0])]
        yield limited(
            f"{_label(name)} ({len(rows):,})",
            [_label(head) for head in heads],
            ([_said(head, getattr(row, head)) for head in heads] for row in rows),
            len(rows),
            LIMIT,
            f"the attribute {name} has them all",
        )


def _said(name: str, value: object) -> str:
    """Formats a value by the unit in the name of its field.

    >>> _said("open_bytes", 2048), _said("age_millis", 61_000), _said("records", 1000), _said("problem", None)
    ('2 KiB', '1m 1s', '1,000', '–')
    """
    if value is None:
        return "–"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return _number(name, value)
    if isinstance(value, Mapping):
        return ", ".join(f"{key}={inner}" for key, inner in value.items()) or "–"
    if isinstance(value, tuple):
        return ", ".join(_said(name, inner) for inner in value) or "–"
    if _is_object(value):
        return ", ".join(
            f"{_label(field.name)}: {_said(field.name, getattr(value, field.name))}"
            for field in dataclasses.fields(value)  # type: ignore[arg-type]
        )
    return str(value)


def _number(name: str, value: int) -> str:
    if name.endswith("at_millis") or name == "now_millis":
        return moment(value)
    if name.endswith("millis"):
        return ago(value) if value >= 1000 else f"{value} ms"
    if name.endswith("bytes"):
        return size(value)
    return f"{value:,}"


def _label(name: str) -> str:
    return name.removesuffix("_millis").removesuffix("_at").replace("_", " ")


def _is_object(value: object) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)
