# SPDX-License-Identifier: Apache-2.0
"""Bulk formats, read by whoever reads them: Spark, pyarrow, DuckDB, fastavro and pyorc."""

from __future__ import annotations

import datetime
import inspect
import re
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from pyspark.sql import functions
from pyspark.sql.protobuf.functions import from_protobuf

import stoplog
from support.finished import files
from support.streams import Stream

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

    from support.place import Place

pytestmark = pytest.mark.spark_lines

# Of each row's number `n`: every type that all of the readers know.
COLUMNS = (
    "n",
    "n % 3 = 0 AS flag",
    "cast(n AS int) AS whole",
    "cast(n / 7 AS double) AS fraction",
    "cast(n / 8 AS decimal(20, 3)) AS exact",
    "CASE WHEN n % 5 > 0 THEN concat('text ', n) END AS text",
    "cast(concat('bytes ', n) AS binary) AS bytes",
    "date_add(date '1970-01-01', cast(n AS int)) AS day",
    "timestamp_micros(n * 1234567) AS at",
    "array(n, n + 1, NULL) AS list",
    "named_struct('a', n, 'b', concat('b', n)) AS record",
)
ROWS = 900
PAGE = Path(__file__).resolve().parents[2] / "docs" / "files" / "bulk-formats.md"
BASE = {"bucketAssigner": "basePath", "finalizeOnTermination": "always"}


