# SPDX-License-Identifier: Apache-2.0
"""The source of `stoplog.kafka`: Spark's own, set by a builder."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Literal, TypeAlias

from stoplog._builder import OptionBacked, Unbuilt, required, shown
from stoplog._jvm import find_bridge, require_bridge
from stoplog._values import (
    Duration,
    Pairs,
    Value,
    count_text,
    delay_text,
    mapping,
    names_of,
    option_name,
    string,
    text_of,
    whole,
)
from stoplog.errors import InvalidOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Servers: TypeAlias = str | Sequence[str]
Otherwise: TypeAlias = Literal["earliest", "latest", "fail"]

_FACADE = "stoplog.kafka.KafkaSource"
ARTIFACT = "stoplog-kafka"
_KEPT = ("topic", "partition", "offset", "timestamp", "timestampType", "headers")
_POSITIONS = "make one by a method of StartPosition, such as StartPosition.earliest()"
_DECODERS = "make one by a method of Decoder, such as Decoder.string()"
_SELECTIONS = {
    "subscribe": "with_topics",
    "subscribePattern": "with_topic_pattern",
    "assign": "with_partitions",
}
_ON_CONNECT = "Ask the group elsewhere, and begin with StartPosition.offsets."


@dataclass(frozen=True, slots=True)
class StartPosition:
    """The place at which a source begins when its query has no checkpoint yet; made by its methods.

    >>> StartPosition.offsets({"orders": {0: 23, 1: -2}}).options
    (('startingOffsets', '{"orders": {"0": 23, "1": -2}}'),)
    """

    options: Pairs
    consumer_group: str | None = None
    otherwise: Otherwise = "fail"

    @staticmethod
    def earliest() -> StartPosition:
        """The oldest records that are there.

        >>> StartPosition.earliest().options
        (('startingOffsets', 'earliest'),)
        """
        return StartPosition((("startingOffsets", "earliest"),))

    @staticmethod
    def latest() -> StartPosition:
        """All records that are written from now on.

        >>> StartPosition.latest().options
        (('startingOffsets', 'latest'),)
        """
        return StartPosition((("startingOffsets", "latest"),))

    @staticmethod
    def group(group_id: str, otherwise: Otherwise = "fail") -> StartPosition:
        """The offsets that a consumer group has committed.

        The builder asks the group when it builds the source, which needs a classic session. Nothing is ever
        committed to the group.

        Args:
            group_id: of the group.
            otherwise: the start in a partition for which the group has committed nothing.

        >>> StartPosition.group("shop", "earliest").consumer_group
        'shop'
        """
        return StartPosition((), string("group_id", group_id), otherwise)

    @staticmethod
    def timestamp(time: datetime | int) -> StartPosition:
        """The first record of each partition that is not older; where there is none, at the end.

        Args:
            time: with a zone, or else in UTC; or the milliseconds since 1970-01-01T00:00:00Z.

        >>> StartPosition.timestamp(datetime(1970, 1, 1, 0, 0, 2)).options[0]
        ('startingTimestamp', '2000')
        """
        if isinstance(time, datetime):
            zoned = time if time.tzinfo else time.replace(tzinfo=timezone.utc)
            millis = round(zoned.timestamp() * 1000)
        elif isinstance(time, int) and not isinstance(time, bool):
            millis = int(time)
        else:
            raise TypeError(f"time must be a datetime or an int of milliseconds, not {time!r}")
        # Where nothing is as young, a query would fail without the second.
        return StartPosition(
            (("startingTimestamp", str(millis)), ("startingOffsetsByTimestampStrategy", "latest"))
        )

    @staticmethod
    def offsets(offsets: Mapping[str, Mapping[int, int]]) -> StartPosition:
        """Given offsets.

        Args:
            offsets: by topic and partition: all partitions of all topics. -2 is the earliest, -1 the latest.

        >>> StartPosition.offsets({"orders": {0: -2}}).options
        (('startingOffsets', '{"orders": {"0": -2}}'),)
        """
        given = {
            topic: {whole("partition", of): whole("offset", at) for of, at in mapping(topic, places).items()}
            for topic, places in mapping("offsets", offsets).items()
        }
        return StartPosition((("startingOffsets", json.dumps(given)),))


@dataclass(frozen=True, slots=True)
class Decoder:
    """The conversion of the bytes of a key or a value; made by its methods.

    >>> Decoder.json("id BIGINT, item STRING").of("value")
    "from_json(CAST(value AS STRING), 'id BIGINT, item STRING')"
    """

    expression: str
    arguments: str = ""
    """The expression of a column, in place of `{}`, taken as it is: a schema may have `{}` in it."""

    @staticmethod
    def binary() -> Decoder:
        """The bytes as they are.

        >>> Decoder.binary().of("value")
        'value'
        """
        return Decoder("{}")

    @staticmethod
    def string() -> Decoder:
        """Text in UTF-8.

        >>> Decoder.string().of("value")
        'CAST(value AS STRING)'
        """
        return Decoder("CAST({} AS STRING)")

    @staticmethod
    def json(schema: str, options: Mapping[str, str] | None = None) -> Decoder:
        """An object of JSON, as a struct.

        Args:
            schema: of the struct, such as `"id BIGINT, item STRING"`.
            options: of Spark's `from_json`, such as `{"mode": "FAILFAST"}`; by default a value that cannot be
                read is null.
        """
        return Decoder("from_json(CAST({} AS STRING), ", f"{_text(schema)}{_more(options)})")

    @staticmethod
    def avro(schema: str, options: Mapping[str, str] | None = None) -> Decoder:
        """A record of Avro without any header, as a struct. Needs Spark's module `spark-avro`.

        Args:
            schema: of Avro, as JSON: the one that the values were written with.
            options: of Spark's `from_avro`. By default a value that cannot be read fails the query; with
                `{"mode": "PERMISSIVE"}` all fields of its struct are null.

        >>> Decoder.avro('"long"', {"mode": "FAILFAST"}).of("key")
        'from_avro(key, \\'"long"\\', map(\\'mode\\', \\'FAILFAST\\'))'
        """
        return Decoder("from_avro({}, ", f"{_text(schema)}{_more(options)})")

    @staticmethod
    def sql(expression: str) -> Decoder:
        """A SQL expression of the user's.

        Args:
            expression: with `{}` wherever the column is to stand.

        >>> Decoder.sql("struct({} AS bytes, unhex({}) AS text)").of("key")
        'struct(key AS bytes, unhex(key) AS text)'
        """
        return Decoder(string("expression", expression))

    def of(self, column: str) -> str:
        """The expression for a column of bytes."""
        return self.expression.replace("{}", column) + self.arguments


@dataclass(frozen=True, slots=True, repr=False)
class KafkaSource(OptionBacked):
    """Rows out of Kafka by Spark's own source, which this class sets.

    The columns are `key`, `value`, `topic`, `partition`, `offset`, `timestamp`, `timestampType` and
    `headers`; `key` and `value` as their decoders make them. Only committed records are read, unless
    `isolation.level` is set otherwise. New partitions, and new topics of a pattern, are read from their
    beginning as soon as Spark has found them.

    Made by `KafkaSource.builder`; immutable and comparable.

    >>> KafkaSource.builder("broker:9092").with_topics("orders").build().options()["subscribe"]
    'orders'
    """

    columns: tuple[str, ...]
    """SQL expressions over the columns of Spark's source."""

    @staticmethod
    def builder(servers: Servers) -> KafkaSourceBuilder:
        """Starts a source.

        Args:
            servers: the brokers to ask first, as `host:port`.
        """
        settings = (
            brokers("builder", servers),
            ("kafka.isolation.level", "read_committed"),
            ("includeHeaders", "true"),
        )
        return KafkaSourceBuilder(settings)

    def read_stream(self, spark: SparkSession) -> DataFrame:
        """The rows that a stream reads. A query with a checkpoint goes on from there and nowhere else.

        Raises:
            InvalidOptions: `STOPLOG_KAFKA_SOURCE_MISSING`, on a classic session without Spark's Kafka module.

        Example:
            orders = KafkaSource.builder("broker:9092").with_topics("orders").build().read_stream(spark)
        """
        _require_spark()
        loaded = spark.readStream.format("kafka").options(**self.options()).load()
        return loaded.selectExpr(*self.columns)

    def read(self, spark: SparkSession) -> DataFrame:
        """The rows that are there now. Limits mean nothing, and Spark refuses to begin at the latest offsets.

        Raises:
            InvalidOptions: as `read_stream`.

        Example:
            KafkaSource.builder("broker:9092").with_topics("orders").build().read(spark).count()
        """
        _require_spark()
        return spark.read.format("kafka").options(**self.options()).load().selectExpr(*self.columns)


