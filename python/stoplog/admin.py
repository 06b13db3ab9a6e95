# SPDX-License-Identifier: Apache-2.0
"""Operator commands for a sink without its query: plans without changes until carried out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

from stoplog._jvm.tools import Jvm
from stoplog._text.values import path_text
from stoplog.errors import ToolFailed

if TYPE_CHECKING:
    import os

    from stoplog._jvm.tools import Runner, Watch

__all__ = [
    "AdminAction",
    "AdminPlan",
    "DriverCheck",
    "Jvm",
    "OpenRows",
    "SinkAdmin",
    "ToolFailed",
    "administer",
]

_NOTHING: Mapping[str, str] = MappingProxyType({})


class DriverCheck(Enum):
    """The reaction to a driver that may be running.

    >>> DriverCheck.REFUSE_IF_ALIVE.value
    'refuse if alive'
    """

    REFUSE_IF_ALIVE = "refuse if alive"
    DRIVER_IS_DEAD = "driver is dead"


class OpenRows(Enum):
    """The handling of rows in open parts when a log is reset.

    >>> OpenRows.FINISH.value
    'finish'
    """

    FINISH = "finish"
    MOVE_ASIDE = "aside"


@dataclass(frozen=True, slots=True)
class AdminAction:
    """A single action of a tool, with its reason.

    Attributes:
        action: announce, finish, publish, remove, restore, spare, moveAside, cut, keepRecord, hand, repeat,
            advise, whole, broken or missing.
        subject: the object of the action, in most cases a path under the sink's path.
        reason: the reason, in words.
        size_bytes: the size of the part, if the subject is a part.
        rows: the number of rows in the part, if the subject is a part.
        to: the new location of a moved or copied subject.

    >>> AdminAction("finish", "day=1/part-0.json", "open since its query stopped", rows=3).rows
    3
    """

    action: str
    subject: str
    reason: str
    size_bytes: int | None = None
    rows: int | None = None
    to: str | None = None


@dataclass(frozen=True, slots=True)
class AdminPlan:
    """The actions that a tool would take now, or has taken.

    Attributes:
        command: the name of the tool.
        path: the path of the sink.
        sink_id: the sink id under the path.
        driver: a sentence about the driver of the sink's last run.
        driver_alive: true if this driver may be running.
        actions: the actions, in the order of execution.
        carried_out: true if the actions were executed.

    >>> AdminPlan("clean", "/data/out", "main", "no driver", False, (), False).actions
    ()
    """

    command: str
    path: str
    sink_id: str
    driver: str
    driver_alive: bool
    actions: tuple[AdminAction, ...]
    carried_out: bool
    _tools: SinkAdmin | None = field(default=None, repr=False, compare=False)
    _request: Mapping[str, object] = field(default_factory=dict, repr=False, compare=False)

    @property
    def problems(self) -> list[AdminAction]:
        """Returns the actions that report broken or missing objects."""
        return [action for action in self.actions if action.action in ("broken", "missing")]

    def carry_out(self, driver: DriverCheck = DriverCheck.REFUSE_IF_ALIVE) -> AdminPlan:
        """Carries out the plan on the current state, and returns the executed actions.

        Raises:
            ToolFailed: `STOPLOG_DRIVER_ALIVE` before any change, `STOPLOG_FENCED` if a driver has written to
                the log meanwhile, and any error of the storage.

        Example:
            stoplog.administer("/data/events").finalize().carry_out(stoplog.DriverCheck.DRIVER_IS_DEAD)
        """
        if self._tools is None:
            raise ValueError("This plan was carried out already.")
        flags = {"carryOut": True, "driverIsDead": DriverCheck(driver) is DriverCheck.DRIVER_IS_DEAD}
        return self._tools.ask({**self._request, **flags})


@dataclass(frozen=True, slots=True)
class SinkAdmin:
    """The tools for one sink id of a path.

    Each tool returns a plan and changes nothing. The tools need Java and Spark's jars, but no session.

    Example:
        plan = stoplog.administer("/data/events").finalize()
        print(*plan.actions, sep="\\n")
        plan.carry_out()
    """

    path: str
    sink_id: str
    jvm: Jvm
    options: Mapping[str, str]
    _runner: Runner | None = None
    _watch: Watch | None = field(default=None, repr=False, compare=False)

    def finalize(self) -> AdminPlan:
        """Plans to finish all open parts of a stopped query, so that all rows become visible.

        Example:
            stoplog.administer("/data/events").finalize().carry_out()
        """
        return self._plan("finalize")

    def clean(self) -> AdminPlan:
        """Plans to remove the files of dead attempts; lists each kept file with the rule that keeps the file.

        Example:
            print(*stoplog.administer("/data/events").clean().actions, sep="\\n")
        """
        return self._plan("clean")

    def adopt(self, query_id: str, next_batch: int) -> AdminPlan:
        """Plans the takeover of this sink by another query, from the query's first uncommitted batch.

        Raises:
            ToolFailed: `STOPLOG_FOREIGN_QUERY`, `STOPLOG_EPOCH_AHEAD` or `STOPLOG_EPOCH_REPLANNED` if the
                query has not passed the epochs of the log; the message has the number of rows that the query
                would repeat.

        Example:
            stoplog.administer("/data/events").adopt("d3b07384-d9a0-4c9b-8f6e-2f4a1c7e5b60", 17).carry_out()
        """
        return self._plan("adopt", queryId=query_id, batch=next_batch)

    def adopt_by(self, checkpoint: str | os.PathLike[str]) -> AdminPlan:
        """Plans the takeover of this sink by the query of a checkpoint.

        Example:
            stoplog.administer("/data/events").adopt_by("/data/checkpoint").carry_out()
        """
        return self._plan("adopt", checkpoint=path_text(checkpoint))

    def adopt_and_repeat(self, query_id: str, next_batch: int) -> AdminPlan:
        """Plans a takeover like `adopt`, by a query that may repeat rows of the log.

        The plan contains the number.

        Example:
            tools = stoplog.administer("/data/events")
            print(*tools.adopt_and_repeat("d3b07384-d9a0-4c9b-8f6e-2f4a1c7e5b60", 0).actions, sep="\\n")
        """
        return self._plan("adoptAndRepeat", queryId=query_id, batch=next_batch)

    def adopt_and_repeat_by(self, checkpoint: str | os.PathLike[str]) -> AdminPlan:
        """Plans a takeover like `adopt_and_repeat`, by the query of a checkpoint.

        Example:
            stoplog.administer("/data/events").adopt_and_repeat_by("/data/checkpoint").carry_out()
        """
        return self._plan("adoptAndRepeat", checkpoint=path_text(checkpoint))

    def fork(self) -> AdminPlan:
        """Returns the sink id under which another query can write to the same path. Changes nothing.

        Example:
            print(*stoplog.administer("/data/events").fork().actions, sep="\\n")
        """
        return self._plan("fork")

    def reset(self, open_rows: OpenRows = OpenRows.FINISH) -> AdminPlan:
        """Plans a new log from the existing files; the next query that starts will own the log.

        Example:
            stoplog.administer("/data/events").reset(stoplog.OpenRows.MOVE_ASIDE).carry_out()
        """
        return self._plan("reset", open=OpenRows(open_rows).value)

    def rewind(self, epoch: int) -> AdminPlan:
        """Plans a rewind to the end of an older epoch, -1 for none, and moves newer files to `aside/`.

        Example:
            stoplog.administer("/data/events").rewind(17).carry_out()
        """
        return self._plan("rewind", epoch=epoch)

    def announce(self) -> AdminPlan:
        """Plans to deliver the announcements that a stopped query, or a batch job, has left.

        The targets are those of `options`: `announce.<name>` and its settings. The target `catalog` needs a
        session, so only a query delivers its announcements.

        Raises:
            ToolFailed: `STOPLOG_INVALID_OPTIONS` without a target. `carry_out` raises
                `STOPLOG_ANNOUNCEMENT_UNDELIVERED` if a target has not received all announcements in time, or
                if the newest record of a log is not carried out.

        Example:
            targets = {"announce.hook": "webhook", "announce.hook.url": "https://example.com/files"}
            stoplog.administer("/data/events", options=targets).announce().carry_out()
        """
        return self._plan("announce")

    def try_announcement(self) -> AdminPlan:
        """Plans to send one test announcement without files to each target of `options`.

        Example:
            targets = {"announce.hook": "webhook", "announce.hook.url": "https://example.com/files"}
            stoplog.administer("/data/events", options=targets).try_announcement().carry_out()
        """
        return self._plan("tryAnnouncement")

    def relocate(self) -> AdminPlan:
        """Checks whether a moved or copied directory is complete. Changes nothing.

        Example:
            assert not stoplog.administer("/data/events").relocate().problems
        """
        return self._plan("relocate")

    def ask(self, request: Mapping[str, object]) -> AdminPlan:
        """Sends a request to the jar, and returns the response as a plan."""
        answer = self.jvm.ask(request, self._runner, self._watch)
        done = bool(answer.get("carriedOut"))
        return AdminPlan(
            command=str(answer["command"]),
            path=str(answer["path"]),
            sink_id=str(answer["sinkId"]),
            driver=str(answer["driver"]),
            driver_alive=bool(answer["driverAlive"]),
            actions=tuple(_action(each) for each in _objects(answer["actions"])),
            carried_out=done,
            _tools=None if done else self,
            _request=request,
        )

    def _plan(self, command: str, **fields: object) -> AdminPlan:
        request: dict[str, object] = {"command": command, "path": self.path, "sinkId": self.sink_id, **fields}
        if self.options:
            request["options"] = dict(self.options)
        return self.ask(request)


def administer(
    path: str | os.PathLike[str],
    sink_id: str = "main",
    *,
    jvm: Jvm | None = None,
    options: Mapping[str, str] = _NOTHING,
    watch: Watch | None = None,
) -> SinkAdmin:
    """Returns the tools for a sink.

    Args:
        path: the path of the sink.
        sink_id: the sink id under the path.
        jvm: additional jars and Hadoop settings, for a path that is not on a local disk.
        options: options of the query that its log does not contain: settings of valid-length files, such as
            bucketingSink.useTruncate; and the targets of announcements.
        watch: called with the number of finished units of a tool, and of all units.

    Example:
        stoplog.administer("/data/events").clean().carry_out()
    """
    return SinkAdmin(path_text(path), sink_id, jvm or Jvm(), dict(options), _watch=watch)


def _action(found: Mapping[str, object]) -> AdminAction:
    size, rows, to = found.get("bytes"), found.get("rows"), found.get("to")
    return AdminAction(
        str(found["action"]),
        str(found["subject"]),
        str(found["reason"]),
        size if isinstance(size, int) else None,
        rows if isinstance(rows, int) else None,
        to if isinstance(to, str) else None,
    )


def _objects(found: object) -> list[dict[str, object]]:
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