@pytest.mark.parametrize(
    "options",
    [
        {"format": "parquet", "parquet.block.size": "40000"},
        pytest.param({"format": "parquet", "compression": "zstd"}, marks=pytest.mark.long),
        {"format": "orc"},
        pytest.param({"format": "orc", "compression": "zlib"}, marks=pytest.mark.long),
        {"format": "avro"},
    ],
    ids=lambda options: "-".join(options.values()),
)
def test_all_readers_see_the_same_rows(spark: SparkSession, place: Place, options: dict[str, str]) -> None:
    place.feed(files=ROWS // 100)
    stream = Stream(spark, place, {**BASE, **options}, typed)
    stream.run(finalizeOnTermination="never")
    assert files(place.out) == [], "the part is open, whatever the micro-batches"
    place.feed(files=1)
    stream.run()
    (file,) = files(place.out)
    wanted = [expected(n) for n in range(ROWS + 100)]
    for reader in READERS[options["format"]]:
        assert sorted(reader(spark, file), key=lambda row: row["n"]) == wanted, reader.__name__


def test_the_checkpoint_policy_writes_a_file_for_each_epoch(spark: SparkSession, place: Place) -> None:
    place.feed(files=6)
    Stream(spark, place, {**BASE, "format": "parquet", "rollingPolicy": "onCheckpoint"}, typed).run()
    assert len(files(place.out)) >= 3
    assert spark.read.parquet(str(place.out)).count() == 600


def test_an_unsupported_type_of_the_format_is_rejected(spark: SparkSession, place: Place) -> None:
    place.feed()
    interval = "make_interval(1) AS span"
    with pytest.raises(Exception, match="STOPLOG_UNSUPPORTED_COLUMN"):
        Stream(spark, place, {**BASE, "format": "parquet"}, lambda rows: rows.selectExpr(interval)).run()


def typed(rows: DataFrame) -> DataFrame:
    """A row is `<file>-<row>` with a hundred rows a file."""
    number = "cast(left(value, 5) AS bigint) * 100 + cast(right(value, 5) AS bigint) AS n"
    return rows.selectExpr(number).selectExpr(*COLUMNS).coalesce(1)


def expected(n: int) -> dict[str, Any]:
    return {
        "n": n,
        "flag": n % 3 == 0,
        "whole": n,
        "fraction": n / 7,
        "exact": Decimal(n) / 8,
        "text": f"text {n}" if n % 5 > 0 else None,
        "bytes": f"bytes {n}".encode(),
        "day": datetime.date(1970, 1, 1) + datetime.timedelta(days=n),
        "at": datetime.datetime(1970, 1, 1) + datetime.timedelta(microseconds=n * 1_234_567),
        "list": [n, n + 1, None],
        "record": {"a": n, "b": f"b{n}"},
    }


def by_spark(spark: SparkSession, file: Path) -> list[dict[str, Any]]:
    """Spark's Python times are those of this process' zone."""
    found = spark.read.format(file.suffix[1:]).load(str(file)).collect()
    rows = [row.asDict(recursive=True) for row in found]
    return [plain({**row, "at": row["at"].astimezone(datetime.timezone.utc)}) for row in rows]


def parquet_by_pyarrow(_: SparkSession, file: Path) -> list[dict[str, Any]]:
    import pyarrow.parquet

    return [plain(row) for row in pyarrow.parquet.ParquetFile(file).read().to_pylist()]


def parquet_by_duckdb(_: SparkSession, file: Path) -> list[dict[str, Any]]:
    import duckdb

    found = duckdb.sql(f"SELECT * FROM read_parquet('{file}')").arrow()
    table = found.read_all() if hasattr(found, "read_all") else found
    return [plain(row) for row in table.to_pylist()]


def orc_by_pyarrow(_: SparkSession, file: Path) -> list[dict[str, Any]]:
    import pyarrow.orc

    return [plain(row) for row in pyarrow.orc.ORCFile(file).read().to_pylist()]


def orc_by_pyorc(_: SparkSession, file: Path) -> list[dict[str, Any]]:
    import pyorc

    with file.open("rb") as stream:
        return [plain(row) for row in pyorc.Reader(stream, struct_repr=pyorc.StructRepr.DICT)]


def avro_by_fastavro(_: SparkSession, file: Path) -> list[dict[str, Any]]:
    import fastavro

    with file.open("rb") as stream:
        return [plain(row) for row in fastavro.reader(stream)]


READERS = {
    "parquet": (by_spark, parquet_by_pyarrow, parquet_by_duckdb),
    "orc": (by_spark, orc_by_pyarrow, orc_by_pyorc),
    "avro": (avro_by_fastavro,),
}


def plain(value: Any) -> Any:
    """Times as those of UTC, which readers mark or not; bytes as such."""
    if isinstance(value, dict):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    if isinstance(value, bytearray):
        return bytes(value)
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
    return value


def test_the_example_of_parquet_from_protobuf_messages_runs(
    spark: SparkSession, place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Messages in files stand for those of Kafka, and a decoder in Python for Spark's module."""
    monkeypatch.setattr("pyspark.sql.protobuf.functions.from_protobuf", decoded)
    (code,) = re.findall(
        r"^```python\n(from pyspark.sql.protobuf.*?)^```$", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    lines = re.sub(r"^messages = \(.*?^\)$", "", code, flags=re.MULTILINE | re.DOTALL)
    lines = lines.replace("/data/", f"{place.out}/").replace("orders.desc", f"{place.input}/orders.desc")
    lines = lines.replace("\n).build()", '\n).with_finalize_on_termination("always").build()')
    assert (lines.count(f"{place.out}/"), lines.count("always")) == (2, 1)
    described, messages = orders()
    (place.input / "orders.desc").write_bytes(described)
    (place.input / "orders.bin").write_bytes(b"".join(bytes([len(each)]) + each for each in messages))
    source = stoplog.FileSource.for_record_stream_format(
        stoplog.StreamFormat.length_delimited(), str(place.input / "orders.bin")
    ).build()
    names: dict[str, Any] = {"stoplog": stoplog, "spark": spark, "messages": source.read_stream(spark)}
    exec(lines, names)
    (query,) = spark.streams.active
    query.processAllAvailable()
    query.stop()
    assert stoplog.await_finished(query, timeout=300).in_time
    (file,) = files(place.out / "orders")
    assert pyarrow.parquet.ParquetFile(file).read().to_pylist() == [
        {"id": 1, "items": ["ant", "bat"], "state": "PAID"},
        {"id": 2, "items": [], "state": "OPEN"},
    ]


def decoded(*given: Any, **named: Any) -> Column:
    """What `from_protobuf` makes of the same arguments, of the messages of `orders`."""
    requested = inspect.signature(from_protobuf).bind(*given, **named).arguments
    described = Path(requested["descFilePath"]).read_bytes()
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(described).file:
        pool.Add(file)
    message_of = message_factory.GetMessageClass(pool.FindMessageTypeByName(requested["messageName"]))
    known = None
    for each in orders()[1]:
        order = message_of.FromString(each)
        state = order.DESCRIPTOR.fields_by_name["state"].enum_type.values_by_number[order.state].name
        items = functions.array(*map(functions.lit, order.items)).cast("array<string>")
        columns = {"id": functions.lit(order.id), "items": items, "state": functions.lit(state)}
        struct = functions.struct(*(column.alias(name) for name, column in columns.items()))
        found = requested["data"] == functions.lit(each)
        known = functions.when(found, struct) if known is None else known.when(found, struct)
    assert known is not None
    return known


def orders() -> tuple[bytes, list[bytes]]:
    """A descriptor set of `shop.Order` as `protoc` writes it, and two messages."""
    file = descriptor_pb2.FileDescriptorProto(name="orders.proto", package="shop", syntax="proto3")
    state = file.enum_type.add(name="State")
    state.value.add(name="OPEN", number=0)
    state.value.add(name="PAID", number=1)
    order = file.message_type.add(name="Order")
    field = descriptor_pb2.FieldDescriptorProto
    order.field.add(name="id", number=1, type=field.TYPE_INT64, label=field.LABEL_OPTIONAL)
    order.field.add(name="items", number=2, type=field.TYPE_STRING, label=field.LABEL_REPEATED)
    order.field.add(
        name="state", number=3, type=field.TYPE_ENUM, type_name=".shop.State", label=field.LABEL_OPTIONAL
    )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    made = message_factory.GetMessageClass(pool.FindMessageTypeByName("shop.Order"))
    both = [made(id=1, items=["ant", "bat"], state=1), made(id=2)]
    described = descriptor_pb2.FileDescriptorSet(file=[file]).SerializeToString()
    return described, [each.SerializeToString() for each in both]
