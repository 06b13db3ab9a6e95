# SPDX-License-Identifier: Apache-2.0
"""Targets of announcements of visible files, for the builders of sinks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from stoplog._options.builder import OptionBacked, required
from stoplog._python import carrier
from stoplog._python.announcing import TargetOfChanges, TargetOfFunction
from stoplog._shared.pickling import function_name
from stoplog._text.values import Duration, Pairs, delay_text, if_given, pairs_of, present
from stoplog.announcement_target import AnnouncementTarget

if TYPE_CHECKING:
    from stoplog._python.changes import FileChange

First: TypeAlias = Literal["newest", "snapshot"]
"""The first announcements of a new target: of the next record, or of all visible files."""

Refusal: TypeAlias = Literal["stop", "skip"]
"""The reaction to `refused`: the target stops, or misses these announcements."""


@dataclass(frozen=True, slots=True, repr=False)
class Announcement(OptionBacked):
    """A target of announcements, for `with_announcement` of a sink.

    Each method has two more parameters. `start` is `"newest"` (the default) or `"snapshot"`. `on_refused` is
    `"stop"` (the default) or `"skip"`.

    >>> Announcement.webhook("https://example.com/files", secret="env:WEBHOOK_SECRET")
    Announcement(kind='webhook', url='https://example.com/files', secret='…')
    """

    @property
    def kind(self) -> str:
        """Returns the kind of the target: the value of `announce.<name>`."""
        return self.options()["kind"]

    @classmethod
    def webhook(
        cls,
        url: str | None = None,
        *,
        url_from: str | None = None,
        secret: str | None = None,
        authorization: str | None = None,
        timeout: Duration | None = None,
        start: First | None = None,
        on_refused: Refusal | None = None,
    ) -> Announcement:
        """Posts one CloudEvent for each announcement.

        Args:
            url: the address of the receiver.
            url_from: the name of a secret with the address, instead of `url`.
            secret: the name of the secret that signs requests: `env:NAME`, `file:/path` or `conf:spark.name`.
            authorization: the name of a secret with the value of the header `Authorization`.
            timeout: the longest wait for a response.

        >>> Announcement.webhook(url_from="env:WEBHOOK_URL", timeout="5s").options()
        {'kind': 'webhook', 'urlFrom': 'env:WEBHOOK_URL', 'timeout': '5s'}
        """
        settings = {"url": url, "urlFrom": url_from, "secret": secret, "authorization": authorization}
        settings["timeout"] = if_given(delay_text, "timeout", timeout)
        return cls._of("webhook", settings, start, on_refused)

    @classmethod
    def catalog(
        cls,
        table: str,
        *,
        partitions: Literal["complete", "all"] | None = None,
        start: First | None = None,
        on_refused: Refusal | None = None,
    ) -> Announcement:
        """Adds buckets as partitions of an external table in a catalog of the session.

        Args:
            table: the name of the table as in SQL.
            partitions: `"complete"` (the default) adds complete buckets, `"all"` adds a bucket with its first
                visible file.

        >>> Announcement.catalog("lake.events", partitions="all")
        Announcement(kind='catalog', table='lake.events', partitions='all')
        """
        return cls._of("catalog", {"table": table, "partitions": partitions}, start, on_refused)

    @classmethod
    def kafka(
        cls,
        bootstrap_servers: str,
        topic: str,
        *,
        start: First | None = None,
        on_refused: Refusal | None = None,
        **settings: str,
    ) -> Announcement:
        """Sends announcements to a topic in transactions; requires `stoplog-kafka`.

        Args:
            bootstrap_servers: the brokers.
            topic: the topic of the announcements.
            settings: more settings, such as `positionTopic`.

        >>> Announcement.kafka("broker:9092", "files").options()
        {'kind': 'kafka', 'kafka.bootstrap.servers': 'broker:9092', 'topic': 'files'}
        """
        own = {"kafka.bootstrap.servers": bootstrap_servers, "topic": topic, **settings}
        return cls._of("kafka", own, start, on_refused)

    @classmethod
    def jdbc(
        cls,
        url: str,
        table: str,
        *,
        start: First | None = None,
        on_refused: Refusal | None = None,
        **settings: str,
    ) -> Announcement:
        """Inserts announcements into a table of a database; requires `stoplog-jdbc`.

        Args:
            url: the JDBC URL of the database.
            table: the table of the announcements.
            settings: more settings, such as `user` and `passwordFrom`.

        >>> Announcement.jdbc("jdbc:postgresql://db/etl", "files", passwordFrom="env:DB").kind
        'jdbc'
        """
        return cls._of("jdbc", {"url": url, "dbtable": table, **settings}, start, on_refused)

    @classmethod
    def iceberg(
        cls,
        table: str,
        catalog: Mapping[str, str],
        *,
        start: First | None = None,
        on_refused: Refusal | None = None,
        **settings: str,
    ) -> Announcement:
        """Adds the finished files to an Iceberg table; requires `stoplog-iceberg`.

        Args:
            table: the name of the table in the catalog, such as `"db.events"`.
            catalog: the properties of the catalog by Iceberg's names, such as `type`, `uri` and `warehouse`.
                A value `env:NAME` is read from the environment of the driver: use this form for secrets.
            settings: more settings, such as `create="ifMissing"` and `partition="day(at), country"`.

        >>> lake = {"type": "rest", "uri": "https://catalog.example"}
        >>> Announcement.iceberg("db.events", lake, create="ifMissing").options()
        {'kind': 'iceberg', 'catalog.type': 'rest', 'catalog.uri': 'https://catalog.example', \
'table': 'db.events', 'create': 'ifMissing'}
        """
        properties = {f"catalog.{key}": value for key, value in catalog.items()}
        return cls._of("iceberg", {**properties, "table": table, **settings}, start, on_refused)

    @classmethod
    def delta(
        cls,
        *,
        start: First | None = None,
        on_refused: Refusal | None = None,
        **settings: str,
    ) -> Announcement:
        """Makes the path of the sink a Delta table of its finished files; requires `stoplog-delta`.

        Args:
            settings: settings such as `create="ifMissing"` and `partition="country, day:date"`.

        >>> Announcement.delta(create="ifMissing", partition="country").options()
        {'kind': 'delta', 'create': 'ifMissing', 'partition': 'country'}
        """
        return cls._of("delta", settings, start, on_refused)

    @classmethod
    def scala_class(
        cls,
        class_name: str,
        parameters: Mapping[str, str] | None = None,
        *,
        start: First | None = None,
        on_refused: Refusal | None = None,
    ) -> Announcement:
        """Uses a class of the JVM that extends `stoplog.announce.AnnouncementTarget`.

        >>> Announcement.scala_class("com.example.Announced").kind
        'com.example.Announced'
        """
        return cls._of(class_name, dict(parameters or {}), start, on_refused)

    @classmethod
    def from_function(
        cls,
        function: Callable[[list[FileChange]], object],
        *,
        start: First | None = None,
        on_refused: Refusal | None = None,
    ) -> Announcement:
        """Calls a function of Python. A call that returns has delivered; an exception repeats the call.

        The function runs in a separate Python process of the driver, and is pickled with its module.

        Args:
            function: receives a list of `FileChange`, and returns nothing or a `Delivery`.

        Raises:
            TypeError: the value is not callable, is a class, or cannot be pickled.

        Example:
            stoplog.Announcement.from_function(lambda changes: print([change.id for change in changes]))
        """
        owner = function_name("Announcement.from_function", function)
        return cls._in_python(owner, TargetOfFunction(function), function, start, on_refused)

    @classmethod
    def from_target(
        cls, target: AnnouncementTarget, *, start: First | None = None, on_refused: Refusal | None = None
    ) -> Announcement:
        """Uses a target in Python, pickled and called in a separate Python process of the driver.

        Raises:
            TypeError: the value is no object of an `AnnouncementTarget`, or cannot be pickled.

        Example:
            stoplog.Announcement.from_target(Queue("https://sqs.example/files"))
        """
        made_by = "create an object of a class that extends AnnouncementTarget"
        required("from_target", target, AnnouncementTarget, made_by)
        return cls._in_python(carrier.name_of(target), target, target, start, on_refused)

    @classmethod
    def _in_python(
        cls, owner: str, target: Any, user: object, start: First | None, on_refused: Refusal | None
    ) -> Announcement:
        positioned = isinstance(user, AnnouncementTarget) and user.has_position()
        settings = {
            "python.class": owner,
            "python.pickled": carrier.function_text(TargetOfChanges(target), user),
            "positioned": str(positioned).lower(),
        }
        return cls._of("python", settings, start, on_refused)

    @classmethod
    def _of(
        cls,
        kind: str,
        settings: Mapping[str, str | None],
        start: First | None,
        on_refused: Refusal | None,
    ) -> Announcement:
        given = present({**settings, "start": start, "onRefused": on_refused})
        return cls(pairs_of({"kind": kind, **given}))


def announced(name: str, announcement: Announcement) -> Pairs:
    """Returns the options of a target with this name.

    >>> announced("hook", Announcement.webhook("https://example.com"))
    (('announce.hook', 'webhook'), ('announce.hook.url', 'https://example.com'))
    """
    options = announcement.options()
    kind = options.pop("kind")
    return pairs_of(
        {f"announce.{name}": kind, **{f"announce.{name}.{key}": of for key, of in options.items()}}
    )
