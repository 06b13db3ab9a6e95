# SPDX-License-Identifier: Apache-2.0
"""The bucketers and the writers of a `BucketingSink`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class DateTimeBucketer:
    """Directories named after the time at which a row is written; one for each hour by default.

    Args:
        format_string: a pattern of Java's `DateTimeFormatter`; `yyyy-MM-dd--HH` by default.
        zone_id: whose calendar and clock the pattern shows, such as `Europe/Berlin`; UTC by default, where
            Flink takes that of the machine.

    >>> DateTimeBucketer().options()
    {'bucketAssigner': 'dateTime', 'bucketFormat': 'yyyy-MM-dd--HH', 'bucketTimeZone': 'UTC'}
    """

    format_string: str = "yyyy-MM-dd--HH"
    zone_id: str = "UTC"

    def options(self) -> dict[str, str]:
        """The options that this bucketer stands for."""
        return {
            "bucketAssigner": "dateTime",
            "bucketFormat": self.format_string,
            "bucketTimeZone": self.zone_id,
        }


@dataclass(frozen=True, slots=True)
class BasePathBucketer:
    """No directories: all files lie right under the sink's path.

    >>> BasePathBucketer().options()
    {'bucketAssigner': 'basePath'}
    """

    def options(self) -> dict[str, str]:
        """The options that this bucketer stands for."""
        return {"bucketAssigner": "basePath"}


@dataclass(frozen=True, slots=True)
class StringWriter:
    """Lines of UTF-8: each row of one column of strings, and a line feed.

    >>> StringWriter().options()
    {'format': 'text'}
    """

    def options(self) -> dict[str, str]:
        """The options that this writer stands for."""
        return {"format": "text"}


@dataclass(frozen=True, slots=True)
class SequenceFileWriter:
    """Hadoop's SequenceFile, of one column of values, or of two: keys and values.

    Args:
        compression: a codec by its short name, such as `gzip`; not compressed by default.
        compression_type: `block` or `record`, where there is a codec.

    >>> SequenceFileWriter("gzip", "record").options()
    {'format': 'sequencefile', 'compression': 'gzip', 'compressionType': 'record'}
    """

    compression: str = "none"
    compression_type: str = "none"

    def options(self) -> dict[str, str]:
        """The options that this writer stands for."""
        return {
            "format": "sequencefile",
            "compression": self.compression,
            "compressionType": self.compression_type,
        }


@dataclass(frozen=True, slots=True)
class AvroKeyValueSinkWriter:
    """Avro files of pairs, as Hadoop's `AvroKeyValueOutputFormat` writes them, of columns `key` and `value`.

    Args:
        key_schema: of the keys, as JSON.
        value_schema: of the values. A record that is in both has a namespace.
        compression: `none` (the default), `deflate`, `snappy`, `bzip2`, `xz` or `zstandard`.

    Raises:
        ValueError: a schema is not JSON.

    >>> AvroKeyValueSinkWriter('"long"', '"string"').options()["avroSchema"]
    ... # doctest: +ELLIPSIS
    '{"type":"record","name":"KeyValuePair","namespace":"org.apache.avro.mapreduce",...}'
    """

    key_schema: str
    value_schema: str
    compression: str = "none"

    def __post_init__(self) -> None:
        # A schema that is none fails here, in the line that gave it.
        self.options()

    def options(self) -> dict[str, str]:
        """The options that this writer stands for."""
        pair = {
            "type": "record",
            "name": "KeyValuePair",
            "namespace": "org.apache.avro.mapreduce",
            "doc": "A key/value pair",
            "fields": [
                {"name": "key", "type": _alone(json.loads(self.key_schema)), "doc": "The key"},
                {
                    "name": "value",
                    "type": _second(json.loads(self.value_schema), json.loads(self.key_schema)),
                    "doc": "The value",
                    "order": "ignore",
                },
            ],
        }
        schema = json.dumps(pair, separators=(",", ":"))
        return {"format": "avro", "compression": self.compression, "avroSchema": schema}


_NAMED = {"record", "error", "enum", "fixed"}


def _alone(schema: Any) -> Any:
    """The schema within another one, whose namespace it must not take.

    >>> _alone(["null", {"type": "record", "name": "A", "fields": []}])
    ['null', {'type': 'record', 'name': 'A', 'fields': [], 'namespace': ''}]
    """
    if isinstance(schema, list):
        return [_alone(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if schema.get("type") in _NAMED:
        return schema if "." in schema["name"] else {**schema, "namespace": schema.get("namespace", "")}
    return {key: _alone(each) if key in {"items", "values", "type"} else each for key, each in schema.items()}


def _second(schema: Any, first: Any) -> Any:
    """The same behind another schema: what that one has defined is named."""
    if isinstance(schema, dict) and schema.get("type") in _NAMED and schema == first:
        space = schema.get("namespace")
        return f"{space}.{schema['name']}" if space else schema["name"]
    return _alone(schema)
