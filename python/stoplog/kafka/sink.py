# SPDX-License-Identifier: Apache-2.0
"""The Kafka sink and its builder."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from stoplog._options.builder import Builder, BuilderState, checked
from stoplog._text.values import Duration, Value, duration_text, option_name, path_text, text_of
from stoplog.kafka.source import ARTIFACT, Servers, brokers
from stoplog.sink.base import Sink

if TYPE_CHECKING:
    import os

    from pyspark.sql import DataFrame

FORMAT = ARTIFACT
"""The name of the sink in Spark, and of its artifact. The source is Spark's own, `kafka`."""


@dataclass(frozen=True, slots=True, repr=False)
class KafkaSink(Sink):
    """Kafka topics as a sink.

    The columns of a row define the record by their names: `value` (string or binary), and the optional
    columns `key` (string or binary), `headers` (`array<struct<key:string,value:binary>>`), `topic`,
    `partition` and `timestamp`.

    Created by `KafkaSink.to`; immutable, comparable, and usable for any number of queries.

    >>> KafkaSink.to("broker:9092").with_topic("orders").with_transaction_timeout("10m").build()
    KafkaSink(kafka.bootstrap.servers='broker:9092', topic='orders', transactionTimeout='10m')
    """

    _format = FORMAT

    @staticmethod
    def to(servers: Servers) -> KafkaSinkBuilder:
        """Creates a builder of a sink.

        Args:
            servers: the bootstrap brokers, as `host:port`.

        >>> KafkaSink.to(["a:9092", "b:9092"]).build().options()
        {'kafka.bootstrap.servers': 'a:9092,b:9092'}
        """
        return KafkaSinkBuilder(BuilderState.of({"servers": dict([brokers("to", servers)])}))

    def write(self, df: DataFrame) -> None:
        """Writes a batch.

        Spark does not repeat a batch. If the driver dies in the commit, only some rows may be visible, and no
        restart completes the commit.

        Args:
            df: a batch DataFrame.

        Example:
            sink.write(spark.range(10).selectExpr("cast(id as string) as value"))
        """
        self._write(df, "append")


