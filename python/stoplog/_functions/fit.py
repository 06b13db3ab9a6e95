# SPDX-License-Identifier: Apache-2.0
"""Batches of the user in the columns of a schema. Travels by value: see `task`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stoplog._functions.task import PythonResult
from stoplog._shared.user_code import described

if TYPE_CHECKING:
    import pyarrow as pa

_FAMILIES = {
    "boolean": ("boolean",),
    "integer": ("integer",),
    "floating": ("floating",),
    "decimal": ("decimal",),
    "bytes": ("string", "large_string", "binary", "large_binary", "fixed_size_binary"),
    "date": ("date",),
    "time": ("time",),
    "timestamp": ("timestamp",),
    "duration": ("duration",),
    "struct": ("struct",),
    "map": ("map",),
    "list": ("list", "large_list", "fixed_size_list"),
}
"""The names of Arrow's checks `is_…`. Within a family, Arrow itself refuses a cast that changes a value."""

_ALSO_EXACT = [{"integer", "floating"}, {"integer", "decimal"}]
"""Pairs of families between which Arrow refuses a cast that changes a value."""

_ZONE = "A time without a zone is another time in each zone: return the type of the schema."
_FIELDS = "Return all fields of the schema, and no other fields: use None for a missing value."
_TYPE = "Convert the values to the type of the schema, or correct the schema."
_RANGE = "A value is too large for the type of the schema: correct the schema, or return None."


def checked(owner: str, batch: Any, schema: pa.Schema | None) -> pa.Table:
    """Returns a batch of the user in the columns of a schema.

    Raises:
        PythonResult: the value is not a batch, or does not fit the schema.
    """
    import pyarrow as pa

    if isinstance(batch, pa.RecordBatch):
        batch = pa.Table.from_batches([batch])
    if not isinstance(batch, pa.Table):
        repair = "Yield a pyarrow.RecordBatch or a pyarrow.Table."
        raise PythonResult(owner, f"{described(batch)} as a batch", repair)
    if schema is None:
        return batch
    if sorted(batch.column_names) != sorted(schema.names):
        raise PythonResult(
            owner,
            f"a batch with the columns {', '.join(batch.column_names) or '(none)'}",
            f"Return the columns of the schema: {', '.join(schema.names)}.",
        )
    batch = batch.select(schema.names)
    for found, wanted in zip(batch.itercolumns(), schema, strict=True):
        for values in found.chunks or [pa.nulls(0, found.type)]:
            wrong = repair_of(values, wanted.type)
            if wrong is not None:
                what = f"the column {wanted.name} of type {found.type} for {wanted.type}"
                raise PythonResult(owner, what, wrong)
    try:
        return batch.cast(schema)
    except (pa.ArrowException, ValueError) as error:
        what = f"values that do not fit the schema ({str(error).splitlines()[0].rstrip('.')})"
        repair = "Return the types of the schema, or correct the schema."
        raise PythonResult(owner, what, repair) from None


def repair_of(values: pa.Array, wanted: pa.DataType) -> str | None:
    """Returns the repair if Arrow's cast would change values without an error; `None` otherwise.

    At each level, Arrow fills missing fields of a struct with nulls, and drops unknown fields.
    """
    import pyarrow as pa

    values = _plain(values)
    found = values.type
    if found == wanted or pa.types.is_null(found):
        return None
    ours, theirs = _family(found), _family(wanted)
    if ours != theirs and {ours, theirs} not in _ALSO_EXACT:
        return _TYPE
    if theirs == "timestamp":
        return _ZONE if (found.tz is None) != (wanted.tz is None) else None
    if theirs == "floating":
        return _RANGE if _overflows(values, wanted) else None
    if theirs == "struct" and sorted(field.name for field in found) != sorted(field.name for field in wanted):
        return _FIELDS
    members = _members(values, wanted, theirs)
    return next((repair for repair in (repair_of(*member) for member in members) if repair), None)


def _members(values: Any, wanted: Any, family: str) -> list[tuple[pa.Array, pa.DataType]]:
    if family == "struct":
        return [(values.field(field.name), field.type) for field in wanted]
    if family == "map":
        return [(values.keys, wanted.key_type), (values.items, wanted.item_type)]
    return [(values.values, wanted.value_type)] if family == "list" else []


def _overflows(values: Any, wanted: pa.DataType) -> bool:
    """Arrow casts a double that is too large for a float to infinity."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_floating(values.type) or values.type.bit_width <= wanted.bit_width:
        return False
    found: bool | None = pc.any(pc.and_not(pc.is_inf(values.cast(wanted)), pc.is_inf(values))).as_py()
    return bool(found)


def _plain(values: Any) -> Any:
    """Returns the values of a dictionary, or of the storage of an extension type."""
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        return _plain(values.dictionary)
    return _plain(values.storage) if isinstance(values.type, pa.BaseExtensionType) else values


def _family(kind: pa.DataType) -> str:
    import pyarrow as pa

    for family, names in _FAMILIES.items():
        if any(getattr(pa.types, f"is_{name}")(kind) for name in names):
            return family
    return str(kind)
