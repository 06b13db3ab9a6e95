# SPDX-License-Identifier: Apache-2.0
"""An operator's commands for a sink without its query: plans that change nothing until carried out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import TYPE_CHECKING

from stoplog._admin import Jvm, ToolFailed
from stoplog._values import path_text

if TYPE_CHECKING:
    import os

    from stoplog._admin import Runner

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
    """The reaction to a driver that may be alive.

    >>> DriverCheck.REFUSE_IF_ALIVE.value
    'refuse if alive'
    """

    REFUSE_IF_ALIVE = "refuse if alive"
    DRIVER_IS_DEAD = "driver is dead"


class OpenRows(Enum):
    """The treatment of rows in open parts when a log begins anew.

    >>> OpenRows.FINISH.value
    'finish'
    """

    FINISH = "finish"
    MOVE_ASIDE = "aside"


@dataclass(frozen=True, slots=True)
class AdminAction:
    """One thing that a tool does, or leaves, and why.

    Attributes:
        action: finish, publish, remove, restore, spare, moveAside, cut, keepRecord, hand, repeat, advise,
            whole, broken or missing.
        subject: the thing that it is done to, mostly a path under the sink's path.
        reason: the reason, in words.
        size_bytes: of the part, where it is one.
        rows: of the part, where it is one.
        to: where it is kept, if it is moved or copied.

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
        path: of the sink.
        sink_id: one of the path's sinks.
        driver: a sentence about the driver of its last run.
        driver_alive: true if that driver may be alive.
        actions: in the order in which they are done.
        carried_out: true if the actions were done.

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
        """The actions that tell of something broken or missing."""
        return [action for action in self.actions if action.action in ("broken", "missing")]

    def carry_out(self, driver: DriverCheck = DriverCheck.REFUSE_IF_ALIVE) -> AdminPlan:
        """Carries the plan out, as things are now, and returns the actions that were done.

        Raises:
            ToolFailed: `STOPLOG_DRIVER_ALIVE` before anything is changed, `STOPLOG_FENCED` when a driver
                has written to the log in between, and what the storage refuses.

        Example:
            stoplog.administer("/data/events").finalize().carry_out(stoplog.DriverCheck.DRIVER_IS_DEAD)
        """
        if self._tools is None:
            raise ValueError("This plan was carried out already.")
        flags = {"carryOut": True, "driverIsDead": DriverCheck(driver) is DriverCheck.DRIVER_IS_DEAD}
        return self._tools.ask({**self._request, **flags})


@dataclass(frozen=True, slots=True)
class SinkAdmin:
    """The tools for one sink id under one path.

    Each of them returns a plan and changes nothing. They need Java and the jars of Spark, and no session.

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

    def finalize(self) -> AdminPlan:
        """Makes every row of a stopped query visible: open parts are finished.

        Example:
            stoplog.administer("/data/events").finalize().carry_out()
        """
        return self._plan("finalize")

    def clean(self) -> AdminPlan:
        """Removes the files of dead attempts; each file that stays is listed with the rule that spared it.

        Example:
            print(*stoplog.administer("/data/events").clean().actions, sep="\\n")
        """
        return self._plan("clean")

    def adopt(self, query_id: str, next_batch: int) -> AdminPlan:
        """Lets another query go on with this sink, from the first batch that it has not committed.

        Raises:
            ToolFailed: `STOPLOG_FOREIGN_QUERY`, `STOPLOG_EPOCH_AHEAD` or `STOPLOG_EPOCH_REPLANNED` if the
                query has not passed the epochs of the log, with the number of rows it would write again.

        Example:
            stoplog.administer("/data/events").adopt("d3b07384-d9a0-4c9b-8f6e-2f4a1c7e5b60", 17).carry_out()
        """
        return self._plan("adopt", queryId=query_id, batch=next_batch)

    def adopt_by(self, checkpoint: str | os.PathLike[str]) -> AdminPlan:
        """The same for the query of a checkpoint.

        Example:
            stoplog.administer("/data/events").adopt_by("/data/checkpoint").carry_out()
        """
        return self._plan("adopt", checkpoint=path_text(checkpoint))

    def adopt_and_repeat(self, query_id: str, next_batch: int) -> AdminPlan:
        """Like `adopt`, for a query that may write rows of the log again. The plan says how many.

        Example:
            tools = stoplog.administer("/data/events")
            print(*tools.adopt_and_repeat("d3b07384-d9a0-4c9b-8f6e-2f4a1c7e5b60", 0).actions, sep="\\n")
        """
        return self._plan("adoptAndRepeat", queryId=query_id, batch=next_batch)

    def adopt_and_repeat_by(self, checkpoint: str | os.PathLike[str]) -> AdminPlan:
        """The same for the query of a checkpoint.

        Example:
            stoplog.administer("/data/events").adopt_and_repeat_by("/data/checkpoint").carry_out()
        """
        return self._plan("adoptAndRepeat", checkpoint=path_text(checkpoint))

    def fork(self) -> AdminPlan:
        """Says under which sink id another query can write beside this one. Changes nothing.

        Example:
            print(*stoplog.administer("/data/events").fork().actions, sep="\\n")
        """
        return self._plan("fork")

    def reset(self, open_rows: OpenRows = OpenRows.FINISH) -> AdminPlan:
        """Begins the log anew from the files that exist now: the next query that starts owns it.

        Example:
            stoplog.administer("/data/events").reset(stoplog.OpenRows.MOVE_ASIDE).carry_out()
        """
        return self._plan("reset", open=OpenRows(open_rows).value)

    def rewind(self, epoch: int) -> AdminPlan:
        """Goes back to the end of an older epoch, -1 for none, and moves aside what is newer.

        Example:
            stoplog.administer("/data/events").rewind(17).carry_out()
        """
        return self._plan("rewind", epoch=epoch)

    def relocate(self) -> AdminPlan:
        """Looks whether a directory that was moved or copied is whole. Changes nothing.

        Example:
            assert not stoplog.administer("/data/events").relocate().problems
        """
        return self._plan("relocate")

    def ask(self, request: Mapping[str, object]) -> AdminPlan:
        """The answer of the jar to a request, as a plan."""
        answer = self.jvm.ask(request, self._runner)
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
) -> SinkAdmin:
    """The tools for a sink.

    Args:
        path: of the sink.
        sink_id: one of the path's sinks.
        jvm: more jars and Hadoop's settings, where the path is not on a local disk.
        options: of the query, as far as its log does not tell them: useTruncate, validLengthPrefix and
            validLengthSuffix.

    Example:
        stoplog.administer("/data/events").clean().carry_out()
    """
    return SinkAdmin(path_text(path), sink_id, jvm or Jvm(), dict(options))


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