@dataclass(frozen=True, slots=True, repr=False)
class KafkaSinkBuilder(Builder):
    """Builds a `KafkaSink`; created by `KafkaSink.to`.

    Immutable: each method returns a new builder. A repeated call of a method replaces the earlier values.

    A method raises `TypeError` for an argument of another type, and `ValueError` for a number or a time that
    is too small, or for an empty name.

    >>> KafkaSink.to("broker:9092").with_delivery("at-least-once")
    KafkaSinkBuilder(kafka.bootstrap.servers='broker:9092', delivery='at-least-once')
    """

    def with_topic(self, topic: str) -> KafkaSinkBuilder:
        """Sets the topic of all rows; by default, the column `topic` contains the topic of each row.

        >>> KafkaSink.to("b:9092").with_topic("orders")
        KafkaSinkBuilder(kafka.bootstrap.servers='b:9092', topic='orders')
        """
        return self._set("topic", topic)

    def with_delivery(self, delivery: Literal["none", "at-least-once", "exactly-once"]) -> KafkaSinkBuilder:
        """Sets the delivery guarantee; `"exactly-once"` by default.

        Args:
            delivery: `"none"` does not wait for acknowledgements. `"at-least-once"` waits, and repeats
                records after a failure. `"exactly-once"` writes in transactions.

        >>> KafkaSink.to("b:9092").with_delivery("none")
        KafkaSinkBuilder(kafka.bootstrap.servers='b:9092', delivery='none')
        """
        return self._set("delivery", delivery)

    def with_partitioner(self, class_name: str) -> KafkaSinkBuilder:
        """Sets the class that chooses the partition of a row without a column `partition`.

        Args:
            class_name: the name of a class on the session's class path that implements
                `org.apache.kafka.clients.producer.Partitioner`.

        >>> KafkaSink.to("b:9092").with_partitioner("a.B")
        KafkaSinkBuilder(kafka.bootstrap.servers='b:9092', kafka.partitioner.class='a.B')
        """
        return self._set("kafka.partitioner.class", class_name)

    def with_transaction_timeout(self, timeout: Duration) -> KafkaSinkBuilder:
        """Sets the time after which the brokers abort an open transaction.

        Args:
            timeout: a `timedelta`, a string such as `"15m"`, which is the default, or an int of milliseconds.
                The timeout must exceed the sum of the longest micro-batch and the longest pause before a
                restart.

        >>> KafkaSink.to("b:9092").with_transaction_timeout("1h")
        KafkaSinkBuilder(kafka.bootstrap.servers='b:9092', transactionTimeout='1h')
        """
        return self._set("transactionTimeout", duration_text("timeout", timeout))

    def with_on_lost_transaction(self, action: Literal["fail", "skip"]) -> KafkaSinkBuilder:
        """Sets the reaction if brokers have aborted a committed transaction; `"fail"` by default.

        >>> KafkaSink.to("b:9092").with_on_lost_transaction("skip")
        KafkaSinkBuilder(kafka.bootstrap.servers='b:9092', onLostTransaction='skip')
        """
        return self._set("onLostTransaction", action)

    def with_transactional_id_prefix(self, prefix: str) -> KafkaSinkBuilder:
        """Sets the prefix of all transactional ids, for the brokers' access rules; `stoplog` by default.

        >>> KafkaSink.to("b:9092").with_transactional_id_prefix("shop")
        KafkaSinkBuilder(kafka.bootstrap.servers='b:9092', transactionalIdPrefix='shop')
        """
        return self._set("transactionalIdPrefix", prefix)

    def with_log_location(self, directory: str | os.PathLike[str]) -> KafkaSinkBuilder:
        """Sets the directory of the commit log. The default is the checkpoint.

        >>> KafkaSink.to("b:9092").with_log_location("/log")
        KafkaSinkBuilder(kafka.bootstrap.servers='b:9092', logLocation='/log')
        """
        return self._set("logLocation", path_text(directory))

    def with_sink_id(self, sink_id: str) -> KafkaSinkBuilder:
        """Sets the sink id; sinks with the same log location need different ids. The default is `main`.

        >>> KafkaSink.to("b:9092").with_sink_id("eu")
        KafkaSinkBuilder(kafka.bootstrap.servers='b:9092', sinkId='eu')
        """
        return self._set("sinkId", sink_id)

    def with_on_foreign_query(self, action: Literal["fail", "adopt", "adoptAndRepeat"]) -> KafkaSinkBuilder:
        """Sets the reaction to a log that belongs to another query's checkpoint; `"fail"` by default.

        `"adopt"` takes over the log if this query has passed all epochs of the log. `"adoptAndRepeat"` also
        writes epochs again that are in the topic, and is valid for one start.

        >>> KafkaSink.to("b:9092").with_on_foreign_query("adopt")
        KafkaSinkBuilder(kafka.bootstrap.servers='b:9092', onForeignQuery='adopt')
        """
        return self._set("onForeignQuery", action)

    def with_producer_setting(self, name: str, value: Value) -> KafkaSinkBuilder:
        """Sets a setting of Kafka's producer by the producer's name of the setting.

        >>> KafkaSink.to("broker:9092").with_producer_setting("compression.type", "zstd").build()
        KafkaSink(kafka.bootstrap.servers='broker:9092', kafka.compression.type='zstd')
        """
        return self._set(f"kafka.{name}", value)

    def with_option(self, key: str, value: Value) -> KafkaSinkBuilder:
        """Sets any option by its name, for options without a method.

        >>> KafkaSink.to("b:9092").with_option("linger", 5)
        KafkaSinkBuilder(kafka.bootstrap.servers='b:9092', linger='5')
        """
        return self._set(key, value)

    def build(self) -> KafkaSink:
        """Returns the sink. In a classic session, the jar checks the options first.

        On Spark Connect, or before the start of a session, the options are checked at the first write.

        Raises:
            InvalidOptions: an option was given two values, or the jar rejected some options.
            JarMissing: the active session runs without stoplog's jar, or without the connector's jar.
            VersionMismatch: the active session runs with the jar of another release.
        """
        return KafkaSink(checked(self._state, "stoplog.kafka.KafkaSink", FORMAT))

    def _set(self, key: str, value: Value) -> KafkaSinkBuilder:
        return self._with(option_name(key).lower(), **{key: text_of(key, value)})
