# SPDX-License-Identifier: Apache-2.0
"""The Kafka source: a builder for Spark's own source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Literal, TypeAlias

from stoplog._jvm.bridge import find_bridge, require_bridge
from stoplog._options.builder import BuilderState, OptionBacked, Unbuilt, required, shown
from stoplog._shared.other_names import meant
from stoplog._text.values import (
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
from stoplog.kafka.decoder import Decoder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

Servers: TypeAlias = str | Sequence[str]
Otherwise: TypeAlias = Literal["earliest", "latest", "fail"]

_FACADE = "stoplog.kafka.KafkaSource"
ARTIFACT = "stoplog-kafka"
_KEPT = ("topic", "partition", "offset", "timestamp", "timestampType", "headers")
_POSITIONS = "create one with a method of StartPosition, such as StartPosition.earliest()"
_BYTES = Decoder.binary()
_DECODERS = "create one with a method of Decoder, such as Decoder.string()"
_SELECTIONS = {
    "subscribe": "with_topics",
    "subscribePattern": "with_topic_pattern",
    "assign": "with_partitions",
}
_STARTS = frozenset({"startingoffsets", "startingtimestamp", "startingoffsetsbytimestamp"})
_ON_CONNECT = "Read the offsets of the group in another program, and pass them to StartPosition.offsets."


@dataclass(frozen=True, slots=True)
class StartPosition:
    """The start position of a source whose query has no checkpoint yet; created by the static methods.

    >>> StartPosition.offsets({"orders": {0: 23, 1: -2}}).options
    (('startingOffsets', '{"orders": {"0": 23, "1": -2}}'),)
    """

    options: Pairs
    consumer_group: str | None = None
    otherwise: Otherwise = "fail"

    @staticmethod
    def earliest() -> StartPosition:
        """Starts at the oldest available records.

        >>> StartPosition.earliest().options
        (('startingOffsets', 'earliest'),)
        """
        return StartPosition((("startingOffsets", "earliest"),))

    @staticmethod
    def latest() -> StartPosition:
        """Starts after the newest records: reads all records that are written from now on.

        >>> StartPosition.latest().options
        (('startingOffsets', 'latest'),)
        """
        return StartPosition((("startingOffsets", "latest"),))

    @staticmethod
    def group(group_id: str, otherwise: Otherwise = "fail") -> StartPosition:
        """Starts at the offsets that a consumer group has committed.

        The builder queries the group in `build()`, which needs a classic session. Nothing is ever committed
        to the group.

        Args:
            group_id: the id of the group.
            otherwise: the start in a partition without a committed offset of the group.

        >>> StartPosition.group("shop", "earliest").consumer_group
        'shop'
        """
        return StartPosition((), string("group_id", group_id), otherwise)

    @staticmethod
    def timestamp(time: datetime | int) -> StartPosition:
        """Starts at each partition's first record that is not older.

        Without such a record, at the partition's end.

        Args:
            time: a time with a zone, or in UTC by default; or the milliseconds since 1970-01-01T00:00:00Z.

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
        # Without the second option, a query fails if a partition has no newer record.
        return StartPosition(
            (("startingTimestamp", str(millis)), ("startingOffsetsByTimestampStrategy", "latest"))
        )

    @staticmethod
    def offsets(offsets: Mapping[str, Mapping[int, int]]) -> StartPosition:
        """Starts at the given offsets.

        Args:
            offsets: the offsets by topic and partition, for all partitions of all topics. -2 is the earliest,
                -1 the latest.

        >>> StartPosition.offsets({"orders": {0: -2}}).options
        (('startingOffsets', '{"orders": {"0": -2}}'),)
        """
        given = {
            topic: {whole("partition", of): whole("offset", at) for of, at in mapping(topic, places).items()}
            for topic, places in mapping("offsets", offsets).items()
        }
        return StartPosition((("startingOffsets", json.dumps(given)),))


