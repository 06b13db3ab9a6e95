# SPDX-License-Identifier: Apache-2.0
"""Policies that close parts."""

from __future__ import annotations

import base64
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import TYPE_CHECKING

from stoplog._functions.code import UserCode, plan_of
from stoplog._functions.roll import OpenPart as OpenPart
from stoplog._functions.roll import PolicySide
from stoplog._options.builder import shown
from stoplog._text.values import (
    Duration,
    Pairs,
    Size,
    Value,
    count_text,
    duration_text,
    if_given,
    own_class,
    pairs_of,
    present,
    size_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

_POLICY = "stoplog.python.rolling.PythonRollingPolicy"


class RollingPolicy(ABC):
    """Decides when an open part is closed; a closed part becomes visible with its epoch.

    Created by the static methods, or as a `DefaultRollingPolicy` by keywords or by its builder.

    >>> RollingPolicy.on_checkpoint_rolling_policy().options()
    {'rollingPolicy': 'onCheckpoint'}
    """

    __slots__ = ()

    @staticmethod
    def default_rolling_policy(
        part_size: Size | None = None,
        rollover_interval: Duration | None = None,
        inactivity_interval: Duration | None = None,
    ) -> DefaultRollingPolicy:
        """Creates a `DefaultRollingPolicy` as in PyFlink; see this class for units and defaults.

        >>> RollingPolicy.default_rolling_policy(part_size=1024 * 1024).options()
        {'rollingPolicy': 'default', 'maxPartSize': '1048576'}
        """
        return DefaultRollingPolicy(part_size, rollover_interval, inactivity_interval)

    @staticmethod
    def on_checkpoint_rolling_policy() -> OnCheckpointRollingPolicy:
        """Creates a policy that closes every part at the end of its epoch, as Spark's own file sink does.

        >>> RollingPolicy.on_checkpoint_rolling_policy()
        OnCheckpointRollingPolicy()
        """
        return OnCheckpointRollingPolicy()

    @staticmethod
    def custom(class_name: str, parameters: Mapping[str, Value] | None = None) -> CustomRollingPolicy:
        """Creates a policy of a class on the session's class path.

        The class extends `stoplog.rolling.RollingPolicy`.

        Args:
            class_name: the fully qualified name of the class. The class needs a public constructor with a
                `java.util.Map` for the parameters, or a public constructor without arguments.
            parameters: the settings of the class, by name.

        >>> RollingPolicy.custom("com.acme.RollAtMidnight", {"zone": "Asia/Tokyo"}).options()
        {'rollingPolicy': 'com.acme.RollAtMidnight', 'rollingPolicy.zone': 'Asia/Tokyo'}
        """
        options = own_class("rollingPolicy", class_name, parameters)
        return CustomRollingPolicy(class_name, pairs_of(options)[1:])

    @staticmethod
    def from_function(
        function: Callable[[list[OpenPart]], Iterable[str | None]], max_part_size: Size = "128m"
    ) -> FunctionRollingPolicy:
        """Creates a policy of a Python function, which runs on the driver.

        The driver calls the function with all open parts after each epoch, and every `bucket_check_interval`
        while no data arrives. The function is not called before each row: within an epoch, only
        `max_part_size` closes a part.

        Args:
            function: receives the open parts and returns a reason, or `None` to leave the part open, for each
                part in the same order. The reason is a word for metrics and the log.
            max_part_size: a part with more bytes on storage is closed at once: an int of bytes or a string.

        Raises:
            TypeError: the value is not a function, or cannot be pickled.

        >>> def by_bucket(parts):
        ...     return ["hour" if part.age_seconds > 3600 else None for part in parts]
        >>> RollingPolicy.from_function(by_bucket)
        FunctionRollingPolicy('RollingPolicy.from_function(by_bucket)', max_part_size='128m')
        """
        code = UserCode.of_function("RollingPolicy.from_function", function)
        return FunctionRollingPolicy(code, max_part_size)

    @abstractmethod
    def options(self) -> dict[str, str]:
        """Returns the options of this policy."""


@dataclass(frozen=True, slots=True)
class DefaultRollingPolicy(RollingPolicy):
    """Closes a part by size, number of rows, age, time without rows, or by the event times of rows.

    For a limit that is not given, the session's default applies (`spark.datasource.stoplog.<option>`), or
    else the default named here. The driver checks the time limits after each epoch and, while no data
    arrives, every `bucket_check_interval` of the sink.

    Args:
        max_part_size: compressed bytes on storage: an int of bytes or a string such as `"128m"`; 128 MiB by
            default.
        rollover_interval: the maximum age of an open part: a `timedelta`, a string such as `"15m"`, or an int
            of milliseconds as in PyFlink; 15 minutes by default.
        inactivity_interval: the maximum time of an open part without a new row, in the same units; 5 minutes
            by default.
        max_records: the maximum number of rows in a part; unlimited by default.
        event_time_interval: if the event time of a row is later than the event time of the part's first row
            by this interval or more, the row closes the part and is written to another part. The interval
            corresponds to `rotate.interval.ms` of Kafka Connect's sinks. In the same units; unlimited by
            default. The event time is in the column of the sink's `with_event_time_column`, or else in the
            column of the query's `withWatermark`.

    >>> DefaultRollingPolicy(max_part_size="64m", rollover_interval="10m").options()
    {'rollingPolicy': 'default', 'maxPartSize': '64m', 'rolloverInterval': '10m'}
    """

    max_part_size: Size | None = None
    rollover_interval: Duration | None = None
    inactivity_interval: Duration | None = None
    max_records: int | None = None
    event_time_interval: Duration | None = None

    def __post_init__(self) -> None:
        # An invalid value fails at the construction instead of the query's start.
        self.options()

    @staticmethod
    def builder() -> DefaultRollingPolicyBuilder:
        """Creates a builder, as in PyFlink and Flink.

        >>> DefaultRollingPolicy.builder().with_max_part_size("1g").build()
        DefaultRollingPolicy(max_part_size='1g')
        """
        return DefaultRollingPolicyBuilder()

    def options(self) -> dict[str, str]:
        """Returns the options of this policy."""
        options = {
            "rollingPolicy": "default",
            "maxPartSize": if_given(size_text, "max_part_size", self.max_part_size),
            "rolloverInterval": if_given(duration_text, "rollover_interval", self.rollover_interval),
            "inactivityInterval": if_given(duration_text, "inactivity_interval", self.inactivity_interval),
            "maxRecordsPerPart": if_given(count_text, "max_records", self.max_records),
            "eventTimeInterval": if_given(duration_text, "event_time_interval", self.event_time_interval),
        }
        return present(options)

    def __repr__(self) -> str:
        return _shown(self)


@dataclass(frozen=True, slots=True, repr=False)
class OnCheckpointRollingPolicy(RollingPolicy):
    """Closes every part at the end of its epoch: rows are visible earlier, in more and smaller files.

    Args:
        max_part_size: the bytes on storage at which a part is closed before the end of its epoch: an int of
            bytes or a string such as `"128m"`; unlimited by default.
        max_records: the maximum number of rows in a part; unlimited by default.

    >>> OnCheckpointRollingPolicy(max_part_size="256m").options()
    {'rollingPolicy': 'onCheckpoint', 'maxPartSize': '256m'}
    """

    max_part_size: Size | None = None
    max_records: int | None = None

    def __post_init__(self) -> None:
        self.options()

    @staticmethod
    def build() -> OnCheckpointRollingPolicy:
        """Creates a policy without limits, as in Flink."""
        return OnCheckpointRollingPolicy()

    def options(self) -> dict[str, str]:
        """Returns the options of this policy."""
        options = {
            "rollingPolicy": "onCheckpoint",
            "maxPartSize": if_given(size_text, "max_part_size", self.max_part_size),
            "maxRecordsPerPart": if_given(count_text, "max_records", self.max_records),
        }
        return present(options)

    def __repr__(self) -> str:
        return _shown(self)


@dataclass(frozen=True, slots=True)
class CustomRollingPolicy(RollingPolicy):
    """A custom policy on the JVM; created by `RollingPolicy.custom`.

    >>> CustomRollingPolicy("com.acme.RollAtMidnight").options()
    {'rollingPolicy': 'com.acme.RollAtMidnight'}
    """

    class_name: str
    parameters: Pairs = ()

    def options(self) -> dict[str, str]:
        """Returns the options of this policy."""
        return {"rollingPolicy": self.class_name, **dict(self.parameters)}

    def __repr__(self) -> str:
        return f"CustomRollingPolicy({shown(self.options().items())})"


@dataclass(frozen=True, slots=True)
class FunctionRollingPolicy(RollingPolicy):
    """A policy of a Python function; created by `RollingPolicy.from_function`."""

    _code: UserCode
    max_part_size: Size

    def __post_init__(self) -> None:
        size_text("max_part_size", self.max_part_size)

    def options(self) -> dict[str, str]:
        """Returns the options of this policy."""
        side = partial(PolicySide, self._code.owner, self._code.pickled)
        own = {
            "python.class": self._code.owner,
            "python.pickled": base64.b64encode(plan_of(side)).decode("ascii"),
            "maxPartSize": size_text("max_part_size", self.max_part_size),
        }
        return {"rollingPolicy": _POLICY, **{f"rollingPolicy.{key}": value for key, value in own.items()}}

    def __repr__(self) -> str:
        return f"FunctionRollingPolicy({self._code.owner!r}, max_part_size={self.max_part_size!r})"


@dataclass(frozen=True, slots=True)
class DefaultRollingPolicyBuilder:
    """Builds a `DefaultRollingPolicy`. Immutable: each method returns a new builder.

    >>> from datetime import timedelta
    >>> (
    ...     DefaultRollingPolicy.builder()
    ...     .with_max_part_size("256m")
    ...     .with_rollover_interval(timedelta(hours=1))
    ...     .build()
    ...     .options()
    ... )
    {'rollingPolicy': 'default', 'maxPartSize': '256m', 'rolloverInterval': '3600000ms'}
    """

    _policy: DefaultRollingPolicy = field(default_factory=DefaultRollingPolicy)

    def with_max_part_size(self, size: Size) -> DefaultRollingPolicyBuilder:
        """Limits the size of a part on storage: an int, or a string such as `"128m"` (the default)."""
        return DefaultRollingPolicyBuilder(replace(self._policy, max_part_size=size))

    def with_rollover_interval(self, interval: Duration) -> DefaultRollingPolicyBuilder:
        """Limits the age of a part: `timedelta`, string or int milliseconds; 15 minutes by default."""
        return DefaultRollingPolicyBuilder(replace(self._policy, rollover_interval=interval))

    def with_inactivity_interval(self, interval: Duration) -> DefaultRollingPolicyBuilder:
        """Limits the time of a part without new rows: types as above; 5 minutes by default."""
        return DefaultRollingPolicyBuilder(replace(self._policy, inactivity_interval=interval))

    def with_max_records(self, records: int) -> DefaultRollingPolicyBuilder:
        """Limits the number of rows in a part; unlimited by default."""
        return DefaultRollingPolicyBuilder(replace(self._policy, max_records=records))

    def with_event_time_interval(self, interval: Duration) -> DefaultRollingPolicyBuilder:
        """Limits the event times after the event time of the part's first row: types as above.

        Unlimited by default.
        """
        return DefaultRollingPolicyBuilder(replace(self._policy, event_time_interval=interval))

    def build(self) -> DefaultRollingPolicy:
        """Returns the policy."""
        return self._policy


def _shown(policy: DefaultRollingPolicy | OnCheckpointRollingPolicy) -> str:
    """Formats the policy with its given limits, without defaults."""
    given = {each.name: getattr(policy, each.name) for each in fields(policy)}
    shown = ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)
    return f"{type(policy).__name__}({shown})"