@dataclass(frozen=True, slots=True, repr=False)
class KafkaSourceBuilder(Unbuilt):
    """Builds a `KafkaSource`; made by `KafkaSource.builder`. Immutable: each method returns a new builder.

    >>> orders = (
    ...     KafkaSource.builder("broker:9092")
    ...     .with_topics("orders")
    ...     .starting_from(StartPosition.earliest())
    ...     .with_value(Decoder.string())
    ...     .build()
    ... )
    >>> orders.columns[:2]
    ('key AS key', 'CAST(value AS STRING) AS value')
    """

    _settings: Pairs
    _selection: Pairs = ()
    _position: StartPosition | None = None
    _key: Decoder = Decoder("{}")
    _value: Decoder = Decoder("{}")

    def with_topics(self, *topics: str | Iterable[str]) -> KafkaSourceBuilder:
        """Reads all partitions of these topics, those that are added later, too."""
        return self._reads("subscribe", ",".join(names_of("with_topics", "topic", topics)))

    def with_topic_pattern(self, regex: str) -> KafkaSourceBuilder:
        """Reads all topics whose whole names match a regular expression of Java, also those added later."""
        return self._reads("subscribePattern", string("regex", regex))

    def with_partitions(self, partitions: Mapping[str, Sequence[int]]) -> KafkaSourceBuilder:
        """Reads these partitions and no others, by topic."""
        given = {
            topic: [whole("partition", of) for of in numbers]
            for topic, numbers in mapping("partitions", partitions).items()
        }
        return self._reads("assign", json.dumps(given))

    def starting_from(self, position: StartPosition) -> KafkaSourceBuilder:
        """Sets the start of a query without a checkpoint; for a stream the latest offsets by default."""
        return replace(self, _position=required("starting_from", position, StartPosition, _POSITIONS))

    def with_max_offsets_per_trigger(self, records: int) -> KafkaSourceBuilder:
        """Limits the records that a micro-batch reads."""
        return self.with_option("maxOffsetsPerTrigger", count_text("records", records))

    def with_min_offsets_per_trigger(self, records: int, max_delay: Duration = "15m") -> KafkaSourceBuilder:
        """Lets a micro-batch wait for some records.

        Args:
            records: the number of records, over all partitions.
            max_delay: the longest wait: a `timedelta`, a string such as `"5m"`, or an int of
                milliseconds.
        """
        waiting = self.with_option("minOffsetsPerTrigger", count_text("records", records))
        return waiting.with_option("maxTriggerDelay", delay_text("max_delay", max_delay))

    def with_key(self, decoder: Decoder) -> KafkaSourceBuilder:
        """Converts keys; they stay bytes by default."""
        return replace(self, _key=required("with_key", decoder, Decoder, _DECODERS))

    def with_value(self, decoder: Decoder) -> KafkaSourceBuilder:
        """Converts values; they stay bytes by default."""
        return replace(self, _value=required("with_value", decoder, Decoder, _DECODERS))

    def with_consumer_setting(self, name: str, value: Value) -> KafkaSourceBuilder:
        """Sets a setting of Kafka's consumer by its own name."""
        return self.with_option(f"kafka.{name}", value)

    def with_option(self, key: str, value: Value) -> KafkaSourceBuilder:
        """Sets any option of Spark's source by its name."""
        settings = dict(self._settings) | {option_name(key): text_of(key, value)}
        return replace(self, _settings=tuple(settings.items()))

    def build(self) -> KafkaSource:
        """The source. A consumer group is asked now where it is.

        Raises:
            ValueError: neither topics nor a pattern nor partitions were named.
            InvalidOptions: `STOPLOG_KAFKA_GROUP`: the group cannot say it.
            ConnectUnsupported: a group was to be asked on Spark Connect.
            NoSession: a group was to be asked before a session was started.
        """
        if not self._selection:
            raise ValueError("with_topics, with_topic_pattern or with_partitions has to say what is read")
        columns = (f"{self._key.of('key')} AS key", f"{self._value.of('value')} AS value", *_KEPT)
        return KafkaSource((*self._settings, *self._selection, *self._start()), columns)

    def _reads(self, option: str, value: str) -> KafkaSourceBuilder:
        for earlier, _ in self._selection:
            if earlier != option:
                raise InvalidOptions(
                    "STOPLOG_INVALID_OPTIONS",
                    f"{_SELECTIONS[option]} after {_SELECTIONS[earlier]}: "
                    "a source reads topics, a pattern or partitions; leave one of the two calls out.",
                )
        return replace(self, _selection=((option, value),))

    def _start(self) -> Pairs:
        position = self._position
        if position is None:
            return ()
        if position.consumer_group is None:
            return position.options
        client = {
            key.removeprefix("kafka."): value for key, value in self._settings if key.startswith("kafka.")
        }
        bridge = require_bridge("StartPosition.group", _ON_CONNECT)
        asked = (position.consumer_group, dict(self._selection), position.otherwise)
        found = bridge.ask_connector(_FACADE, ARTIFACT, "groupOffsets", client, *asked)
        return (("startingOffsets", str(found)),)

    def __repr__(self) -> str:
        return f"KafkaSourceBuilder({shown((*self._settings, *self._selection))})"


def brokers(method: str, servers: Servers) -> tuple[str, str]:
    """The option that names the brokers, of the sink and of the source."""
    return "kafka.bootstrap.servers", ",".join(names_of(method, "broker", [servers]))


def _require_spark() -> None:
    bridge = find_bridge()
    if bridge is not None:
        bridge.ask_connector(_FACADE, ARTIFACT, "requireSpark")


def _text(value: str) -> str:
    escaped = string("schema", value).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _more(options: Mapping[str, str] | None) -> str:
    given = sorted(mapping("options", {} if options is None else options).items())
    if not given:
        return ""
    return f", map({', '.join(_text(text_of(key, each)) for key, value in given for each in (key, value))})"