@dataclass(frozen=True, slots=True, repr=False)
class KafkaSource(OptionBacked):
    """Rows from Kafka by Spark's own source, which this class configures.

    The columns are `key`, `value`, `topic`, `partition`, `offset`, `timestamp`, `timestampType` and
    `headers`. The decoders define the types of `key` and `value`. The source reads only committed records,
    unless `isolation.level` is changed. New partitions, and new topics of a pattern, are read from their
    start as soon as Spark has found them.

    Created by `KafkaSource.builder`; immutable and comparable.

    >>> KafkaSource.builder("broker:9092").with_topics("orders").build().options()["subscribe"]
    'orders'
    """

    columns: tuple[str, ...]
    """SQL expressions over the columns of Spark's source."""

    @staticmethod
    def builder(servers: Servers) -> KafkaSourceBuilder:
        """Creates a builder of a source.

        Args:
            servers: the bootstrap brokers, as `host:port`.

        >>> source = KafkaSource.builder(["a:9092", "b:9092"]).with_topics("orders", "returns").build()
        >>> source.options()["kafka.bootstrap.servers"], source.options()["subscribe"]
        ('a:9092,b:9092', 'orders,returns')
        """
        settings = (
            brokers("builder", servers),
            ("kafka.isolation.level", "read_committed"),
            ("includeHeaders", "true"),
        )
        return KafkaSourceBuilder(settings)

    def read_stream(self, spark: SparkSession) -> DataFrame:
        """Returns the rows of a stream. A query with a checkpoint always resumes at the checkpoint.

        Raises:
            InvalidOptions: `STOPLOG_JAR_MISSING`, on a classic session without Spark's Kafka module.

        Example:
            orders = KafkaSource.builder("broker:9092").with_topics("orders").build().read_stream(spark)
        """
        _require_spark()
        loaded = spark.readStream.format("kafka").options(**self.options()).load()
        return loaded.selectExpr(*self.columns)

    def read(self, spark: SparkSession) -> DataFrame:
        """Returns the current rows. Limits have no effect, and Spark rejects a start at the latest offsets.

        Raises:
            InvalidOptions: see `read_stream`.

        Example:
            KafkaSource.builder("broker:9092").with_topics("orders").build().read(spark).count()
        """
        _require_spark()
        return spark.read.format("kafka").options(**self.options()).load().selectExpr(*self.columns)


@dataclass(frozen=True, slots=True, repr=False)
class KafkaSourceBuilder(Unbuilt):
    """Builds a `KafkaSource`; created by `KafkaSource.builder`. Immutable: each method returns a new builder.

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
    _key: Decoder = _BYTES
    _value: Decoder = _BYTES

    def with_topics(self, *topics: str | Iterable[str]) -> KafkaSourceBuilder:
        """Reads all partitions of these topics, also newly added partitions."""
        return self._reads("subscribe", ",".join(names_of("with_topics", "topic", topics)))

    def with_topic_pattern(self, regex: str) -> KafkaSourceBuilder:
        """Reads all topics whose whole names match a Java regular expression, also newly added topics."""
        return self._reads("subscribePattern", string("regex", regex))

    def with_partitions(self, partitions: Mapping[str, Sequence[int]]) -> KafkaSourceBuilder:
        """Reads only these partitions, by topic."""
        given = {
            topic: [whole("partition", of) for of in numbers]
            for topic, numbers in mapping("partitions", partitions).items()
        }
        return self._reads("assign", json.dumps(given))

    def starting_from(self, position: StartPosition) -> KafkaSourceBuilder:
        """Sets the start of a query without a checkpoint. The default of a stream is the latest offsets."""
        return replace(self, _position=required("starting_from", position, StartPosition, _POSITIONS))

    def with_max_offsets_per_trigger(self, records: int) -> KafkaSourceBuilder:
        """Limits the number of records in a micro-batch."""
        return self.with_option("maxOffsetsPerTrigger", count_text("records", records))

    def with_min_offsets_per_trigger(self, records: int, max_delay: Duration = "15m") -> KafkaSourceBuilder:
        """Delays a micro-batch until the given number of records is available.

        Args:
            records: the number of records, over all partitions.
            max_delay: the longest wait: a `timedelta`, a string such as `"5m"`, or an int of milliseconds.
        """
        waiting = self.with_option("minOffsetsPerTrigger", count_text("records", records))
        return waiting.with_option("maxTriggerDelay", delay_text("max_delay", max_delay))

    def with_key(self, decoder: Decoder) -> KafkaSourceBuilder:
        """Converts keys; by default, keys are bytes."""
        return replace(self, _key=required("with_key", decoder, Decoder, _DECODERS))

    def with_value(self, decoder: Decoder) -> KafkaSourceBuilder:
        """Converts values; by default, values are bytes."""
        return replace(self, _value=required("with_value", decoder, Decoder, _DECODERS))

    def with_consumer_setting(self, name: str, value: Value) -> KafkaSourceBuilder:
        """Sets a setting of Kafka's consumer by the consumer's name of the setting."""
        return self.with_option(f"kafka.{name}", value)

    def with_option(self, key: str, value: Value) -> KafkaSourceBuilder:
        """Sets any option of Spark's source by its name.

        Raises:
            InvalidOptions: the name is another spelling of an option, or a name of another system. Spark
                ignores unknown options.
        """
        for own in meant("kafkaSource", option_name(key)):
            raise InvalidOptions("STOPLOG_INVALID_OPTIONS", f"{key} is not an option: use {own}.")
        settings = dict(self._settings)
        known = next((each for each in settings if each.lower() == key.lower()), key)
        return replace(self, _settings=tuple((settings | {known: text_of(key, value)}).items()))

    def build(self) -> KafkaSource:
        """Returns the source. For a consumer group, queries the group's committed offsets.

        Raises:
            ValueError: neither topics nor a pattern nor partitions were named.
            InvalidOptions: `STOPLOG_KAFKA_GROUP`: the group's offsets are not available; or an option was
                given two values.
            ConnectUnsupported: the position of a group was requested on Spark Connect.
            NoSession: the position of a group was requested before the start of a session.
        """
        if not self._selection:
            raise ValueError("call with_topics, with_topic_pattern or with_partitions")
        columns = (f"{self._key.of('key')} AS key", f"{self._value.of('value')} AS value", *_KEPT)
        start = self._start()
        self._refuse_two_starts(start)
        state = BuilderState((("settings", self._settings), ("selection", self._selection), ("start", start)))
        return KafkaSource(state.pairs(), columns)

    def _reads(self, option: str, value: str) -> KafkaSourceBuilder:
        for earlier, _ in self._selection:
            if earlier != option:
                raise InvalidOptions(
                    "STOPLOG_INVALID_OPTIONS",
                    f"{_SELECTIONS[option]} after {_SELECTIONS[earlier]}: "
                    "a source reads topics, a pattern or partitions; remove one of the two calls.",
                )
        return replace(self, _selection=((option, value),))

    def _refuse_two_starts(self, start: Pairs) -> None:
        """Spark uses one of several options for a start, and ignores the others."""
        others = _STARTS.difference(name.lower() for name, _ in start) if start else ()
        for key, _ in self._settings:
            if key.lower() in others:
                raise InvalidOptions(
                    "STOPLOG_INVALID_OPTIONS",
                    f"{key} and starting_from: a source has one start; remove one of the two.",
                )

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
        group = (position.consumer_group, dict(self._selection), position.otherwise)
        found = bridge.ask_connector(_FACADE, ARTIFACT, "groupOffsets", client, *group)
        return (("startingOffsets", str(found)),)

    def __repr__(self) -> str:
        return f"KafkaSourceBuilder({shown((*self._settings, *self._selection))})"


def brokers(method: str, servers: Servers) -> tuple[str, str]:
    """Returns the option with the brokers, for the sink and for the source."""
    return "kafka.bootstrap.servers", ",".join(names_of(method, "broker", [servers]))


def _require_spark() -> None:
    bridge = find_bridge()
    if bridge is not None:
        bridge.ask_connector(_FACADE, ARTIFACT, "requireSpark")
